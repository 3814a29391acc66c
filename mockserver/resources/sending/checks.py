"""The checks of a sendTransacEmail body, in the service's words and order (contract/sending#sendTransacEmail)."""

from __future__ import annotations

import json
from base64 import b64decode
from binascii import Error as Base64Error
from collections.abc import Callable, Mapping
from datetime import timedelta
from itertools import islice
from typing import Any

from mockserver.core.contract.errors import INVALID_PARAMETER, MISSING_PARAMETER, ServiceError
from mockserver.core.text import addresses
from mockserver.core.text.addresses import is_email, is_url
from mockserver.core.time.duration import parse_instant
from mockserver.core.traffic.mail import BCC, CC, KINDS, TO, Attachment, Party
from mockserver.core.workspaces.caller import Caller
from mockserver.resources.scheduled_emails.model import is_batch_id
from mockserver.resources.senders.model import Sender, why_not_valid
from mockserver.resources.sending.request import Given, SendRequest, compact, missing, party, wrong
from mockserver.resources.templates.template import EMAIL_TEMPLATE, EXTENSIONS, Template
from mockserver.resources.webhooks.events import default_sender

#: The most recipients of one e-mail, and of all e-mails of a request.
MOST_OF_ONE, MOST_RECIPIENTS = 99, 2_000
#: The longest name of a recipient or a sender, in characters.
LONGEST_NAME = 70
#: How far ahead an e-mail may be scheduled.
FARTHEST = timedelta(hours=72)
#: The most bytes of one `params` as JSON, and of all in a request (contract/sending#params).
_MOST_PARAMS, _MOST_OF_ALL_PARAMS = 100 * 1024, 1_000 * 1024
#: The most levels of objects and lists in it. Chosen: as many as a scenario may have.
_MOST_LEVELS = 80
#: The header of the body with an idempotency key, in any case (contract/sending#idempotency), and the most characters
#: of a key. Proposed: far above a UUID.
KEY_HEADER, LONGEST_KEY = "idempotencyKey", 256
#: The extensions of files that may be sent (brevo-python 5.1.0, `send_transac_email`).
_EXTENSIONS = EXTENSIONS | {
    "odt", "mp3", "m4a", "m4v", "wma", "ogg", "flac", "wav", "aif", "aifc", "aiff", "mp4", "mov", "avi", "mkv", "mpeg",
    "mpg", "wmv", "pkpass", "xlsm",
}  # fmt: skip
#: The most headers, tags and files, the most characters of their names, and of a header's value; proposed: above use.
_MOST_PARTS, _LONGEST_PART, _LONGEST_VALUE = 1_000, 1_000, 8_192
_TEXTS = ("subject", "htmlContent", "textContent")
#: Members that may be empty, unless the scenario says otherwise.
_OPEN_TO_EMPTY = ("tags", "headers", "attachment")
#: What is empty; 0 and false are wrong where something else is expected.
_EMPTY: tuple[Any, ...] = ([], {}, "")
_CONSENT = "contactPixelTrackingConsent"


def read(caller: Caller, data: Mapping[str, Any]) -> SendRequest:
    """Read a body without side effects, refusing the first mistake in contract order with 400."""
    body = compact(data)
    if not body:
        raise MISSING_PARAMETER("No input in body").because("the body of sendTransacEmail has no field")
    versions = body.get("messageVersions")
    if versions is None:
        found = SendRequest(body, [body], is_batch=False)
    elif isinstance(versions, list) and versions and all(isinstance(version, dict) for version in versions):
        found = SendRequest(body, [compact(version) for version in versions], is_batch=True)
    else:
        raise wrong("messageVersions", why="expected a list of one object or more")
    for check in _CHECKS:
        check(found, caller)
    return found


# ---------------------------------------------------------------------- required members


def _check_required(found: SendRequest, _: Caller) -> None:
    body = found.body
    if not body.get("sender") and found.template_id is None:
        raise missing("sender")
    if not found.is_batch and not body.get(TO):
        raise missing(TO)
    if not all(isinstance(message.get(TO), list) and message[TO] for message in found.messages):
        raise wrong(TO, "messageVersions" if found.is_batch else "", "expected a list of one recipient or more")


