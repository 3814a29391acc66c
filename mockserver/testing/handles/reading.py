"""Records out of the JSON of answers: the types of a record's members say how they are read.

A moment is read of its text, a record of its object, `tuple[...]` and any other sequence item by item; what may be
None may be left out of the answer. All else is taken as it is.
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
    """Annotates a member of a record that does not stand in the answer as it stands in the record."""

    def __init__(self, *path: str, read: Read | None = None) -> None:
        #: The names on the way to it, if they are not its own one.
        self.path = path
        #: What makes the member's value of the answer's.
        self.read = read


class MemberForm(NamedTuple):
    """How one member of a record is read."""

    name: str
    #: The names on the way to it in the answer.
    path: Sequence[str]
    read: Read
    #: Whether it may be left out.
    is_optional: bool

    def of(self, item: Mapping[str, Any]) -> Any:
        """Its value in an answer.

        Raises:
            KeyError: it is not there.
        """
        found: Any = item
        for name in self.path:
            found = found.get(name) if self.is_optional else found[name]
        return self.read(found)


def read(kind: type[Record], item: Mapping[str, Any], **given: Any) -> Record:
    """The record of an object of an answer; members that are `given` are not looked for in it.

    Raises:
        KeyError: a member is not there.
    """
    record: Any = kind
    found = {form.name: form.of(item) for form in member_forms(record) if form.name not in given}
    return kind(**found, **given)


def read_all(kind: type[Record], items: Iterable[Mapping[str, Any]]) -> list[Record]:
    """The records of a list of an answer."""
    return [read(kind, item) for item in items]


@cache
def member_forms(kind: type) -> tuple[MemberForm, ...]:
    """How the members of a record are read, in their order."""
    return tuple(_member_form(name, hint) for name, hint in get_type_hints(kind, include_extras=True).items())


def _member_form(name: str, hint: Any) -> MemberForm:
    member = Member()
    if get_origin(hint) is Annotated:
        hint, member = get_args(hint)
    is_optional = NoneType in get_args(hint)
    return MemberForm(name, member.path or (name,), member.read or _reader(hint), is_optional)


def _reader(hint: Any) -> Read:
    """What makes a value of this type of the one in the answer."""
    origin, arguments = get_origin(hint), get_args(hint)
    if hint is datetime:
        return datetime.fromisoformat
    if is_record(hint):
        return partial(read, hint)
    if origin in (Union, UnionType) and NoneType in arguments:
        kinds = [argument for argument in arguments if argument is not NoneType]
        return partial(_unless_none, _reader(kinds[0]) if len(kinds) == 1 else _as_it_is)
    if origin in (Sequence, list, tuple):
        return partial(_each, _reader(arguments[0]), tuple if origin is tuple else list)
    return _as_it_is


def is_record(hint: Any) -> bool:
    """Whether a type is that of a record."""
    return isinstance(hint, type) and (is_dataclass(hint) or hasattr(hint, "_fields"))


def _as_it_is(value: Any) -> Any:
    return value


def _unless_none(inner: Read, value: Any) -> Any:
    return None if value is None else inner(value)


def _each(inner: Read, kind: Callable[[Iterable[Any]], Any], values: Iterable[Any]) -> Any:
    return kind(map(inner, values))
