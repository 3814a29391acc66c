"""Records: one class per control answer. The server sends it, the OpenAPI document describes it, the client reads it.

A record is a named tuple or a dataclass. `Annotated` adds what the type of a member does not say: a description (a
text), another name in the answer (`At`), a keyword of its JSON schema (`Keyword`), and the marks below. The client
imports this module and the records without any other package, so they use the standard library only.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import is_dataclass, make_dataclass
from datetime import datetime
from enum import Enum
from functools import cache, partial
from operator import attrgetter
from types import NoneType, UnionType
from typing import Annotated, Any, NamedTuple, TypeVar, Union, get_args, get_origin, get_type_hints

from mockserver.core.time.duration import write_instant

__tracebackhide__ = True  # pytest shows the line of the test instead

Record = TypeVar("Record")
Convert = Callable[[Any], Any]


class Mark(Enum):
    """A member that differs between the record and the answer."""

    OMITTED = "missing in the answer where its value is None"
    NOT_SENT = "only known to the client"
    FLAT = "a record whose members stand beside the others in the answer"
    REST = "the members of the answer that no other member of the record names"


class At(NamedTuple):
    """A member's name in the answer."""

    name: str


class Keyword(NamedTuple):
    """A keyword of a member's JSON schema; None removes the keyword that follows from the type."""

    name: str
    value: Any


class Shape(NamedTuple):
    """The documented type of a member whose value the client keeps unread."""

    hint: Any


class ReadBy(NamedTuple):
    """A function converting the answer value."""

    function: Convert


class Member(NamedTuple):
    """A record member with its type hint."""

    name: str
    sent_as: str
    hint: Any
    #: The type without None and without annotations.
    type_: Any
    is_nullable: bool
    annotations: tuple[Any, ...]
    convert: Convert

    def of_type(self, kind: type[Record]) -> Record | None:
        """Return the outermost annotation of a type."""
        return next((found for found in self.annotations if isinstance(found, kind)), None)


Count = Annotated[int, Keyword("minimum", 0)]
Positive = Annotated[int, Keyword("minimum", 1)]
Status = Annotated[int, Keyword("minimum", 100)]
Uuid = Annotated[str, Keyword("format", "uuid")]
CountOfAll = Annotated[Count, "of all"]
Evicted = Annotated[Count, "how many were dropped for newer ones"]


def unwrapped(hint: Any) -> tuple[Any, tuple[Any, ...], bool]:
    """Return the bare type, its annotations (outermost first), and True if None is allowed."""
    if get_origin(hint) is Annotated:
        inner, *own = get_args(hint)
        found, annotations, is_nullable = unwrapped(inner)
        return found, (*own, *annotations), is_nullable
    types = get_args(hint)
    if get_origin(hint) not in (Union, UnionType) or NoneType not in types:
        return hint, (), False
    types = tuple(type_ for type_ in types if type_ is not NoneType)
    found, annotations, _ = unwrapped(types[0]) if len(types) == 1 else (Union.__getitem__(types), (), False)
    return found, annotations, True


@cache
def members(record_type: type) -> tuple[Member, ...]:
    """Return a record's members in declaration order."""
    return tuple(_member(name, hint) for name, hint in get_type_hints(record_type, include_extras=True).items())


def _member(name: str, hint: Any) -> Member:
    type_, annotations, is_nullable = unwrapped(hint)
    found = Member(name, name, hint, type_, is_nullable, annotations, _converter(type_))
    at, own, shape = found.of_type(At), found.of_type(ReadBy), found.of_type(Shape)
    convert = _unchanged if shape else own.function if own else found.convert
    return found._replace(
        sent_as=at.name if at else name, convert=partial(_unless_none, convert) if is_nullable else convert
    )


def is_record(type_: Any) -> bool:
    """Return whether a type is a dataclass or named tuple."""
    return isinstance(type_, type) and (is_dataclass(type_) or hasattr(type_, "_fields"))