def _check_blank(found: SendRequest, caller: Caller) -> None:
    """Refuse empty members, some by `behaviour.send_empty_members` only (contract/sending#empty)."""
    is_strict = caller.workspace.state.behaviour.send_empty_members == "refuse"
    for name in (CC, BCC, "params", *(_OPEN_TO_EMPTY if is_strict else ())):
        if any(place.get(name) in _EMPTY for place in found.places):
            raise MISSING_PARAMETER(f"{name} is blank").because(f"field `{name}` in the body is empty: leave it out")


def _check_copies(found: SendRequest, _: Caller) -> None:
    for kind in (CC, BCC):
        if not all(isinstance(place.get(kind, []), list) for place in found.places):
            raise wrong(kind, why="expected a list")


def _filled(found: SendRequest, name: str) -> Any:
    """Return a member of the body, or None for an empty member."""
    value = found.body.get(name)
    return None if value in _EMPTY else value


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
    own = [message for message in found.messages if message.get("htmlContent") or message.get("textContent")]
    if not found.is_batch or len(own) < len(found.messages):
        message = "Either of htmlContent or textContent is required"
        raise MISSING_PARAMETER(message).because(f"{message}: there is neither, nor a templateId")
    name = "htmlContent" if own[0].get("htmlContent") else "textContent"
    raise wrong(name, "messageVersions", "a version has a content of its own only beside one that all versions share")


# ---------------------------------------------------------------------- recipients and senders


def _has_bad_email(party: Mapping[str, Any]) -> bool:
    email = party["email"]
    return not isinstance(email, str) or not is_email(email)


def _has_bad_name(party: Mapping[str, Any]) -> bool:
    name = party.get("name")
    return name is not None and not (isinstance(name, str) and len(name) <= LONGEST_NAME)


#: The rules for a party, each with its error, given the member that names the party.
_OF_PARTIES: tuple[tuple[Callable[[Any], bool], Callable[[str], ServiceError]], ...] = (
    (lambda party: not isinstance(party, dict), lambda member: wrong(member, why="expected an object")),
    (lambda party: party.get("email") in (None, ""), lambda member: missing("email", member)),
    (_has_bad_email, lambda member: wrong("email", member, "not an e-mail address")),
    (_has_bad_name, lambda member: wrong("name", member, f"expected at most {LONGEST_NAME} characters")),
)


def _check_parties(found: SendRequest, _: Caller) -> None:
    # Too many recipients are refused further down; the excess is not checked here.
    parties = [(member, list(islice(some, MOST_RECIPIENTS + 1))) for member, some in found.parties()]
    for is_broken, refusal in _OF_PARTIES:
        for member, some in parties:
            if any(map(is_broken, some)):
                raise refusal(member)
    for member, some in parties:
        if member in KINDS and any(not isinstance(party.get(_CONSENT, None), bool | None) for party in some):
            raise wrong(_CONSENT, member, "expected true or false")


def _check_sender(found: SendRequest, caller: Caller) -> None:
    """Set the sender by id or address; without one, templates give it, else the account's first verified sender."""
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
    template = caller.account.rows_of(Template).get(_whole(found.template_id))
    if template is None:
        reason = f"account {caller.account.name} has no such template (campaigns of kind {EMAIL_TEMPLATE})"
        raise INVALID_PARAMETER("Invalid template id").because(f"invalid templateId: {reason}")
    if not template.is_active:
        reason = f"template {template.id} is inactive: set isActive to true first"
        raise INVALID_PARAMETER("Template is inactive").because(f"invalid templateId: {reason}")
    found.template = template
    if "sender" not in found.body and template.sender is not None:
        found.sender = template.sender


def _whole(value: Any) -> int | None:
    """Return an integer, accepting whole floats from a client library, or None."""
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return int(value) if is_number and value == int(value) else None


# ---------------------------------------------------------------------- other members


def _check_params(found: SendRequest, _: Caller) -> None:
    total = 0
    for place in found.places:
        params = place.get("params")
        if params is None:
            continue
        if not isinstance(params, dict):
            raise wrong("params", why="expected an object")
        size = len(json.dumps(params, ensure_ascii=False, separators=(",", ":")).encode(errors="surrogatepass"))
        if size > _MOST_PARAMS:
            raise wrong("params", why=f"{size:,} bytes as JSON, expected at most {_MOST_PARAMS:,}")
        if _levels(params) > _MOST_LEVELS:
            raise wrong("params", why=f"nested too deeply, expected at most {_MOST_LEVELS} levels")
        total += size
    if total > _MOST_OF_ALL_PARAMS:
        raise wrong("params", why=f"{total:,} bytes as JSON in all versions, expected at most {_MOST_OF_ALL_PARAMS:,}")


