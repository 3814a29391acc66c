"""The effects that a stub may have on the workspace, read and ready to be performed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from mockserver.core.traffic.mail import MailContent
from mockserver.core.traffic.ring import weight
from mockserver.resources.webhooks.event import Category


class TooLargeError(ValueError):
    """An effect would be larger than stubs may have them."""


@dataclass(frozen=True, slots=True)
class MailEffect:
    """`mail`: an e-mail into the mailbox, and out by SMTP where a server is set."""

    content: MailContent

    @property
    def size(self) -> int:
        """The most bytes that it takes in memory."""
        return self.content.size


@dataclass(frozen=True, slots=True)
class EventEffect:
    """`event`: webhooks are told of an event, as soon as it is due."""

    category: Category
    name: str
    after: timedelta
    #: To whom it happens; None: to the recipients of the e-mails before it.
    to: tuple[str, ...] | None
    #: What the event tells of the e-mail, as members of its content, if it is not what the e-mail has.
    members: Mapping[str, Any]
    #: What replaces members of the payload, or is added to it.
    payload: Mapping[str, Any]

    @property
    def size(self) -> int:
        """The most bytes that it takes in memory."""
        return weight(self.to) + weight(self.payload) + weight(list(self.members.values()))


@dataclass(frozen=True, slots=True)
class CreditsEffect:
    """`credits`: so many credits are used, by their kind."""

    amounts: Mapping[str, int]

    @property
    def size(self) -> int:
        """The most bytes that it takes in memory."""
        return weight(self.amounts)


@dataclass(frozen=True, slots=True)
class ScheduleEffect:
    """`schedule`: an e-mail that is sent later, and can be cancelled until then."""

    content: MailContent
    #: A moment, or how long after now.
    at: datetime | timedelta
    batch_id: str | None
    #: Why it is not sent when it falls due; None: it is.
    rejected: str | None

    @property
    def size(self) -> int:
        """The most bytes that it takes in memory."""
        return self.content.size


@dataclass(frozen=True, slots=True)
class AttributeEffect:
    """`attribute`: the account has one more attribute of contacts."""

    category: str
    name: str

    @property
    def size(self) -> int:
        """How many bytes it takes, about."""
        return len(self.name)


@dataclass(frozen=True, slots=True)
class WarnEffect:
    """`warn`: a warning in the journal, such as why no e-mail was sent."""

    text: str

    @property
    def size(self) -> int:
        """The most bytes that it takes in memory."""
        return weight(self.text)


Effect = MailEffect | EventEffect | CreditsEffect | ScheduleEffect | AttributeEffect | WarnEffect
