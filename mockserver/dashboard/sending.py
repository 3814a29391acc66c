"""The form for repeating a journal request from the browser."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from mockserver.core.traffic.exchange import Exchange
from mockserver.core.workspaces.workspace import Workspace
from mockserver.dashboard.curl import NOBODY, SENT_FROM, Sent, is_plain, of_exchange
from mockserver.dashboard.earlier import VERIFY
from mockserver.resources.senders.model import SENDER
from mockserver.views.redaction import REDACTED

#: Methods that browsers refuse to send.
_REFUSED = frozenset({"CONNECT", "TRACE", "TRACK"})
#: The largest body and the most keys of the form. Chosen: a page stays small.
_LARGEST, _MOST_KEYS = 64 * 1024, 100


def form_of(workspace: Workspace, exchange: Exchange) -> dict[str, Any]:
    """Return the fields of the form, or only why a browser cannot send the request."""
    sent = of_exchange(exchange)
    if sent.method in _REFUSED:
        return {"hindrance": f"Browsers send no {sent.method} requests."}
    if len(sent.body) > _LARGEST or not is_plain(sent.body.replace(b"\t", b" ")):
        return {"hindrance": "Its body is too large for a form, or is no plain text."}
    return {
        "hindrance": "",
        "method": sent.method,
        "target": sent.target,
        "headers": "\n".join(f"{name}: {value}" for name, value in sent.headers.items()),
        "body": sent.body.decode(),
        "has_body": sent.method not in ("GET", "HEAD"),
        "keys": _keys(workspace, sent),
        "notes": list(_notes(workspace, exchange, sent)),
    }


def _keys(workspace: Workspace, sent: Sent) -> list[dict[str, Any]]:
    """Return the choices of the API key: keys by account, that of the call first and chosen; no key; an unknown key."""
    found: list[dict[str, Any]] = []
    for account in sorted(workspace.state.accounts.values(), key=lambda account: account.name != sent.account):
        for number, key in enumerate(account.api_keys, 1):
            name = account.name if number == 1 else f"{account.name}, key {number}"
            found.append({"name": name, "key": key, "is_chosen": number == 1 and account.name == sent.account})
        if len(found) >= _MOST_KEYS:
            break
    is_unknown = sent.has_key and not any(row["is_chosen"] for row in found)
    nobodys = {"name": "an unknown key", "key": NOBODY, "is_chosen": is_unknown}
    return [*found[:_MOST_KEYS], nobodys, {"name": "no key", "key": "", "is_chosen": not sent.has_key}]


def _notes(workspace: Workspace, exchange: Exchange, sent: Sent) -> Iterator[str]:
    if sent.is_redacted:
        yield f"Secrets are not shown: write the right value in place of each {REDACTED} (Edit and send)."
    if exchange.operation == VERIFY:
        found = SENDER.find(workspace, exchange.path.split("/")[3])
        if found is not None and found[1].otp is not None:
            yield f"The present code of sender {found[1].id} is {found[1].otp}."
    if "authorization" in exchange.by_header:
        yield "An access token was sent. An API key is sent in its place."
    if sent.body and sent.method in ("GET", "HEAD"):
        yield f"Browsers send no body with {sent.method}: the body is left out."


def number_of(workspace: Workspace, identifier: str) -> int | None:
    """Return the number of a request among all of its workspace, from 1. The workspace is open."""
    journal = workspace.journal
    return next((journal.end - index for index, row in enumerate(journal) if row.id == identifier), None)


def origin_of(workspace: Workspace, exchange: Exchange) -> Mapping[str, Any] | None:
    """Return id and number of the request repeated by an exchange, or None.

    The number is None if the journal has lost that request. The workspace is open.
    """
    identifier = exchange.by_header.get(SENT_FROM)
    return None if identifier is None else {"id": identifier, "number": number_of(workspace, identifier)}
