"""Sections of a scenario: their declaration, fields, unique ids and errors."""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import UTC, datetime, timedelta
from functools import cache
from types import MappingProxyType
from typing import Any, ClassVar, NamedTuple, TypeVar

from marshmallow import ValidationError, fields, validate

from mockserver.core.state.state import LAST_ID, Account
from mockserver.core.time import duration
from mockserver.core.time.clock import LATEST, Clock, shown
from mockserver.core.time.duration import parse_instant as parse_instant
from mockserver.core.time.duration import write_instant as write_instant
from mockserver.core.workspaces.workspace import Workspace
from mockserver.resources.people import People
from mockserver.web.schemas.fields import Number
from mockserver.web.schemas.schema import Closed

Value = TypeVar("Value")

#: Maximum distance from a start in seconds, some 317 years; chosen: enough for tests, without `datetime` overflow.
_LONGEST_S = 10**10
#: Valid ids of rows.
ID_RANGE = validate.Range(min=1, max=LAST_ID)

#: Start of relative instants while a scenario is loaded.
_START: ContextVar[Callable[[], datetime]] = ContextVar("start of the scenario's clock")
#: Values of `once_per_load` by workspace and name.
_LOAD_CACHE: ContextVar[dict[Any, Any]] = ContextVar("worked out while a scenario is loaded")

#: Generates an item of an account's list, as loaded by the section's schema.
Generator = Callable[[People, Workspace, Account], dict[str, Any]]


class Section(NamedTuple):
    """The members of an account that a resource owns in a scenario.

    `load` receives the members of a document, loaded by `fields`; `dump` returns all members, ready for writing.
    `finish` is called once after all accounts are loaded, for work across accounts. `load` and `finish` yield a
    `SectionError` for each refused item and continue; errors of `finish` name the account. `generators` make items.
    """

    fields: Mapping[str, fields.Field[Any]]
    load: Callable[[Workspace, Account, Mapping[str, Any]], Iterable[SectionError]]
    dump: Callable[[Workspace, Account], dict[str, Any]]
    finish: Callable[[Workspace], Iterable[SectionError]] = lambda workspace: ()
    generators: Mapping[str, Generator] = MappingProxyType({})
    #: Members of the account itself, replaced as a whole; all other members are lists or mappings of rows.
    account_members: frozenset[str] = frozenset()
    #: Whether members of a master and its sub-accounts are checked against each other.
    checks_families: bool = False


class WorkspaceSection(NamedTuple):
    """The top-level members that a resource owns in a scenario; `load` and `dump` work as in `Section`."""

    fields: Mapping[str, fields.Field[Any]]
    load: Callable[[Workspace, Mapping[str, Any]], Iterable[SectionError]]
    dump: Callable[[Workspace], dict[str, Any]]


@contextmanager
def counting_from(start: Callable[[], datetime]) -> Iterator[None]:
    """Count relative instants from `start`, which is called at most once; values of `once_per_load` last as long."""
    start_token, cache_token = _START.set(cache(start)), _LOAD_CACHE.set({})
    try:
        yield
    finally:
        _START.reset(start_token)
        _LOAD_CACHE.reset(cache_token)


def once_per_load(workspace: Workspace, name: Hashable, make: Callable[[], Value]) -> Value:
    """Return the value of `make`, called once per workspace and name while a scenario is loaded, else each time."""
    found = _LOAD_CACHE.get({}).setdefault(workspace, {})
    if name not in found:
        found[name] = make()
    value: Value = found[name]
    return value


def claim(workspace: Workspace, row: type, key: Hashable, *, is_next: bool = False) -> bool:
    """Reserve the key of a new row, or return False for a duplicate in any account of the workspace.

    Existing keys are collected once per loaded scenario; with `is_next`, for numbers above all existing keys, never.
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
    """Return the moment some seconds after the start of the scenario's clock, at most the clock's last moment."""
    return min(_START.get()() + timedelta(seconds=min(seconds, _LONGEST_S)), LATEST)


class Item(Closed):
    """A mapping of a scenario; unknown keys are validation errors."""

    #: JSON Schema keywords for constraints between members.
    constraints: ClassVar[dict[str, Any]] = {}


def dump_rows(member: str, item: Item, rows: Iterable[Any]) -> dict[str, Any]:
    """Return a member with its dumped rows, each without None values; empty without rows."""
    dumped = [{name: value for name, value in item.dump(row).items() if value is not None} for row in rows]
    return {member: dumped} if dumped else {}


def about(text: str, **keywords: Any) -> dict[str, Any]:
    """Return options of a field: its description for JSON Schema and reference, and further JSON Schema keywords."""
    return {"metadata": {"description": text, **keywords}}


class Duration(fields.Field[timedelta]):
    """A non-negative duration, such as `15m` or `PT15M`."""

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
    """A number in a unit of time, such as `ms: 300`; converts a duration such as `2s`."""

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
    """A moment, `2026-01-15T09:00:00Z`, or a distance from the start of the scenario's clock: `15m`, `-P1D`."""

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> datetime:
        if isinstance(value, datetime):
            # YAML parses an unquoted RFC 3339 date-time; YAML 1.1 assumes UTC.
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
    """A string of 24 hexadecimal digits; as a number, YAML drops leading zeroes and JSON loses precision."""

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> str:
        if isinstance(value, int):
            raise ValidationError(f'an id of 24 digits is a string: write "{value}" in quotes')
        text = super()._deserialize(value, attr, data, **kwargs)
        if text is None or not re.fullmatch(r"[0-9a-f]{24}", text, re.ASCII):
            raise ValidationError("must be 24 hexadecimal digits in quotes")
        return text


class SectionError(ValueError):
    """A semantic error in a document with valid syntax, such as a contradiction.

    Args:
        path: The path of the item within its account.
        message: The problem, the given value and the expected value.
        account: The account id; required in `Section.finish` only.
        wanted: Values that the document lacks. If a part of the document with errors has such a value, this error may
            be a consequence, and is not reported.
    """

    def __init__(
        self, path: tuple[str | int, ...], message: str, *, account: int = 0, wanted: tuple[Hashable, ...] = ()
    ) -> None:
        super().__init__(message)
        self.path, self.message, self.account, self.wanted = path, message, account, wanted


class TakenError(SectionError):
    """A section error for a duplicate name or number."""
