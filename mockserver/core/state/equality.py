"""Whether two states are equal: all that can be seen of them, in the order in which it can be seen."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from functools import singledispatch
from typing import Any

from mockserver.core.state.state import State
from mockserver.core.state.tables import Tables, Tally


def equal(one: State, other: State) -> bool:
    """Whether everything in two states is equal, whichever tables have been looked at without finding any rows."""
    return difference(one, other) is None


def difference(one: State, other: State) -> str | None:
    """The first thing in which two states differ, with its path; None: they are equal."""
    return _difference(one, other, "state")


def _difference(one: Any, other: Any, path: str) -> str | None:
    if one is other:
        return None
    if type(one) is not type(other):
        return f"{path}: a {type(one).__name__} is no {type(other).__name__}"
    parts, others = _parts(one), _parts(other)
    if parts is None or others is None:
        return None if one == other else f"{path}: {one!r} is not {other!r}"
    if list(parts) != list(others):
        return f"{path}: {list(parts)} are not {list(others)}"
    found = (_difference(part, others[name], f"{path}.{name}") for name, part in parts.items())
    return next((text for text in found if text is not None), None)


@singledispatch
def _parts(value: Any) -> Mapping[Any, Any] | None:
    """What a value consists of, by names; None: it knows by itself what it is equal to.

    One that does not is what it is made of when it is copied.
    """
    if type(value).__eq__ is not object.__eq__:  # type: ignore[comparison-overlap]  # the two have one type at runtime
        return None
    return dict(enumerate(value.__reduce_ex__(4)[1:]))


@_parts.register
def _(value: dict) -> Mapping[Any, Any]:  # type: ignore[type-arg]  # singledispatch wants the bare type
    return value


@_parts.register(list)
@_parts.register(tuple)
@_parts.register(deque)
def _(value: Any) -> Mapping[Any, Any]:
    return dict(enumerate(value))


@_parts.register
def _(value: Tally) -> Mapping[Any, Any]:
    # What it counts beside is a part of the state, where it is compared.
    return {"limit": value.limit, "rows": value.rows, "bytes": value.bytes}


@_parts.register
def _(value: Tables) -> Mapping[Any, Any]:
    found = value.__getstate__()
    # One that was made for somebody who looked is as good as none.
    found["_records"] = {
        kind: row for kind, row in found["_records"].items() if _difference(row, kind(), "record") is not None
    }
    return found
