"""The kinds of values that stand in a scenario, shared by the resources' sections."""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import UTC, datetime, timedelta
from typing import Any, TypeGuard, TypeVar

import isodate
from marshmallow import ValidationError, fields

from mockserver.core.time.clock import LATEST, Clock, shown
from mockserver.core.workspaces.workspace import Workspace
from mockserver.web.schemas.schema import Closed

Value = TypeVar("Value")

#: Where relative instants are counted from while a scenario is loaded.
_START: ContextVar[datetime] = ContextVar("start of the scenario's clock")
#: What is worked out once while a scenario is loaded.
_KEPT: ContextVar[dict[Any, Any]] = ContextVar("kept while a scenario is loaded")


@contextmanager
def counting_from(start: datetime) -> Iterator[None]:
    """Load relative instants as counted from this moment, and what is `kept` for as long."""
    token, of_kept = _START.set(start), _KEPT.set({})
    try:
        yield
    finally:
        _START.reset(token)
        _KEPT.reset(of_kept)


def kept(workspace: Workspace, name: Hashable, make: Callable[[], Value]) -> Value:
    """What is made when it is first asked for while a scenario is loaded, and the same from then on."""
    found = _KEPT.get({}).setdefault(workspace, {})
    if name not in found:
        found[name] = make()
    value: Value = found[name]
    return value


def claim(workspace: Workspace, row: type, key: Hashable, *, is_next: bool = False) -> bool:
    """Take the key of a new row; False: a row of any account has it already.

    While a scenario is loaded, all accounts are asked once and not for every row; and not at all for a number beyond
    the last one of its kind, which no row has had.
    """
    claimed: set[Hashable] = kept(workspace, row, set)
    if key in claimed or (not is_next and key in kept(workspace, (row, "before"), lambda: _keys(workspace, row))):
        return False
    claimed.add(key)
    return True


def _keys(workspace: Workspace, row: type) -> set[Hashable]:
    tables: Iterator[tuple[int, Mapping[Hashable, Any]]] = workspace.state.tables(row)
    return {key for _, rows in tables for key in rows}


def counted_from(seconds: float) -> datetime:
    """The moment so many seconds after the one that is counted from, or the clock's last one."""
    return min(_START.get() + timedelta(seconds=min(seconds, 10**10)), LATEST)


class Item(Closed):
    """A mapping of a scenario; an unknown key is a mistake."""


def parse_duration(text: str) -> timedelta:
    """An ISO 8601 duration, signed or not, as a fixed length of time.

    Raises:
        ValueError: it is not one, or one of years or months, which have no fixed length, or it is immense.
    """
    if not re.fullmatch(r"[+-]?P[0-9YDTHMSW.,]{2,40}(?<!T)", text, re.ASCII):
        raise ValueError("not an ISO 8601 duration, such as PT15M or P3D")
    try:
        value = isodate.parse_duration(text)
    except (isodate.ISO8601Error, OverflowError, ArithmeticError) as error:
        raise ValueError("not an ISO 8601 duration, such as PT15M or P3D") from error
    if not isinstance(value, timedelta):
        raise ValueError("years and months have no fixed length: give days")  # noqa: TRY004  # the value's fault
    return value


def parse_instant(text: str) -> datetime:
    """An RFC 3339 date-time within the clock's years, in UTC.

    Raises:
        ValueError: it is not one.
    """
    if not re.fullmatch(r"\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d:\d\d(\.\d{1,9})?([Zz]|[+-]\d\d:\d\d)", text, re.ASCII):
        raise ValueError("not an RFC 3339 date-time, such as 2026-01-15T09:00:00Z")
    try:
        moment = datetime.fromisoformat(text.upper()).astimezone(UTC)
    except (ValueError, OverflowError) as error:
        raise ValueError("not an RFC 3339 date-time, such as 2026-01-15T09:00:00Z") from error
    return shown(moment)


def is_relative(value: object) -> TypeGuard[str]:
    """Whether a value is an instant that is so far from another one, such as `-P1D`."""
    return isinstance(value, str) and "P" in value


def write_instant(moment: datetime) -> str:
    """RFC 3339 in UTC, with as many digits as needed."""
    return moment.isoformat().replace("+00:00", "Z")


def write_duration(length: timedelta) -> str:
    text: str = isodate.duration_isoformat(length)
    return text


class Duration(fields.Field[timedelta]):
    """`PT15M`, not negative."""

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> timedelta:
        try:
            length = parse_duration(value if isinstance(value, str) else "")
        except ValueError as error:
            raise ValidationError(str(error)) from error
        if length < timedelta():
            raise ValidationError("must not be negative")
        return length

    def _serialize(self, value: Any, attr: str | None, obj: Any, **kwargs: Any) -> Any:
        return None if value is None else write_duration(value)


class Instant(fields.Field[datetime]):
    """`2026-01-15T09:00:00Z`, or relative to the scenario's clock: `PT15M`, `-P1D`."""

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> datetime:
        if isinstance(value, datetime):
            # YAML reads an unquoted RFC 3339 date-time by itself, and takes one without a zone for UTC.
            value = (value if value.tzinfo else value.replace(tzinfo=UTC)).isoformat()
        if not isinstance(value, str):
            raise ValidationError("not an instant, such as 2026-01-15T09:00:00Z or -P1D")
        try:
            if is_relative(value):
                return shown(Clock.reached(parse_duration(value), _START.get()))
            return parse_instant(value)
        except ValueError as error:
            raise ValidationError(str(error)) from error

    def _serialize(self, value: Any, attr: str | None, obj: Any, **kwargs: Any) -> Any:
        return None if value is None else write_instant(value)


class Id24(fields.String):
    """24 digits as a string; as a bare number YAML would drop zeroes and JSON precision."""

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> str:
        if isinstance(value, int):
            raise ValidationError(f'an id of 24 digits is a string: write "{value}" in quotes')
        text = super()._deserialize(value, attr, data, **kwargs)
        if text is None or not re.fullmatch(r"[0-9a-f]{24}", text, re.ASCII):
            raise ValidationError("must be 24 hexadecimal digits in quotes")
        return text


class SectionError(ValueError):
    """An item that is well-formed but contradicts another one; `path` leads to it within the account.

    Which account that is must be told where all are settled together.
    """

    def __init__(self, path: tuple[str | int, ...], message: str, *, account: int = 0) -> None:
        super().__init__(message)
        self.path, self.message, self.account = path, message, account


class TakenError(SectionError):
    """A misfit because something of the same name or number is there already."""
