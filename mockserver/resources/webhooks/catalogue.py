"""What follows from the rows of the event table: subscriptions, the choices of exports, and stories."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import timedelta
from types import MappingProxyType
from typing import NamedTuple

from mockserver.resources.webhooks.event import Category, Event, RaisedEvent, When
from mockserver.resources.webhooks.event_table import RAISED, RECEIVED

_ROWS: tuple[Event, ...] = (*RAISED, *RECEIVED)
_CATEGORIES = tuple(dict.fromkeys(category for row in _ROWS for category in row.categories))

# ---------------------------------------------------------------------- subscriptions

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
#: The names that a webhook of each category may have, whether it got them when it was created or when it was changed.
HELD_EVENTS = {category: frozenset(names) for category, names in _subscribable(When.ALWAYS).items()}
#: The names that webhooks of any type and channel may subscribe to (contract/events#subscriptions).
EVENTS = tuple(dict.fromkeys(name for row in _ROWS if row.when for name in row.names))
#: The event to which an inbound webhook subscribes that names none.
INBOUND_DEFAULT = RECEIVED[0].name
#: The names in payloads that `behaviour.webhook_names` may replace, as sources contradict each other. The last one is
#: an older name of `spam`: scenarios may have it, and it replaces nothing.
CONTESTED = (*dict.fromkeys(row.told_as.name for row in RAISED if row.told_as.is_contested), "complaint")


def subscribed(category: Category, names: Iterable[str]) -> list[str]:
    """The events of a subscription as the API shows them: each once, by its last name."""
    return list(dict.fromkeys(BY_NAME[category][name].name for name in names))


def raised(category: Category, name: str) -> RaisedEvent:
    """The row of an event that happens to an e-mail, a text message or a contact, by any of its names.

    Raises:
        KeyError: the category has no such event.
    """
    return _RAISED_BY_NAME[category][name]


def raisable(category: Category) -> list[str]:
    """The names of the events of which webhooks of a category can be told, sorted."""
    return sorted(BY_NAME[category])


def is_reply(name: str) -> bool:
    """Whether an event of received mails happens with replies only; it goes by any of its names."""
    return next(row.is_reply for row in RECEIVED if name in row.names)


# ---------------------------------------------------------------------- exports

ALL_EVENTS = "allEvents"
#: The position of `allEvents` in the official enum of an export's events. The first two values of that are error codes,
#: by a slip; they are refused, which is proposed (contract/webhooks#exportWebhooksHistory).
_POSITION_OF_ALL = 17
_EXPORTED = tuple(row.exported for row in _ROWS if row.exported)
_POSITIONS = {exported.name: exported.position for exported in _EXPORTED} | {ALL_EVENTS: _POSITION_OF_ALL}
#: The values of an export's `event`, in the order of the official enum.
EXPORT_EVENTS = tuple(sorted(_POSITIONS, key=_POSITIONS.__getitem__))
#: The names of the events that each value of an export's `event` finds, but for `allEvents`, which finds all.
EXPORTED: Mapping[str, frozenset[str]] = {
    choice: frozenset(name for row in _ROWS if row.exported and row.exported.name == choice for name in row.names)
    for choice in EXPORT_EVENTS
    if choice != ALL_EVENTS
}

# ---------------------------------------------------------------------- stories


class Scene(NamedTuple):
    """One event of a story, and how long after the beginning of the story it happens."""

    after: timedelta
    event: str


def _scenes(story: str) -> tuple[Scene, ...]:
    """The events of a story in their order; those of one moment are in the order of the table."""
    found = [Scene(timedelta(seconds=row.scenes[story]), row.name) for row in RAISED if story in row.scenes]
    return tuple(sorted(found, key=lambda scene: scene.after))


#: What can happen to a transactional e-mail in the course of time, by the story's name.
STORIES: Mapping[str, Sequence[Scene]] = MappingProxyType(
    {story: _scenes(story) for story in dict.fromkeys(story for row in RAISED for story in row.scenes)}
)
