"""An event of which webhooks are told: what a row of the table says, and what happens when one does."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import Flag
from typing import Any, NamedTuple

from mockserver.core.workspaces.workspace import Workspace

TRANSACTIONAL, MARKETING, INBOUND = TYPES = ("transactional", "marketing", "inbound")
EMAIL, SMS = CHANNELS = ("email", "sms")


class Category(NamedTuple):
    """A type and a channel of webhooks, which together decide of which events they can be told."""

    type: str
    channel: str


TRANSACTIONAL_EMAIL, TRANSACTIONAL_SMS = Category(TRANSACTIONAL, EMAIL), Category(TRANSACTIONAL, SMS)
MARKETING_EMAIL, MARKETING_SMS = Category(MARKETING, EMAIL), Category(MARKETING, SMS)
INBOUND_EMAIL, INBOUND_SMS = Category(INBOUND, EMAIL), Category(INBOUND, SMS)


class When(Flag):
    """When a webhook may subscribe to an event by its own name."""

    NEVER = 0
    CREATION = 1
    CHANGE = 2
    ALWAYS = CREATION | CHANGE


class Exported(NamedTuple):
    """The name under which an export finds an event, and its place in the official enum of them
    (contract/webhooks#exportWebhooksHistory).
    """

    name: str
    place: int


class ToldAs(NamedTuple):
    """What payloads call an event; a scenario may choose another name where the sources contradict each other."""

    name: str
    is_contested: bool

    def by(self, workspace: Workspace) -> str:
        """The name that this workspace's service tells."""
        return workspace.state.behaviour.webhook_names.get(self.name, self.name) if self.is_contested else self.name


class Occurrence(NamedTuple):
    """Something that a webhook may be told: what, to whom, when, and the e-mail that it happened to."""

    category: Category
    event: str
    to: str
    at: datetime
    message_id: str
    subject: str = "Hello"
    tags: tuple[str, ...] = ()
    #: The address from which the e-mail was sent; empty: the account's first one that is verified.
    sender: str = ""


#: The members that payloads have in common: out of a workspace, what occurred, and what payloads call it.
Members = Callable[[Workspace, Occurrence, str], dict[str, Any]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """What every event says; nothing has a default, so that a part that was forgotten is no row."""

    categories: tuple[Category, ...]
    #: As webhooks subscribe to it; whichever they take, they read back the last one.
    names: tuple[str, ...]
    when: When
    #: What of an export's choices finds it; None: only the choice of all events does.
    exported: Exported | None

    @property
    def name(self) -> str:
        return self.names[-1]


@dataclass(frozen=True, slots=True, kw_only=True)
class RaisedEvent(Event):
    """What happens to an e-mail, a text message or a contact."""

    told_as: ToldAs
    #: Whose subscribers are told of it, by the names of their events; none: its own.
    told_to: tuple[str, ...]
    #: What its payload has in common with others, and what it has besides.
    members: Members
    adds: Callable[[Occurrence], Mapping[str, Any]]
    #: How many seconds after its beginning it happens in a story, by the story's name.
    scenes: Mapping[str, float]

    @property
    def subscriptions(self) -> frozenset[str]:
        """The names of events whose subscribers are told."""
        return frozenset(self.told_to or (self.name,))


@dataclass(frozen=True, slots=True, kw_only=True)
class MailEvent(Event):
    """What happens when a mail is received; its payload is the mail, and has no name of the event
    (contract/events#inbound).
    """

    #: Whether it happens with replies only.
    is_reply: bool
