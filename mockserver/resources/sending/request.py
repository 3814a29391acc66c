"""The body of a sendTransacEmail call, and the e-mails made from it (contract/sending#params)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from itertools import chain
from typing import Any

from mockserver.core.contract.errors import BAD_REQUEST, INVALID_PARAMETER, MISSING_PARAMETER, ServiceError
from mockserver.core.traffic.mail import KINDS, TO, Attachment, MailContent, Party, Recipient
from mockserver.resources.templates.model import Template

#: The most bytes of the e-mails of a request. Chosen: six e-mails with a file as large as a body can hold.
LARGEST = 64 * 1024 * 1024
#: The most characters of a text with its parameters. Chosen: as many as the body of a request has.
_LONGEST = 10 * 1024 * 1024
_OPEN, _CLOSE = "{{", "}}"
_NOBODY = Party("")
#: An object of JSON without its null members.
Given = Mapping[str, Any]


def missing(member: str, place: str = "") -> ServiceError:
    """Return the error `email is missing in to`, or `subject is missing`."""
    message = f"{member} is missing{f' in {place}' if place else ''}"
    return MISSING_PARAMETER(message).because(
        f"missing field `{member}`{f' in `{place}`' if place else ''} in the body"
    )


def wrong(member: str, place: str = "", why: str = "") -> ServiceError:
    """Return the error `email is not valid in to` or `subject is not valid`; the journal shows `why`."""
    message = f"{member} is not valid{f' in {place}' if place else ''}"
    return INVALID_PARAMETER(message).because(f"{message}: {why}")


def compact(given: Mapping[str, Any]) -> Given:
    """Return an object excluding null members, which count as absent."""
    return {name: value for name, value in given.items() if value is not None}


def party(given: Given) -> Party:
    return Party(given["email"], given.get("name") or "")


@dataclass(slots=True)
class SendRequest:
    """A `sendTransacEmail` body, with results of its checks."""

    body: Given
    #: The e-mails: the versions, whose members override the shared ones, or the body itself.
    messages: Sequence[Given]
    is_batch: bool
    sender: Party = _NOBODY
    template: Template | None = None
    files: tuple[Attachment, ...] = ()
    scheduled_at: datetime | None = None
    #: The reason why the sender is not valid, or None.
    rejected: str | None = None
    #: The custom headers by their names in lower case.
    by_header: Mapping[str, str] = field(default_factory=dict)

    @property
    def places(self) -> Iterator[Given]:
        """Objects with possibly shared members."""
        return chain(self.messages, [self.body]) if self.is_batch else iter(self.messages)

    @property
    def template_id(self) -> Any:
        return self.body.get("templateId")

    @property
    def sender_id(self) -> Any:
        sender = self.body.get("sender")
        return sender.get("id") if isinstance(sender, Mapping) else None

    @property
    def headers(self) -> Mapping[str, str]:
        return self.body.get("headers") or {}

    @property
    def tags(self) -> Sequence[str]:
        return self.body.get("tags") or ()

    @property
    def is_dry(self) -> bool:
        """Whether the body's sandbox header requests a dry run."""
        return self.by_header.get("x-sib-sandbox") == "drop"

    def parties(self) -> Iterator[tuple[str, Iterator[Any]]]:
        """Yield members naming parties, with the parties of all e-mails."""
        sender = [self.body["sender"]] if "sender" in self.body and self.sender_id is None else []
        yield "sender", iter(sender)
        for kind in KINDS:
            places = self.messages if kind == TO else self.places
            yield kind, chain.from_iterable(place[kind] for place in places if kind in place)
        yield "replyTo", (place["replyTo"] for place in self.places if "replyTo" in place)

    def of(self, message: Given, kind: str) -> Sequence[Given]:
        """Return an e-mail's own recipients of a kind, or the shared ones."""
        found: Sequence[Given] = message.get(kind, () if kind == TO else self.body.get(kind, ()))
        return found

    def count(self, message: Given) -> int:
        return sum(len(self.of(message, kind)) for kind in KINDS)


class TooLongError(ValueError):
    """An error because parameters make a text too long."""


def filled_in(text: str, params: Mapping[str, Any]) -> str:
    """Return a text with parameter values filled in; missing values leave nothing.

    Other texts in braces are left unchanged.

    Raises:
        TooLongError: the text would be too long.
    """
    if _OPEN not in text:
        return text  # and no copy of it: thousands of e-mails may share one
    found: list[str] = []
    length = 0
    for piece in _pieces(text, params):
        length += len(piece)
        if length > _LONGEST:
            raise TooLongError(f"with its params a text of the e-mail would be longer than {_LONGEST:,} characters")
        found.append(piece)
    return "".join(found)


def _pieces(text: str, params: Mapping[str, Any]) -> Iterator[str]:
    position = 0
    while (start := text.find(_OPEN, position)) >= 0:
        end = text.find(_CLOSE, start)
        if end < 0:
            break
        name = text[start + len(_OPEN) : end].strip()
        after = end + len(_CLOSE)
        root, dot, path = name.partition(".")
        yield text[position:start]
        yield _value(path, params) if (root, dot) == ("params", ".") else text[start:after]
        position = after
    yield text[position:]


def _value(path: str, params: Mapping[str, Any]) -> str:
    """Return the text at a dotted path, or an empty text."""
    found: Any = params
    for name in path.split("."):
        found = found.get(name) if isinstance(found, Mapping) else None
    if found is None or isinstance(found, Mapping | list):
        return ""
    return str(found).lower() if isinstance(found, bool) else str(found)


def compose(request: SendRequest) -> list[MailContent]:
    """Return a request's e-mails, lacking message ids, or refuse too many bytes with 413."""
    found, size = [], 0
    for message in request.messages:
        try:
            content = _content(request, message)
        except TooLongError as error:
            raise _too_large(str(error)) from None
        size += content.size
        if size > LARGEST:
            raise _too_large(f"the e-mails would take more than {LARGEST:,} bytes")
        found.append(content)
    return found


def _too_large(reason: str) -> ServiceError:
    refused = BAD_REQUEST("The request body is larger than what can be processed", status=413)
    return refused.because(f"{reason}; nothing was sent")


def _content(request: SendRequest, message: Given) -> MailContent:
    template, given = request.template, {**request.body, **message}
    params = given.get("params") or {}
    default_subject = (template.subject or template.name) if template else ""
    text = None if template else given.get("textContent")
    html = (template.html or "") if template else given.get("htmlContent")
    return MailContent(
        sender=request.sender,
        recipients=tuple(Recipient(kind, party(row)) for kind in KINDS for row in request.of(message, kind)),
        subject=filled_in(message.get("subject") or request.body.get("subject") or default_subject, params),
        text=None if text is None else filled_in(text, params),
        html=None if html is None else filled_in(html, params),
        reply_to=party(given["replyTo"]) if "replyTo" in given else None,
        headers=request.headers,
        tags=tuple(request.tags),
        attachments=request.files,
        template_id=None if template is None else template.id,
        params=params,
    )
