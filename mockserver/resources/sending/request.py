"""A request that sends e-mails, as far as its body was read."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from itertools import chain
from typing import Any

from mockserver.core.contract.errors import INVALID_PARAMETER, MISSING_PARAMETER, ServiceError
from mockserver.core.traffic.mail import BCC, CC, TO, Attachment, Party
from mockserver.resources.campaigns.model import Campaign


def missing(member: str, place: str = "") -> ServiceError:
    """Return the error `email is missing in to`, or `subject is missing`."""
    message = f"{member} is missing{f' in {place}' if place else ''}"
    return MISSING_PARAMETER(message).because(
        f"missing field `{member}`{f' in `{place}`' if place else ''} in the body"
    )


def wrong(member: str, place: str = "", why: str = "") -> ServiceError:
    """Return the error `email is not valid in to`, or `subject is not valid`; the journal says why."""
    message = f"{member} is not valid{f' in {place}' if place else ''}"
    return INVALID_PARAMETER(message).because(f"{message}: {why}")


#: An object of JSON, without its members that are null.
Given = Mapping[str, Any]

_NOBODY = Party("")


def compact(given: Mapping[str, Any]) -> Given:
    """Return an object without the members that are null: null counts as absent."""
    return {name: value for name, value in given.items() if value is not None}


def party(given: Given) -> Party:
    """Return an address and a name as a body gives them."""
    return Party(given["email"], given.get("name") or "")


@dataclass(slots=True)
class SendRequest:
    """A body of `sendTransacEmail`, and what its checks have found for it."""

    body: Given
    #: The e-mails: the versions, whose members come before those that all share, or the body itself.
    messages: Sequence[Given]
    is_batch: bool
    #: Whom the e-mails come from.
    sender: Party = _NOBODY
    template: Campaign | None = None
    files: tuple[Attachment, ...] = ()
    scheduled_at: datetime | None = None
    #: Why the sender is not valid; None: it is.
    rejected: str | None = None
    #: The custom headers by their names in lower case.
    by_header: Mapping[str, str] = field(default_factory=dict)

    @property
    def places(self) -> Iterator[Given]:
        """All objects in which a member may stand that is not that of the recipients."""
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
        """Whether nothing is to be sent, by the header of the sandbox in the body."""
        return self.by_header.get("x-sib-sandbox") == "drop"

    def parties(self) -> Iterator[tuple[str, Iterator[Any]]]:
        """All whom the e-mails name, by the member that names them."""
        sender = [self.body["sender"]] if "sender" in self.body and self.sender_id is None else []
        yield "sender", iter(sender)
        for kind in (TO, CC, BCC):
            yield kind, self.recipients(kind)
        yield "replyTo", (place["replyTo"] for place in self.places if "replyTo" in place)

    def recipients(self, kind: str) -> Iterator[Any]:
        """The recipients of a kind, wherever they stand."""
        places = self.messages if kind == TO else self.places
        return chain.from_iterable(place[kind] for place in places if kind in place)

    def of(self, message: Given, kind: str) -> Sequence[Given]:
        """The recipients of one e-mail of a kind: its own, or those that all share."""
        found: Sequence[Given] = message.get(kind, () if kind == TO else self.body.get(kind, ()))
        return found

    def count(self, message: Given) -> int:
        """How many recipients an e-mail has."""
        return sum(len(self.of(message, kind)) for kind in (TO, CC, BCC))
