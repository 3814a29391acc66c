"""The checks of a body of `sendTransacEmail`, in the service's words and order (contract/sending#sendTransacEmail)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import timedelta
from itertools import islice
from typing import Any

from mockserver.core.contract.errors import INVALID_PARAMETER, MISSING_PARAMETER, ServiceError
from mockserver.core.text import addresses
from mockserver.core.text.addresses import comparable, domain_of, is_email
from mockserver.core.time.duration import parse_instant
from mockserver.core.traffic.mail import BCC, CC, KINDS, TO, Party
from mockserver.core.workspaces.caller import Caller
from mockserver.resources.campaigns.model import EMAIL_TEMPLATE, Campaign
from mockserver.resources.domains.domain import AUTHENTICATED, Domain
from mockserver.resources.scheduled_emails.model import is_batch_id
from mockserver.resources.senders.sender import Sender
from mockserver.resources.sending import idempotency
from mockserver.resources.sending.attachments import read_files
from mockserver.resources.sending.params import check_params
from mockserver.resources.sending.request import SendRequest, compact, missing, party, wrong
from mockserver.resources.webhooks.events import default_sender

#: The most recipients of one e-mail, and of all e-mails of a request.
MOST_OF_ONE, MOST_RECIPIENTS = 99, 2_000
#: The longest name of a recipient or a sender, in characters.
LONGEST_NAME = 70
#: How far ahead an e-mail may be scheduled.
FARTHEST = timedelta(hours=72)
#: The most headers and tags, and the most characters of the name of a header and of a tag; proposed, far above what
#: honest clients send.
_MOST_PARTS, _LONGEST_PART, _LONGEST_VALUE = 1_000, 1_000, 8_192
_TEXTS = ("subject", "htmlContent", "textContent")
_CONSENT = "contactPixelTrackingConsent"


def read(caller: Caller, data: Mapping[str, Any]) -> SendRequest:
    """Read a body; changes nothing.

    Raises:
        ServiceError: 400; what is wrong first in the order of the contract.
    """
    found = _begin(compact(data))
    for check in _CHECKS:
        check(found, caller)
    return found


def _begin(body: Mapping[str, Any]) -> SendRequest:
    versions = body.get("messageVersions")
    if versions is None:
        return SendRequest(body, [body], is_batch=False)
    if not isinstance(versions, list) or not versions or not all(isinstance(version, dict) for version in versions):
        raise wrong("messageVersions", why="expected a list of one object or more")
    return SendRequest(body, [compact(version) for version in versions], is_batch=True)


# ---------------------------------------------------------------------- what has to be there


def _check_required(found: SendRequest, _: Caller) -> None:
    body = found.body
    if not body.get("sender") and found.template_id is None:
        raise missing("sender")
    if not found.is_batch and not body.get(TO):
        raise missing(TO)
    if not all(isinstance(message.get(TO), list) and message[TO] for message in found.messages):
        raise wrong(TO, "messageVersions" if found.is_batch else "", "expected a list of one recipient or more")
    for kind in (CC, BCC):
        if not all(isinstance(place.get(kind, []), list) for place in found.places):
            raise wrong(kind, why="expected a list")


def _check_content(found: SendRequest, _: Caller) -> None:
    body, messages = found.body, found.messages
    if found.template_id is None:
        if not body.get("subject") and not all(message.get("subject") for message in messages):
            raise missing("subject")
        if not body.get("htmlContent") and not body.get("textContent"):
            _refuse_content(found)
    for name in _TEXTS:
        if not all(isinstance(place.get(name, ""), str) for place in found.places):
            raise wrong(name, why="expected a string")


def _refuse_content(found: SendRequest) -> None:
    """Refuse e-mails without a content that all share."""
    own = [message for message in found.messages if message.get("htmlContent") or message.get("textContent")]
    if not found.is_batch or len(own) < len(found.messages):
        message = "Either of htmlContent or textContent is required"
        raise MISSING_PARAMETER(message).because(f"{message}: there is neither, nor a templateId")
    name = "htmlContent" if own[0].get("htmlContent") else "textContent"
    raise wrong(name, "messageVersions", "a version has a content of its own only beside one that all versions share")


# ---------------------------------------------------------------------- whom the e-mails name


def _has_bad_email(party: Mapping[str, Any]) -> bool:
    email = party["email"]
    return not isinstance(email, str) or not is_email(email)


def _has_bad_name(party: Mapping[str, Any]) -> bool:
    name = party.get("name")
    return name is not None and not (isinstance(name, str) and len(name) <= LONGEST_NAME)


#: Each rule for a party, and the error of one that breaks it, given the member that names the party.
_OF_PARTIES: tuple[tuple[Callable[[Any], bool], Callable[[str], ServiceError]], ...] = (
    (lambda party: not isinstance(party, dict), lambda member: wrong(member, why="expected an object")),
    (lambda party: party.get("email") is None, lambda member: missing("email", member)),
    (_has_bad_email, lambda member: wrong("email", member, "not an e-mail address")),
    (_has_bad_name, lambda member: wrong("name", member, f"expected at most {LONGEST_NAME} characters")),
)


def _check_parties(found: SendRequest, _: Caller) -> None:
    # More recipients than there may be are refused further down, so that they need not be looked at.
    parties = [(member, list(islice(some, MOST_RECIPIENTS + 1))) for member, some in found.parties()]
    for is_broken, refusal in _OF_PARTIES:
        for member, some in parties:
            if any(map(is_broken, some)):
                raise refusal(member)
    for member, some in parties:
        if member in KINDS and any(not isinstance(party.get(_CONSENT, None), bool | None) for party in some):
            raise wrong(_CONSENT, member, "expected true or false")


def _check_sender(found: SendRequest, caller: Caller) -> None:
    """Find the sender: by its id, by its address, or with a template the account's first verified one."""
    if found.sender_id is not None:
        sender = caller.account.rows_of(Sender).get(_whole(found.sender_id))
        if sender is None:
            raise wrong("id", "sender", f"account {caller.account.name} has no such sender")
        found.sender = Party(sender.email, sender.name)
    elif "sender" in found.body:
        found.sender = party(found.body["sender"])
    else:
        found.sender = Party(default_sender(caller.account))


