"""What the sections of a scenario share: fields, ids that may be taken once, and the errors of a section."""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import UTC, datetime, timedelta
from functools import cache
from typing import Any, ClassVar, TypeVar

from marshmallow import ValidationError, fields, validate

from mockserver.core.state.state import LAST_ID
from mockserver.core.time import duration
from mockserver.core.time.clock import LATEST, Clock, shown
from mockserver.core.time.duration import parse_instant as parse_instant
from mockserver.core.time.duration import write_instant as write_instant
from mockserver.core.workspaces.workspace import Workspace
from mockserver.web.schemas.fields import Number
from mockserver.web.schemas.schema import Closed

Value = TypeVar("Value")

#: How many seconds are counted from a start at most, some 317 years; chosen: no test needs more, and counted from the
#: clock's last moment they do not overflow a `datetime`.
_LONGEST_S = 10**10
#: The ids that a row of a scenario may have.
ID_RANGE = validate.Range(min=1, max=LAST_ID)

#: The moment from which relative instants are counted while a scenario is loaded.
_START: ContextVar[Callable[[], datetime]] = ContextVar("start of the scenario's clock")
#: What is worked out once while a scenario is loaded, by workspace and name.
_LOAD_CACHE: ContextVar[dict[Any, Any]] = ContextVar("worked out while a scenario is loaded")


@contextmanager
def counting_from(start: Callable[[], datetime]) -> Iterator[None]:
    """Count relative instants from the moment that `start` gives while the block runs; it is asked at most once.

    What `once_per_load` makes lasts as long.
    """
    start_token, cache_token = _START.set(cache(start)), _LOAD_CACHE.set({})
    try:
        yield
    finally:
        _START.reset(start_token)
        _LOAD_CACHE.reset(cache_token)


def once_per_load(workspace: Workspace, name: Hashable, make: Callable[[], Value]) -> Value:
    """The value of `make`, which is called once for each workspace and name while a scenario is loaded.

    At any other time it is called each time.
    """
    found = _LOAD_CACHE.get({}).setdefault(workspace, {})
    if name not in found:
        found[name] = make()
    value: Value = found[name]
    return value


def claim(workspace: Workspace, row: type, key: Hashable, *, is_next: bool = False) -> bool:
    """Take the key of a new row of a type, or return False if a row of any account of the workspace has it already.

    While a scenario is loaded, the keys of all accounts are collected once and not for every row. With `is_next`, the
    key is a number beyond the last one that was given out, which no row can have: then they are not collected at all.
    """
    claimed: set[Hashable] = once_per_load(workspace, row, set)
    if key in claimed:
        return False
    if not is_next and key in once_per_load(workspace, (row, "before"), lambda: _keys(workspace, row)):
        return False
    claimed.add(key)
    return True


def _keys(workspace: Workspace, row: type) -> set[Hashable]:
    tables: Iterator[tuple[int, Mapping[Hashable, Any]]] = workspace.state.tables(row)
    return {key for _, rows in tables for key in rows}


def counted_from(seconds: float) -> datetime:
    """The moment so many seconds after the start of the scenario's clock, and the clock's last moment at most."""
    return min(_START.get()() + timedelta(seconds=min(seconds, _LONGEST_S)), LATEST)


class Item(Closed):
    """A mapping of a scenario; an unknown key is a mistake."""

    #: What holds between its members, as keywords of JSON Schema, where its checks are such that a schema can say them.
    constraints: ClassVar[dict[str, Any]] = {}


def about(text: str, **keywords: Any) -> dict[str, Any]:
    """Options of a field: what it means, as a phrase, for the JSON Schema and the reference.

    `keywords` of JSON Schema come beside those that follow from the field.
    """
    return {"metadata": {"description": text, **keywords}}


class Duration(fields.Field[timedelta]):
    """A duration that is not negative, such as `15m` or `PT15M`."""

    default_error_messages = {"negative": f"must not be negative, {duration.EXAMPLES}"}  # noqa: RUF012  # as its base

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> timedelta:
        try:
            length = duration.parse(value if isinstance(value, str) else "")
        except ValueError as error:
            raise ValidationError(str(error)) from error
        if length < timedelta():
            raise self.make_error("negative")
        return length

    def _serialize(self, value: Any, attr: str | None, obj: Any, **kwargs: Any) -> Any:
        return None if value is None else duration.write(value)


class Span(Number):
    """A number of a unit of time, as in `ms: 300`; a duration such as `2s` is loaded as its number."""

    def __init__(self, unit: timedelta, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self._unit = unit

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> float:
        if isinstance(value, str):
            try:
                number = duration.parse(value) / self._unit
            except ValueError as error:
                raise ValidationError(f"neither a number nor a duration {duration.EXAMPLES}") from error
            value = int(number) if number.is_integer() else number
        return super()._deserialize(value, attr, data, **kwargs)


class Instant(fields.Field[datetime]):
    """A moment, `2026-01-15T09:00:00Z`, or its distance from the start of the scenario's clock: `15m`, `-P1D`."""

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> datetime:
        if isinstance(value, datetime):
            # YAML makes a datetime of an unquoted RFC 3339 date-time; YAML 1.1 takes one without a zone for UTC.
            value = (value if value.tzinfo else value.replace(tzinfo=UTC)).isoformat()
        if not isinstance(value, str):
            raise ValidationError("not an instant, such as 2026-01-15T09:00:00Z or -1d")
        try:
            if duration.is_duration(value):
                return shown(Clock.reached(duration.parse(value), _START.get()()))
            return parse_instant(value)
        except ValueError as error:
            raise ValidationError(str(error)) from error

    def _serialize(self, value: Any, attr: str | None, obj: Any, **kwargs: Any) -> Any:
        return None if value is None else write_instant(value)


class Id24(fields.String):
    """An id of 24 hexadecimal digits, as a string: as a number, YAML drops leading zeroes and JSON loses precision."""

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> str:
        if isinstance(value, int):
            raise ValidationError(f'an id of 24 digits is a string: write "{value}" in quotes')
        text = super()._deserialize(value, attr, data, **kwargs)
        if text is None or not re.fullmatch(r"[0-9a-f]{24}", text, re.ASCII):
            raise ValidationError("must be 24 hexadecimal digits in quotes")
        return text


class SectionError(ValueError):
    """An error that a section finds in a document that is valid by its schema, such as a contradiction.

    Args:
        path: The path of the item within its account.
        message: What is wrong, with the given value and what would be right.
        account: The id of the account; only needed when a section finishes all accounts together.
        wanted: The values that the document lacks. If one of them is in a part with errors, this error may be a
            consequence of those, and is not reported.
    """

    def __init__(
        self, path: tuple[str | int, ...], message: str, *, account: int = 0, wanted: tuple[Hashable, ...] = ()
    ) -> None:
        super().__init__(message)
        self.path, self.message, self.account, self.wanted = path, message, account, wanted


class TakenError(SectionError):
    """A section error because a name or a number is a duplicate."""