def _levels(value: Any) -> int:
    """Return the nesting depth of objects and lists; bodies have at most 100 levels."""
    if not isinstance(value, dict | list):
        return 0
    inner = value.values() if isinstance(value, dict) else value
    return 1 + max(map(_levels, inner), default=0)


def _check_files(found: SendRequest, caller: Caller) -> None:
    """Read the member `attachment`; content overrides an address."""
    given = _filled(found, "attachment")
    if given is None:
        return
    if not isinstance(given, list) or len(given) > _MOST_PARTS or not all(isinstance(row, dict) for row in given):
        raise wrong("attachment", why=f"expected a list of at most {_MOST_PARTS:,} objects")
    files = [compact(row) for row in given]
    if any("content" not in file and "url" not in file for file in files):
        raise missing("content", "attachment")
    if any("content" in file and not file.get("name") for file in files):
        raise missing("name", "attachment")
    contents = [_content(file) for file in files]
    for file in files:
        _check_file_name(file)
    found.files = tuple(map(_attachment, files, contents))
    for row in found.files:
        if row.content is None and not _may_be_sent(row.name):
            caller.warn(f"the service sends no attachment of the format of {row.name}, which is at an address")


def _content(file: Given) -> bytes | None:
    if "content" not in file:
        if not isinstance(file["url"], str) or not is_url(file["url"]):
            raise wrong("url", "attachment", "expected an http or https address")
        return None
    try:
        return b64decode(file["content"] if isinstance(file["content"], str) else "!", validate=True)
    except (Base64Error, ValueError):
        raise wrong("content", "attachment", "expected a string in Base64") from None


def _check_file_name(file: Given) -> None:
    name = file.get("name")
    if name is None:
        return
    if not isinstance(name, str) or len(name) > _LONGEST_PART:
        raise wrong("name", "attachment", f"expected a string of at most {_LONGEST_PART:,} characters")
    if not _may_be_sent(name):
        raise wrong(
            "name", "attachment", f"the service sends files with the extensions {', '.join(sorted(_EXTENSIONS))}"
        )


def _may_be_sent(name: str) -> bool:
    return name.rpartition(".")[2].lower() in _EXTENSIONS


def _attachment(file: Given, content: bytes | None) -> Attachment:
    url = None if content is not None else file["url"]
    name = file.get("name") or (url or "").partition("?")[0].rpartition("/")[2] or "attachment"
    return Attachment(name, content, None if content is None else len(content), url)


def _check_headers(found: SendRequest, _: Caller) -> None:
    headers = _filled(found, "headers")
    if headers is None:
        return
    if not isinstance(headers, dict) or len(headers) > _MOST_PARTS:
        raise wrong("headers", why=f"expected an object of at most {_MOST_PARTS:,} members")
    for name, value in headers.items():
        if not addresses.is_header_name(name) or len(name) > _LONGEST_PART:
            raise wrong("headers", why="a name is not that of a header")
        if not isinstance(value, str) or len(value) > _LONGEST_VALUE:
            raise wrong("headers", why=f"a value is not a string of at most {_LONGEST_VALUE:,} characters")
    found.by_header = {name.lower(): value for name, value in headers.items()}
    if len(found.by_header.get(KEY_HEADER.lower(), "")) > LONGEST_KEY:
        raise wrong(KEY_HEADER, "headers", f"expected at most {LONGEST_KEY} characters")


def _check_tags(found: SendRequest, _: Caller) -> None:
    tags = _filled(found, "tags")
    if tags is None:
        return
    is_list = isinstance(tags, list) and len(tags) <= _MOST_PARTS
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
    """Reject or refuse, by `behaviour.send_invalid_sender`, an invalid sender."""
    found.rejected = why_not_valid(caller.account, found.sender.email)
    if found.rejected is not None and caller.workspace.state.behaviour.send_invalid_sender == "refuse":
        raise INVALID_PARAMETER(found.rejected).because(found.rejected)


#: In the order of the contract: the first mistake is refused.
_CHECKS: tuple[Callable[[SendRequest, Caller], None], ...] = (
    _check_required,
    _check_blank,
    _check_copies,
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
