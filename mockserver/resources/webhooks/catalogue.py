"""What follows from the rows of the event table: who may subscribe to what, what exports find, and the stories."""

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

#: The events of a type and a channel, by all their names.
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


#: What a webhook may subscribe to when it is made, and when it is changed.
CREATE_EVENTS, UPDATE_EVENTS = _subscribable(When.CREATION), _subscribable(When.CHANGE)
#: What a webhook can have come to.
HELD_EVENTS = {category: frozenset(names) for category, names in _subscribable(When.ALWAYS).items()}
#: The names that webhooks of any type and channel may subscribe to (contract/events#subscriptions).
EVENTS = tuple(dict.fromkeys(name for row in _ROWS if row.when for name in row.names))
#: What an inbound webhook subscribes to that names nothing.
INBOUND_DEFAULT = RECEIVED[0].name
#: Payloads' names of events that a scenario may choose; the last one is the older name of `spam`, and of nothing now.
CONTESTED = (*dict.fromkeys(row.told_as.name for row in RAISED if row.told_as.is_contested), "complaint")


def subscribed(category: Category, names: Iterable[str]) -> list[str]:
    """Events as a webhook that subscribes to them reads them back: each once, by the one name that it has then."""
    return list(dict.fromkeys(BY_NAME[category][name].name for name in names))


def raised(category: Category, name: str) -> RaisedEvent:
    """The row of an event that happens to an e-mail, a message or a contact, by any of its names."""
    return _RAISED_BY_NAME[category][name]


def raisable(category: Category) -> list[str]:
    """The names of the events of which webhooks of a type and a channel can be told."""
    return sorted(BY_NAME[category])


def is_reply(name: str) -> bool:
    """Whether an event of received mails happens with replies only."""
    return next(row.is_reply for row in RECEIVED if name in row.names)


# ---------------------------------------------------------------------- exports

ALL_EVENTS = "allEvents"
#: The place of `allEvents` in the official enum, of which the first two are codes of errors by a slip
#: (contract/webhooks#exportWebhooksHistory): those are refused, which is proposed.
_PLACE_OF_ALL = 17
_PLACES = {row.exported.name: row.exported.place for row in _ROWS if row.exported} | {ALL_EVENTS: _PLACE_OF_ALL}
#: The `event` of an export.
EXPORT_EVENTS = tuple(sorted(_PLACES, key=_PLACES.__getitem__))
#: The names of the events that such a choice finds; `allEvents` is none of them, and finds all.
EXPORTED: Mapping[str, frozenset[str]] = {
    choice: frozenset(name for row in _ROWS if row.exported and row.exported.name == choice for name in row.names)
    for choice in EXPORT_EVENTS
    if choice != ALL_EVENTS
}

# ---------------------------------------------------------------------- stories


class Scene(NamedTuple):
    """One event of a story, so long after its beginning."""

    after: timedelta
    event: str


def _scenes(story: str) -> tuple[Scene, ...]:
    """What happens in a story, in order; of what happens at once, the row that stands first in the table."""
    found = [Scene(timedelta(seconds=row.scenes[story]), row.name) for row in RAISED if story in row.scenes]
    return tuple(sorted(found, key=lambda scene: scene.after))


#: What happens to a transactional e-mail, with gaps as they are seen in practice.
STORIES: Mapping[str, Sequence[Scene]] = MappingProxyType(
    {story: _scenes(story) for story in dict.fromkeys(story for row in RAISED for story in row.scenes)}
)
