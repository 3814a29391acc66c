"""E-mail templates, the e-mails made of templates and campaigns, and test e-mails (contract/templates)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from html import escape
from typing import Any, Protocol

from mockserver.core.contract import errors
from mockserver.core.contract.errors import ServiceError
from mockserver.core.state import reasons
from mockserver.core.state.state import Account
from mockserver.core.text.addresses import comparable
from mockserver.core.traffic.mail import TO, Attachment, MailContent, Party, Recipient, mirror_link
from mockserver.core.workspaces.caller import Caller
from mockserver.resources.contacts.rows import EMAIL_ID, check_bytes, find_contact
from mockserver.resources.scheduled_emails.model import deliver
from mockserver.resources.senders.model import check_verified, chosen, find_sender
from mockserver.resources.templates.template import Template
from mockserver.resources.templates.texts import TooLongError, filled_in
from mockserver.resources.webhooks import events
from mockserver.resources.webhooks.blocked import is_blocked

#: The most bytes of the e-mails of a request. Chosen: six e-mails with a file as large as a body can hold.
LARGEST = 64 * 1024 * 1024
#: The most test e-mails of an account in a day (documented).
MOST_TESTS = 50


#: The reasons to refuse addresses of test e-mails, by the member that lists these.
_WHY: Mapping[str, str] = {
    "unexistingEmails": "no contacts of the account",
    "withoutListEmails": "contacts in no list",
    "blackListedEmails": "blacklisted or blocked contacts",
}


@dataclass(slots=True, eq=False)
class SentTests:
    """The test e-mails of a day; one record per account."""

    day: date | None = None
    count: int = 0


class Message(Protocol):
    """A template or campaign, as e-mails are made of it."""

    name: str
    html: str | None
    subject: str | None
    sender: Party | None
    reply_to: str
    tag: str
    attachment_url: str

    @property
    def size(self) -> int: ...


# ---------------------------------------------------------------------- rows


def select(caller: Caller, query: Mapping[str, Any]) -> list[Template]:
    """Return templates matching a query, by creation."""
    start, wanted = caller.workspace.state.clock.start, query.get("is_active")
    rows = caller.account.rows_of(Template).values()
    found = [row for row in rows if wanted is None or row.is_active is wanted]
    return sorted(found, key=lambda row: (row.created_at or start, row.id), reverse=query["sort"] == "desc")


def members(caller: Caller, row: Template) -> dict[str, Any]:
    """Return the members of a template on the wire."""
    account, created_at = caller.account, row.created_at or caller.workspace.state.clock.start
    content = content_of(account, row)
    sender = find_sender(account, content.sender.email)
    name = content.sender.name or (sender.name if sender else "")
    return {
        "id": row.id, "name": row.name, "subject": content.subject, "html": content.html,
        "sender": {"email": content.sender.email, "id": str(sender.id) if sender else None, "name": name or None},
        "reply_to": row.reply_to or content.sender.email, "to_field": row.to_field, "tag": row.tag,
        "is_active": row.is_active, "is_tested": row.is_tested,
        "created_at": created_at, "modified_at": row.modified_at or created_at,
    }  # fmt: skip


def get(caller: Caller, template_id: int) -> Template:
    """Return a template to read it, or refuse with 404."""
    found = caller.account.rows_of(Template).get(template_id)
    if found is None:
        reason = reasons.absent(caller.workspace.state, caller.account, "template", Template, template_id)
        raise errors.DOCUMENT_NOT_FOUND("Template ID not found").because(reason)
    return found


def create(caller: Caller, body: Mapping[str, Any]) -> Template:
    """Create a template, which is inactive unless the body says otherwise."""
    if "html" not in body and "html_url" not in body:
        message = "Either of htmlContent or htmlUrl is required"
        raise errors.MISSING_PARAMETER(message).because(f"{message}: there is neither in the body")
    return add(caller, Template(**{"id": 0, "is_active": False, **_values(caller, body)}))


def add(caller: Caller, row: Template) -> Template:
    """Store a new template, with an id and the moment."""
    row.id = caller.workspace.state.next_id("campaign")
    row.created_at = row.modified_at = caller.workspace.state.clock.now()
    caller.account.table(Template)[row.id] = row
    caller.account.weigh_stored(row.size)
    return row


def update(caller: Caller, template_id: int, body: Mapping[str, Any]) -> None:
    """Change the given members of a template."""
    get(caller, template_id)
    values = _values(caller, body)
    change(caller, caller.account.table(Template)[template_id], values)


def change(caller: Caller, row: Message, values: Mapping[str, Any]) -> None:
    """Change members of a template or campaign, and its moment."""
    before = row.size
    for name, value in {**values, "modified_at": caller.workspace.state.clock.now()}.items():
        setattr(row, name, value)
    caller.account.weigh_stored(row.size - before)


def _values(caller: Caller, body: Mapping[str, Any]) -> dict[str, Any]:
    """Return the members of a row that a body gives; of a content at an address, a content that names it."""
    values = dict(body)
    url = values.pop("html_url", None)
    if "sender" in values:
        values["sender"] = chosen(caller.account, values["sender"])
    if url is not None and "html" not in values:
        values["html"] = html_at(caller, url)
    check_bytes(caller.workspace, values)
    return values


def html_at(caller: Caller, url: str) -> str:
    """Return a content that names the address of the real one, which is not fetched."""
    caller.warn("htmlUrl is not fetched: the content names its address; send htmlContent for a real one")
    return f'<p>The content is at <a href="{escape(url)}">{escape(url)}</a>.</p>'


def delete(caller: Caller, template_id: int) -> None:
    """Delete a template, or refuse an active one with 405."""
    account, row = caller.account, get(caller, template_id)
    if row.is_active:
        reason = f"template {template_id} is active: set isActive to false first"
        raise errors.METHOD_NOT_ALLOWED("Active template can not be deleted").because(reason)
    del account.table(Template)[template_id]
    account.weigh_stored(-row.size)


def send_test(caller: Caller, template_id: int, addresses: Sequence[str]) -> None:
    """Send a template to addresses, as `send_tests` does."""
    content = content_of(caller.account, get(caller, template_id))
    send_tests(caller, content._replace(template_id=template_id), addresses)
    caller.account.table(Template)[template_id].is_tested = True


# ---------------------------------------------------------------------- e-mails


def files_of(row: Message) -> tuple[Attachment, ...]:
    """Return the attachment, which stays at its address."""
    url = row.attachment_url
    return (Attachment(url.partition("?")[0].rpartition("/")[2] or "attachment", url=url),) if url else ()


def sender_of(account: Account, row: Message) -> Party:
    """Return the sender, or the account's default sender."""
    return row.sender or Party(events.default_sender(account))


