"""The types of events: what a row of the event table says, and an occurrence of an event."""

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
    """The value of an export's `event` that finds an event, and its position in the official enum, counted from 1.

    See contract/webhooks#exportWebhooksHistory.
    """

    name: str
    position: int


class ToldAs(NamedTuple):
    """The name of an event in payloads, which a scenario may replace if the sources contradict each other."""

    name: str
    is_contested: bool

    def by(self, workspace: Workspace) -> str:
        """The name of the event in the payloads of a workspace."""
        return workspace.state.behaviour.webhook_names.get(self.name, self.name) if self.is_contested else self.name


class Occurrence(NamedTuple):
    """One event that has happened: which, to whom, when, and to which e-mail or message."""

    category: Category
    event: str
    to: str
    at: datetime
    message_id: str
    subject: str = "Hello"
    tags: tuple[str, ...] = ()
    #: The address from which the e-mail was sent; empty: that of the account's first verified sender.
    sender: str = ""


#: Makes the members that payloads of similar events have in common, of the workspace, an occurrence, and the name of
#: the event in payloads.
Members = Callable[[Workspace, Occurrence, str], dict[str, Any]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """A row of the event table. No member has a default, so that a row cannot lack one by mistake."""

    categories: tuple[Category, ...]
    #: The names under which webhooks subscribe to the event; the API shows the last one, whichever was sent.
    names: tuple[str, ...]
    when: When
    #: The choice of an export that finds the event; None: only `allEvents` does.
    exported: Exported | None

    @property
    def name(self) -> str:
        """The name that the API shows."""
        return self.names[-1]


@dataclass(frozen=True, slots=True, kw_only=True)
class RaisedEvent(Event):
    """A row for an event that happens to an e-mail, a text message or a contact."""

    told_as: ToldAs
    #: The names of the events whose subscribers are told of this one; empty: its own subscribers are.
    told_to: tuple[str, ...]
    #: The members that its payload has in common with those of similar events, and those that it adds.
    members: Members
    adds: Callable[[Occurrence], Mapping[str, Any]]
    #: How many seconds after the beginning of a story the event happens, by the story's name.
    scenes: Mapping[str, float]

    @property
    def subscriptions(self) -> frozenset[str]:
        """The names of the events whose subscribers are told of this one."""
        return frozenset(self.told_to or (self.name,))


@dataclass(frozen=True, slots=True, kw_only=True)
class MailEvent(Event):
    """A row for an event that happens when a mail is received.

    The payload describes the mail and has no name of the event (contract/events#inbound).
    """

    #: Whether the event happens with replies only.
    is_reply: bool
