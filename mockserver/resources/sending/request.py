"""The body of a sendTransacEmail call, and the e-mails made from it (contract/sending#params)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from itertools import chain
from typing import Any

from mockserver.core.contract.errors import INVALID_PARAMETER, MISSING_PARAMETER, ServiceError
from mockserver.core.state.state import Account
from mockserver.core.traffic.mail import KINDS, TO, Attachment, MailContent, Party, Recipient
from mockserver.resources.templates.model import all_filled, content_of
from mockserver.resources.templates.template import Template

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


def compose(account: Account, request: SendRequest, message_ids: Iterable[str]) -> list[MailContent]:
    """Return a request's e-mails with filled texts, or refuse too many bytes with 413."""
    contents = (_content(account, request, *pair) for pair in zip(request.messages, message_ids, strict=False))
    return all_filled(account, contents)


def _content(account: Account, request: SendRequest, message: Given, message_id: str) -> MailContent:
    template, given = request.template, {**request.body, **message}
    default = MailContent(_NOBODY, ()) if template is None else content_of(account, template)
    return MailContent(
        sender=request.sender,
        recipients=tuple(Recipient(kind, party(row)) for kind in KINDS for row in request.of(message, kind)),
        subject=message.get("subject") or request.body.get("subject") or default.subject,
        text=None if template else given.get("textContent"),
        html=default.html if template else given.get("htmlContent"),
        reply_to=party(given["replyTo"]) if "replyTo" in given else default.reply_to,
        headers=request.headers,
        tags=tuple(request.tags) or default.tags,
        message_id=message_id,
        attachments=request.files or default.attachments,
        template_id=None if template is None else template.id,
        params=given.get("params") or {},
    )
