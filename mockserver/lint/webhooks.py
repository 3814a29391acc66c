"""Secrets in the addresses of webhooks, and receivers that take any call."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from urllib.parse import parse_qsl, urlsplit

from mockserver.core.text.messages import counted
from mockserver.core.text.secrets import is_secret
from mockserver.core.traffic.causes import DELIVERY, REQUEST, Cause
from mockserver.core.traffic.exchange import Exchange, read_json
from mockserver.core.workspaces.workspace import Workspace
from mockserver.lint.finding import SECRET_IN_URL, UNVERIFIED_WEBHOOK, Finding
from mockserver.lint.traffic import Traffic
from mockserver.resources.deliveries.delivery import Delivery
from mockserver.resources.deliveries.trial import FORGED


def find_secrets_in_urls(traffic: Traffic) -> Iterator[Finding]:
    """Find webhooks whose URL has a secret in its query, or user info."""
    made = _calls(traffic.workspace)
    for row in traffic.requests:
        if row.operation not in ("createWebhook", "updateWebhook") or 400 <= (row.status or 0) < 500:
            continue
        url = row.json.get("url") if isinstance(row.json, dict) else None
        if isinstance(url, str) and (secret := _secret(url)):
            calls = made[row.account or "", str(_number(row)), url]
            subject = f"{row.operation} put a secret into the URL of a webhook ({secret})"
            message = f"{subject}; {counted(calls, 'call')} {'has' if calls == 1 else 'have'} carried it so far"
            yield Finding(SECRET_IN_URL, subject, message, [row.id])


def _secret(url: str) -> str | None:
    """Name the part of a URL that contains a secret, or return None. The secret itself is left out."""
    try:
        parts = urlsplit(url)
        if parts.username or parts.password:
            return "user info"
        pairs = parse_qsl(parts.query)
    except ValueError:
        return None
    names = (name for name, value in pairs if is_secret(name, value) and "srf" not in name.lower())  # no CSRF token
    return next((f"query parameter {name[:40]}" for name in names), None)


def _number(row: Exchange) -> object:
    """Return the id of the webhook that a request has made or changed."""
    answer = read_json(row.answer_body)
    made = answer.get("id") if isinstance(answer, dict) else None
    return row.params.get("webhookId", made)


def _calls(workspace: Workspace) -> Counter[tuple[str, str, str]]:
    """Count the webhook calls by account, webhook and URL."""
    found: Counter[tuple[str, str, str]] = Counter()
    for account in workspace.state.accounts.values():
        for row in account.rows_of(Delivery).values():
            found[account.name, str(row.webhook), row.target.url] += len(row.attempts) + row.attempts_evicted
    return found


def find_unverified_webhooks(traffic: Traffic) -> Iterator[Finding]:
    """Find receivers that answer a forged call with 2xx, each once."""
    state = traffic.workspace.state
    found: dict[tuple[str, str], list[Delivery]] = {}
    for account in state.accounts.values():
        for row in account.rows_of(Delivery).values():
            if row.sent_as == FORGED and any(200 <= (attempt.status or 0) < 300 for attempt in row.attempts):
                found.setdefault((account.name, row.target.url), []).append(row)
    for rows in found.values():
        number = len(rows)
        taken = f"{number} forged calls" if number > 1 else "a forged call"
        whose = f"webhook {rows[0].webhook}" if rows[0].webhook is not None else f"an {rows[0].events[0]}"
        message = f"the receiver of {whose} answered {taken} with 2xx: anybody can send it events"
        yield Finding(UNVERIFIED_WEBHOOK, whose, message, _requests(traffic, rows), sorted(row.id for row in rows))


def _requests(traffic: Traffic, rows: list[Delivery]) -> list[str]:
    """Return the ids of the requests that have caused deliveries."""
    links = traffic.workspace.links
    causes = (cause for row in rows for cause in links.caused_by(Cause(DELIVERY, row.id)))
    return list(dict.fromkeys(cause.id for cause in causes if cause.kind == REQUEST))
