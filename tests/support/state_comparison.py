"""Whether two states are equal in everything that a client can see, order included."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from dataclasses import fields
from functools import singledispatch
from typing import Any

from mockserver.core.state.state import State
from mockserver.core.state.stubs import Stub
from mockserver.core.state.tables import Tables, Tally


def equal(one: State, other: State) -> bool:
    """Whether two states are equal; tables and records that were only looked at make no difference."""
    return difference(one, other) is None


def difference(one: object, other: object) -> str | None:
    """The first difference of two states, or of parts of them, with its path; None if they are equal."""
    return _difference(one, other, "state")


def _difference(one: Any, other: Any, path: str) -> str | None:
    if one is other:
        return None
    if type(one) is not type(other):
        return f"{path}: a {type(one).__name__} is no {type(other).__name__}"
    members, others = _members(one), _members(other)
    if members is None or others is None:
        return None if one == other else f"{path}: {one!r} is not {other!r}"
    if list(members) != list(others):
        return f"{path}: {list(members)} are not {list(others)}"
    found = (_difference(member, others[name], f"{path}.{name}") for name, member in members.items())
    return next((text for text in found if text is not None), None)


@singledispatch
def _members(value: Any) -> Mapping[Any, Any] | None:
    """The members of a value by their names, or None if its type defines equality.

    The members of an object are what pickle and copy make it from.
    """
    if type(value).__eq__ is not object.__eq__:  # type: ignore[comparison-overlap]  # the two have one type at runtime
        return None
    return dict(enumerate(value.__reduce_ex__(4)[1:]))


@_members.register
def _(value: dict) -> Mapping[Any, Any]:  # type: ignore[type-arg]  # singledispatch wants the bare type
    return value


@_members.register(list)
@_members.register(tuple)
@_members.register(deque)
def _(value: Any) -> Mapping[Any, Any]:
    return dict(enumerate(value))


@_members.register
def _(value: Tally) -> Mapping[Any, Any]:
    # Not `beside`: those collections are compared where the state holds them.
    return {"limit": value.limit, "rows": value.rows, "bytes": value.bytes, "stored": value.stored}


@_members.register
def _(value: Stub) -> Mapping[Any, Any]:
    return {row.name: getattr(value, row.name) for row in fields(value) if row.name != "source"}


@_members.register
def _(value: Tables) -> Mapping[Any, Any]:
    found = value.__getstate__()
    # A record with all its defaults equals none: reading it is enough to make it.
    found["_records"] = {
        kind: row for kind, row in found["_records"].items() if _difference(row, kind(), "record") is not None
    }
    return found


def without_ids_of_requests(state):
    """A state without the ids of the requests and calls that have caused something: each workspace draws its own."""
    causes = [cause for link in state["resume"].get("links", ()) for cause in link["caused_by"]]
    for cause in causes:
        if cause["kind"] in ("request", "control"):
            cause["id"] = None
    return state
