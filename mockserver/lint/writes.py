"""Writes that a client repeats without knowing what became of the first one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice, pairwise
from typing import Any, NamedTuple

from mockserver.core.state.state import Account
from mockserver.core.text.messages import counted
from mockserver.core.traffic.exchange import Exchange
from mockserver.lint.finding import REPEATED_WRITE, Finding
from mockserver.lint.traffic import (
    Traffic,
    between,
    ended_at,
    has_answer,
    has_left,
    is_success,
    name_of,
    resource_of,
    since,
)
from mockserver.resources.campaigns.campaign import Campaign
from mockserver.resources.contacts.rows import Contact, ContactList, Folder
from mockserver.resources.domains.domain import Domain
from mockserver.resources.senders.model import Sender
from mockserver.resources.templates.template import Template
from mockserver.resources.webhooks.model import Webhook

#: How many seconds after its end a write counts as repeated, on both clocks. Chosen: longer than clients back off; an
#: equal write after it may be a new one, such as the report of the next day.
_WINDOW_S = 120
#: How many reads after a write are looked at. Chosen: the first one tells, unless several overlap.
_MOST_READS = 100
#: POST operations that can be repeated without harm: they set members of a list, make a ticket that ends by itself, or
#: send a campaign, which the service does once.
_HARMLESS = frozenset({
    "addContactToList", "removeContactFromList", "createAdminSsoToken", "createSubAccountSsoToken",
    "sendEmailCampaignNow",
})  # fmt: skip
#: Operations that send e-mails.
_SENDS = frozenset({"sendTransacEmail", "sendTestTemplate", "sendTestEmail"})
#: The header in the body of an e-mail, in lower case, that lets the service refuse repeats (contract/sending).
_KEY = "idempotencykey"


class _Made(NamedTuple):
    """The rows that an operation makes."""

    row: type[Any]
    #: The member of the body, and the attribute of a row if it has another name, which equal rows have in common.
    member: str
    what: str
    more: str
    attribute: str = ""


_ROWS: Mapping[str, _Made] = {
    "createSender": _Made(Sender, "email", "sender", "with this e-mail"),
    "createDomain": _Made(Domain, "name", "domain", "of this name"),
    "createWebhook": _Made(Webhook, "url", "webhook", "with this URL"),
    "createContact": _Made(Contact, "email", "contact", "with this e-mail"),
    "createList": _Made(ContactList, "name", "list", "of this name"),
    "createFolder": _Made(Folder, "name", "folder", "of this name"),
    "createEmailCampaign": _Made(Campaign, "name", "campaign", "of this name"),
    "createSmtpTemplate": _Made(Template, "templateName", "template", "of this name", "name"),
}


def find_repeated_writes(traffic: Traffic) -> Iterator[Finding]:
    """Find equal POST requests after no answer or a 5xx, with nothing read in between and no idempotency key."""
    for key, equal in traffic.by_identity.items():
        if key.method != "POST" or key.account is None or not key.body:
            continue
        rows = [row for row in equal if row.status != 429]  # a 429 has done nothing, and tells the client so
        if len(rows) > 1 and not _is_repeatable(rows[0]):
            for writes in _split(rows):
                yield from _finding(traffic, writes)


def _is_repeatable(row: Exchange) -> bool:
    """Return whether the service lets a request be repeated without harm."""
    if row.operation in _HARMLESS or row.beyond not in (None, "stubbed", "intercepted"):
        return True
    body = row.json if isinstance(row.json, dict) else {}
    if row.operation == "createContact":
        return body.get("updateEnabled") is True
    headers = body.get("headers") if row.operation == "sendTransacEmail" else None
    return isinstance(headers, dict) and any(name.lower() == _KEY for name in headers)


def _split(rows: Sequence[Exchange]) -> Iterator[Sequence[Exchange]]:
    """Split equal writes where more time passes than a repeat takes."""
    found = [rows[0]]
    for before, later in pairwise(rows):
        passed = between(later, before).total_seconds() - (ended_at(before) - before.real_at)
        if max(passed, later.real_at - ended_at(before)) > _WINDOW_S:
            yield found
            found = []
        found.append(later)
    yield found


def _finding(traffic: Traffic, writes: Sequence[Exchange]) -> Iterator[Finding]:
    if any(is_success(row) for row in writes[:-1]):
        return  # the client sends equal writes on purpose
    repeats = [(before, later) for before, later in pairwise(writes) if _is_blind(traffic, before, later)]
    if not repeats or _is_looked_up(traffic, writes[-1]):
        return
    rows = list(dict.fromkeys(row for pair in repeats for row in pair))
    outcomes = list(dict.fromkeys(_outcome(before) for before, _ in repeats))
    times = "" if len(repeats) == 1 else f", {len(repeats)} times"
    damage = _damage(traffic, rows)
    message = f"{name_of(rows[0])} was repeated after {' and '.join(outcomes)}{times}; {damage}"
    yield Finding(REPEATED_WRITE, name_of(rows[0]), message, [row.id for row in rows])


def _is_blind(traffic: Traffic, before: Exchange, later: Exchange) -> bool:
    """Return whether a write repeats another one whose outcome the client does not know."""
    return _is_unknown(before) and traffic.may_follow(later, before) and not _is_read(traffic, before, later.real_at)


def _is_unknown(row: Exchange) -> bool:
    """Return whether a client cannot know what became of a write; a 503 with `Retry-After` asks for a repeat."""
    if row.status is None or not has_answer(row):
        return has_left(row) or not row.is_held
    is_invited = row.status == 503 and any(name.lower() == "retry-after" for name, _ in row.answer_headers)
    return row.status >= 500 and not is_invited


def _is_read(traffic: Traffic, before: Exchange, latest: float) -> bool:
    """Return whether the account has read the resource after a write, and before a moment of real time."""
    reads = traffic.reads.get((before.account, resource_of(before)), ())
    # A client that has left may read before the server notices that it has left.
    begin = before.real_at if has_left(before) else ended_at(before)
    return any(ended_at(row) <= latest for row in islice(since(reads, begin), _MOST_READS))


def _is_looked_up(traffic: Traffic, last: Exchange) -> bool:
    """Return whether the service has refused the last repeat, and the client then reads or changes what there is."""
    if last.status is None or not 400 <= last.status < 500:
        return False
    later = islice(since(traffic.requests, ended_at(last)), _MOST_READS)
    used = (row for row in later if row.account == last.account and row.method != "POST")
    return any(resource_of(row) == resource_of(last) for row in used)


def _outcome(row: Exchange) -> str:
    return f"a {row.status}" if has_answer(row) else "no answer"


# ---------------------------------------------------------------------- the damage


def _damage(traffic: Traffic, rows: Sequence[Exchange]) -> str:
    """Count the rows that exist because of the writes, as words for a finding."""
    last = rows[-1]
    account = traffic.workspace.state.account_named(last.account or "")
    found = None if account is None else _count(traffic, account, rows)
    if found is None:
        return f"it was sent {len(rows)} times, and the service does each"
    number, what, more = found
    refused = ", and the last call was refused" if 400 <= (last.status or 0) < 500 else ""
    return f"{counted(number, what)} {more} {'exists' if number == 1 else 'exist'}{refused}"


def _count(traffic: Traffic, account: Account, rows: Sequence[Exchange]) -> tuple[int, str, str] | None:
    """Return the row count with its noun, or None if the created rows are unknown."""
    operation, body = rows[0].operation or "", rows[0].json
    if not isinstance(body, dict):
        return None
    if operation in _SENDS:
        mails_of = traffic.numbers("mails", (mail.request for mail in traffic.workspace.state.mailbox))
        mails = sum(mails_of[row.id] for row in rows)
        return (mails, "e-mail", "with this content") if mails else None
    if operation == "createSubAccount":
        accounts = traffic.workspace.state.accounts.values()
        same = traffic.numbers("sub-accounts", ((row.of, row.email) for row in accounts))
        return same[account.name, str(body.get("email"))], "sub-account", "with this e-mail"
    if operation == "createSubAccountKey":
        number = body.get("id")
        sub = traffic.workspace.state.accounts.get(number) if isinstance(number, int) else None
        return None if sub is None else (len(sub.api_keys), "API key", "of this sub-account")
    made = _ROWS.get(operation)
    if made is None:
        return None
    attribute = made.attribute or made.member
    texts = (str(getattr(row, attribute)).lower() for row in account.rows_of(made.row).values())
    same = traffic.numbers((account.id, made.row, attribute), texts)
    return same[str(body.get(made.member)).lower()], made.what, made.more
