"""Subscriptions, choices of exports, and stories, made from the rows of the event table."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import timedelta
from types import MappingProxyType
from typing import NamedTuple

from mockserver.resources.webhooks.event import Category, Event, RaisedEvent, When
from mockserver.resources.webhooks.event_table import RAISED, RECEIVED

_ROWS: tuple[Event, ...] = (*RAISED, *RECEIVED)
_CATEGORIES = tuple(dict.fromkeys(category for row in _ROWS for category in row.categories))

#: The events of each category, by all their names.
BY_NAME: Mapping[Category, Mapping[str, Event]] = {
    category: {name: row for row in _ROWS if category in row.categories for name in row.names}
    for category in _CATEGORIES
}
_RAISED_BY_NAME: Mapping[Category, Mapping[str, RaisedEvent]] = {
    category: {name: row for row in RAISED if category in row.categories for name in row.names}
    for category in _CATEGORIES
}


def _subscribable(when: When) -> dict[Category, tuple[str, ...]]:
    return {
        category: tuple(name for name, row in rows.items() if when & row.when) for category, rows in BY_NAME.items()
    }


#: The names that a webhook of each category may subscribe to when it is created, and when it is changed.
CREATE_EVENTS, UPDATE_EVENTS = _subscribable(When.CREATION), _subscribable(When.CHANGE)
#: The names that a webhook of each category may have after creation and changes.
HELD_EVENTS = {category: frozenset(names) for category, names in _subscribable(When.ALWAYS).items()}
#: The names that webhooks of any type and channel may subscribe to (contract/events#subscriptions).
EVENTS = tuple(dict.fromkeys(name for row in _ROWS if row.when for name in row.names))
#: The event of an inbound webhook without `events`.
INBOUND_DEFAULT = RECEIVED[0].name
#: The names in payloads that `behaviour.webhook_names` may replace, as sources contradict each other. The last one is
#: an older name of `spam`: scenarios may have it, and it replaces nothing.
CONTESTED = (*dict.fromkeys(row.sent_as.name for row in RAISED if row.sent_as.others), "complaint")


def subscribed(category: Category, names: Iterable[str]) -> list[str]:
    """Return a subscription's events in API form: unique, by last name."""
    return list(dict.fromkeys(BY_NAME[category][name].name for name in names))


def raised(category: Category, name: str) -> RaisedEvent:
    """Return a raised event's row by any name, or raise KeyError."""
    return _RAISED_BY_NAME[category][name]


def raisable(category: Category) -> list[str]:
    return sorted(BY_NAME[category])


def is_reply(name: str) -> bool:
    """Return whether a received mail's event requires a reply."""
    return next(row.is_reply for row in RECEIVED if name in row.names)


ALL_EVENTS = "allEvents"
#: The position of `allEvents` in the official enum of an export's events. The first two values of the enum are error
#: codes, by a slip; they are refused, which is proposed (contract/webhooks#exportWebhooksHistory).
_POSITION_OF_ALL = 17
_EXPORTED = tuple(row.exported for row in _ROWS if row.exported)
_POSITIONS = {exported.name: exported.position for exported in _EXPORTED} | {ALL_EVENTS: _POSITION_OF_ALL}
#: The values of an export's `event`, in the order of the official enum.
EXPORT_EVENTS = tuple(sorted(_POSITIONS, key=_POSITIONS.__getitem__))
#: The names of the events for each value of an export's `event` except `allEvents`.
EXPORTED: Mapping[str, frozenset[str]] = {
    choice: frozenset(name for row in _ROWS if row.exported and row.exported.name == choice for name in row.names)
    for choice in EXPORT_EVENTS
    if choice != ALL_EVENTS
}


#: The names of events in reports of e-mails; `BOUNCES` chooses two of them (contract/sending#getEmailEventReport).
REPORTED = tuple(row.reported for row in RAISED if row.reported)
BOUNCES = "bounces"
BOUNCED = ("hardBounces", "softBounces")


class Scene(NamedTuple):
    """A story's event with its delay."""

    after: timedelta
    event: str


def _scenes(story: str) -> tuple[Scene, ...]:
    """Return a story's events by time, then by table order."""
    found = [Scene(timedelta(seconds=row.scenes[story]), row.name) for row in RAISED if story in row.scenes]
    return tuple(sorted(found, key=lambda scene: scene.after))


#: The possible histories of a transactional e-mail, by the story's name.
STORIES: Mapping[str, Sequence[Scene]] = MappingProxyType(
    {story: _scenes(story) for story in dict.fromkeys(story for row in RAISED for story in row.scenes)}
)