def listing(name: str, item: type, **more: Any) -> type:
    """Return the record of a list of items; `more` are the types of its members beside `items` and `count`."""
    rows: Any = Sequence[item]  # type: ignore[valid-type]  # known at run time only
    return make_dataclass(name, [("items", rows), ("count", CountOfAll), *more.items()], frozen=True)


# ---------------------------------------------------------------------- reading


def read(record_type: type[Record], item: Mapping[str, Any], **given: Any) -> Record:
    """Read a record from a JSON object; `given` members override the object.

    A datetime is read from its text, a record from its object, a sequence item by item; other values stay as they are.
    A member that allows None may be missing in the object.

    Raises:
        KeyError: the object lacks a member that must not be missing.
    """
    hashable: Any = record_type
    known = members(hashable)
    for member in known:
        if member.name in given:
            continue
        value: Any = item
        if Mark.REST in member.annotations:
            names = {other.sent_as for other in known}
            value = {name: inner for name, inner in item.items() if name not in names}
        elif Mark.FLAT not in member.annotations:
            value = item.get(member.sent_as) if member.is_nullable else item[member.sent_as]
        given[member.name] = member.convert(value)
    return record_type(**given)


def read_all(record_type: type[Record], items: Iterable[Mapping[str, Any]]) -> list[Record]:
    """Read a list of records.

    Raises:
        KeyError: an object lacks a member that must not be missing.
    """
    return [read(record_type, item) for item in items]


def _converter(hint: Any) -> Convert:
    type_, _, is_nullable = unwrapped(hint)
    if is_nullable:
        return partial(_unless_none, _converter(type_))
    if type_ is datetime:
        return datetime.fromisoformat
    if is_record(type_):
        return partial(read, type_)
    if get_origin(type_) in (Sequence, list, tuple):
        return partial(_each, _converter(get_args(type_)[0]), tuple if get_origin(type_) is tuple else list)
    return _unchanged


def _unchanged(value: Any) -> Any:
    return value


def _unless_none(convert: Convert, value: Any) -> Any:
    return None if value is None else convert(value)


def _each(convert: Convert, sequence_type: Callable[[Iterable[Any]], Any], values: Iterable[Any]) -> Any:
    return sequence_type(map(convert, values))


# ---------------------------------------------------------------------- sending


def made(record_type: type[Record], row: Any, **given: Any) -> Record:
    """Make a record from a row; `given` members override the row's attributes."""
    hashable: Any = record_type
    for name in _names(hashable):
        if name not in given:
            given[name] = getattr(row, name)
    return record_type(**given)


@cache
def _names(record_type: type) -> tuple[str, ...]:
    return tuple(member.name for member in members(record_type))


def sent(record: Any) -> Any:
    """Return the object for a record in an answer, or the text for a moment; records within a record stay records."""
    if isinstance(record, datetime):
        return write_instant(record)
    record_type: Any = type(record)
    names, values_of, omitted, flat = _sending(record_type)
    found = dict(zip(names, values_of(record), strict=True))
    for name in omitted:
        if found[name] is None:
            del found[name]
    if not flat:
        return found
    parts = [sent(value) if name in flat else {name: value} for name, value in found.items()]
    return {name: value for part in parts for name, value in part.items()}


@cache
def _sending(record_type: type) -> tuple[list[str], Callable[[Any], tuple[Any, ...]], list[str], list[str]]:
    rows = [row for row in members(record_type) if row.of_type(Mark) not in (Mark.NOT_SENT, Mark.REST)]
    marked = {mark: [row.sent_as for row in rows if row.of_type(Mark) is mark] for mark in (Mark.OMITTED, Mark.FLAT)}
    names = [row.name for row in rows]
    values_of = attrgetter(*names) if len(names) > 1 else lambda record: (getattr(record, names[0]),)
    return [row.sent_as for row in rows], values_of, marked[Mark.OMITTED], marked[Mark.FLAT]


def plain(value: Any) -> Any:
    """Return a value with dictionaries instead of records; moments stay unchanged."""
    if is_record(type(value)):
        return {name: plain(inner) for name, inner in sent(value).items()}
    return [plain(inner) for inner in value] if isinstance(value, list | tuple) else value