def _check_template(found: SendRequest, caller: Caller) -> None:
    if found.template_id is None:
        return
    template = caller.account.rows_of(Campaign).get(_whole(found.template_id))
    if template is None or template.kind != EMAIL_TEMPLATE:
        reason = f"account {caller.account.name} has no such template (campaigns of kind {EMAIL_TEMPLATE})"
        raise INVALID_PARAMETER("Invalid template id").because(f"invalid templateId: {reason}")
    found.template = template


def _whole(value: Any) -> int | None:
    """Return a whole number as an int, as one client library sends whole floats; None for any other value."""
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return int(value) if is_number and value == int(value) else None


# ---------------------------------------------------------------------- the rest


def _check_params(found: SendRequest, _: Caller) -> None:
    check_params(found.places)


def _check_files(found: SendRequest, caller: Caller) -> None:
    found.files = read_files(found.body.get("attachment"), caller)


def _check_headers(found: SendRequest, _: Caller) -> None:
    headers = found.headers
    if not isinstance(headers, dict) or len(headers) > _MOST_PARTS:
        raise wrong("headers", why=f"expected an object of at most {_MOST_PARTS:,} members")
    for name, value in headers.items():
        if not addresses.is_header_name(name) or len(name) > _LONGEST_PART:
            raise wrong("headers", why="a name is not that of a header")
        if not isinstance(value, str) or len(value) > _LONGEST_VALUE:
            raise wrong("headers", why=f"a value is not a string of at most {_LONGEST_VALUE:,} characters")
    found.by_header = {name.lower(): value for name, value in headers.items()}
    if len(found.by_header.get(idempotency.HEADER.lower(), "")) > idempotency.LONGEST_KEY:
        raise wrong(idempotency.HEADER, "headers", f"expected at most {idempotency.LONGEST_KEY} characters")


def _check_tags(found: SendRequest, _: Caller) -> None:
    tags = found.tags
    is_list = isinstance(tags, list | tuple) and len(tags) <= _MOST_PARTS
    if not is_list or not all(isinstance(tag, str) and len(tag) <= _LONGEST_PART for tag in tags):
        raise wrong("tags", why=f"expected a list of at most {_MOST_PARTS:,} strings")


def _check_schedule(found: SendRequest, caller: Caller) -> None:
    given, clock = found.body.get("scheduledAt"), caller.workspace.state.clock
    if given is not None:
        try:
            found.scheduled_at = parse_instant(given if isinstance(given, str) else "")
        except ValueError as error:
            raise wrong("scheduledAt", why=str(error)) from None
        if found.scheduled_at > clock.now() + FARTHEST:
            message = "scheduledAt is more than 72 hours ahead"
            raise INVALID_PARAMETER(message).because(f"{message} of {clock.now().isoformat(timespec='seconds')}")
    batch_id = found.body.get("batchId")
    if batch_id is not None and not (isinstance(batch_id, str) and is_batch_id(batch_id)):
        raise wrong("batchId", why="expected a UUID of version 4")


def _check_counts(found: SendRequest, _: Caller) -> None:
    counts = [found.count(message) for message in found.messages]
    if max(counts) > MOST_OF_ONE:
        message = f"to, cc and bcc have {MOST_OF_ONE} recipients at most together"
        raise INVALID_PARAMETER(message).because(f"{message}: an e-mail has {max(counts):,}")
    if sum(counts) > MOST_RECIPIENTS:
        message = f"messageVersions have {MOST_RECIPIENTS} recipients at most together"
        raise INVALID_PARAMETER(message).because(f"{message}: got {sum(counts):,}")


def _check_validity(found: SendRequest, caller: Caller) -> None:
    """Find out whether the sender is valid, and refuse another one if the scenario wants that."""
    address = found.sender.email
    if _is_valid(caller, address):
        return
    found.rejected = (
        f"Sending has been rejected because the sender you used {address} is not valid. "
        "Validate your sender or authenticate your domain"
    )
    if caller.workspace.state.behaviour.send_invalid_sender == "refuse":
        raise INVALID_PARAMETER(found.rejected).because(found.rejected)


def _is_valid(caller: Caller, address: str) -> bool:
    """Return whether an address is a verified sender, or of an authenticated domain, of the account."""
    domain = caller.account.rows_of(Domain).get(domain_of(address))
    if domain is not None and domain.state == AUTHENTICATED:
        return True
    wanted = comparable(address)
    senders = caller.account.rows_of(Sender).values()
    return any(row.active and comparable(row.email) == wanted for row in senders)


#: In the order of the contract: what is wrong first is told.
_CHECKS: tuple[Callable[[SendRequest, Caller], None], ...] = (
    _check_required,
    _check_content,
    _check_parties,
    _check_sender,
    _check_template,
    _check_params,
    _check_files,
    _check_headers,
    _check_tags,
    _check_schedule,
    _check_counts,
    _check_validity,
)
