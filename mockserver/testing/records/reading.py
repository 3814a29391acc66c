"""Records, read from the JSON of answers as the types of their members say.

A moment is read from its text, a record from its object, and `tuple[...]` or another sequence item by item. A member
that may be None may be missing in the answer. All other values are taken as they are.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import is_dataclass
from datetime import datetime
from functools import cache, partial
from types import NoneType, UnionType
from typing import Annotated, Any, NamedTuple, TypeVar, Union, get_args, get_origin, get_type_hints

__tracebackhide__ = True  # pytest shows the line of the test instead

Record = TypeVar("Record")
Read = Callable[[Any], Any]


class Member:
    """Annotates a member of a record that has another name, or another type, in the answer."""

    def __init__(self, *path: str, read: Read | None = None) -> None:
        #: The names of the members of the answer that lead to the value; empty: the name of the record's member.
        self.path = path
        #: Makes the member's value of the value in the answer; None: the type of the member says how.
        self.read = read


class MemberReader(NamedTuple):
    """Reads one member of a record from an object of an answer."""

    name: str
    #: The names of the members of the answer that lead to the value.
    path: Sequence[str]
    read: Read
    #: Whether the member may be missing in the answer.
    is_optional: bool

    def of(self, item: Mapping[str, Any]) -> Any:
        """The value of the member, or None if it is optional and missing.

        Raises:
            KeyError: the member is missing and not optional.
        """
        found: Any = item
        for name in self.path:
            found = found.get(name) if self.is_optional else found[name]
        return self.read(found)


def read(record_type: type[Record], item: Mapping[str, Any], **given: Any) -> Record:
    """The record in an object of an answer; members that are `given` are not read from the object.

    Raises:
        KeyError: the object lacks a member that must not be missing.
    """
    hashable: Any = record_type
    found = {reader.name: reader.of(item) for reader in member_readers(hashable) if reader.name not in given}
    return record_type(**found, **given)


def read_all(record_type: type[Record], items: Iterable[Mapping[str, Any]]) -> list[Record]:
    """The records in a list of an answer.

    Raises:
        KeyError: an object lacks a member that must not be missing.
    """
    return [read(record_type, item) for item in items]


@cache
def member_readers(record_type: type) -> tuple[MemberReader, ...]:
    """The readers of a record's members, in the order of the members."""
    return tuple(_member_reader(name, hint) for name, hint in get_type_hints(record_type, include_extras=True).items())


def _member_reader(name: str, hint: Any) -> MemberReader:
    member = Member()
    if get_origin(hint) is Annotated:
        hint, member = get_args(hint)
    is_optional = NoneType in get_args(hint)
    return MemberReader(name, member.path or (name,), member.read or _reader(hint), is_optional)


def _reader(hint: Any) -> Read:
    """The function that makes a value of a type from the value in an answer."""
    origin, arguments = get_origin(hint), get_args(hint)
    if hint is datetime:
        return datetime.fromisoformat
    if is_record(hint):
        return partial(read, hint)
    if origin in (Union, UnionType) and NoneType in arguments:
        types = [argument for argument in arguments if argument is not NoneType]
        return partial(_unless_none, _reader(types[0]) if len(types) == 1 else _as_it_is)
    if origin in (Sequence, list, tuple):
        return partial(_each, _reader(arguments[0]), tuple if origin is tuple else list)
    return _as_it_is


def is_record(hint: Any) -> bool:
    """Whether a type is a record: a dataclass or a named tuple."""
    return isinstance(hint, type) and (is_dataclass(hint) or hasattr(hint, "_fields"))


def _as_it_is(value: Any) -> Any:
    return value


def _unless_none(inner: Read, value: Any) -> Any:
    return None if value is None else inner(value)


def _each(inner: Read, sequence_type: Callable[[Iterable[Any]], Any], values: Iterable[Any]) -> Any:
    return sequence_type(map(inner, values))