def content_of(account: Account, row: Message) -> MailContent:
    """Return the content of an e-mail, without recipients and with unfilled texts."""
    return MailContent(
        sender=sender_of(account, row),
        recipients=(),
        subject=row.subject or row.name,
        html=row.html or "",
        reply_to=Party(row.reply_to) if row.reply_to else None,
        tags=(row.tag,) if row.tag else (),
        attachments=files_of(row),
    )


def filled(account: Account, content: MailContent) -> MailContent:
    """Return a content with the values of its first recipient filled in.

    Raises:
        TooLongError: a text would be too long.
    """
    address = next(row.party.email for row in content.recipients if row.kind == TO)
    contact = find_contact(account, EMAIL_ID, address)
    roots = {
        "params": content.params,
        "contact": {"EMAIL": address} if contact is None else contact.values,
        "mirror": mirror_link(content.message_id, address),
    }
    subject, text, html = (text and filled_in(text, roots) for text in (content.subject, content.text, content.html))
    return content._replace(subject=subject or "", text=text, html=html)


def all_filled(account: Account, contents: Iterable[MailContent]) -> list[MailContent]:
    """Return contents as `filled` does, or refuse too many bytes with 413."""
    found, size = [], 0
    for unfilled in contents:
        try:
            content = filled(account, unfilled)
        except TooLongError as error:
            raise _too_large(str(error)) from None
        size += content.size
        if size > LARGEST:
            raise _too_large(f"the e-mails would take more than {LARGEST:,} bytes")
        found.append(content)
    return found


def _too_large(reason: str) -> ServiceError:
    refused = errors.BAD_REQUEST("The request body is larger than what can be processed", status=413)
    return refused.because(f"{reason}; nothing was sent")


# ---------------------------------------------------------------------- test e-mails


def send_tests(caller: Caller, content: MailContent, addresses: Sequence[str]) -> None:
    """Send a content to addresses as test e-mails, each with the values of its contact.

    Tests cost no credits and raise no events (contract/templates#tests).

    Args:
        caller: the account that sends.
        content: the result of `content_of`, perhaps with params.
        addresses: the recipients; none: the account's own address.

    Raises:
        ServiceError: 400 if an address, the sender or the day's limit does not allow the tests, 413: too large.
    """
    workspace, account = caller.workspace, caller.account
    now, random = workspace.state.clock.now(), workspace.state.random.copy()
    wanted = list({comparable(address): address for address in addresses or (account.email,)}.values())
    _check_addresses(account, content.sender.email, wanted, now)
    check_verified(account, content.sender.email)
    count = _checked_count(account, now, len(wanted))
    contents = (
        content._replace(recipients=(Recipient(TO, Party(address)),), message_id=events.message_id(random, now))
        for address in wanted
    )
    mails = all_filled(account, contents)
    workspace.state.random.follow(random)
    tests = account.record(SentTests)
    tests.day, tests.count = now.date(), count
    for mail in mails:
        deliver(workspace, account, mail, request=workspace.cause_request)


def _check_addresses(account: Account, sender: str, addresses: Sequence[str], now: datetime) -> None:
    """Refuse addresses that are no contacts, in no list, or blacklisted; the account's own address needs no contact."""
    bad: dict[str, list[str]] = {}
    for address in addresses:
        contact = find_contact(account, EMAIL_ID, address)
        if (contact is not None and contact.email_blacklisted) or is_blocked(account, address, sender, now):
            bad.setdefault("blackListedEmails", []).append(address)
        elif contact is None and comparable(address) != comparable(account.email):
            bad.setdefault("unexistingEmails", []).append(address)
        elif contact is not None and not contact.lists:
            bad.setdefault("withoutListEmails", []).append(address)
    if bad:
        refused = errors.INVALID_PARAMETER("The email could not be sent to all recipients")
        refused.members = bad
        raise refused.because("; ".join(f"{_WHY[member]}: {reasons.listed(some)}" for member, some in bad.items()))


def sent_tests(account: Account, now: datetime) -> int:
    """Return the number of the day's tests."""
    sent = account.record_of(SentTests)
    return sent.count if sent is not None and sent.day == now.date() else 0


def _checked_count(account: Account, now: datetime, added: int) -> int:
    """Return the number of the day's tests with further ones, or refuse too many."""
    before = sent_tests(account, now)
    if before + added > MOST_TESTS:
        message = f"You can not send more than {MOST_TESTS} test emails per day"
        raise errors.OUT_OF_RANGE(message).because(f"{message}: {before} were sent today, got {added} more")
    return before + added
