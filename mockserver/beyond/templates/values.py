"""The values that templates work with: those of JSON, and what stands for none of them."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any, NoReturn

from mockserver.web.schemas import json_text


class TemplateError(Exception):
    """A template cannot be evaluated; the message says why, in one sentence without a full stop."""

    #: The line of the template where it fails, and the path of the member that has the template, once they are known.
    line: int | None = None
    place: Path | None = None


class BudgetError(TemplateError):
    """A template cannot be evaluated within what the templates of a request may do."""


class Undefined:
    """Stands for a value that is not there, and so does every member of it; all that uses it is an error."""

    __slots__ = ("name",)

    def __init__(self, name: str) -> None:
        #: How the value was asked for.
        self.name = name

    def refuse(self) -> NoReturn:
        """Say that the value is not there.

        Raises:
            TemplateError: always.
        """
        raise TemplateError(f"{self.name} is undefined")


class _Omitted:
    """The type of `OMIT`."""

    def __reduce__(self) -> str:
        return "OMIT"


#: Stands for a member or an item that is to be left out.
OMIT = _Omitted()


class Later:
    """A value that is worked out when it is first asked for, and then kept."""

    __slots__ = ("_make", "_value")

    def __init__(self, make: Callable[[], Any]) -> None:
        self._make: Callable[[], Any] | None = make
        self._value: Any = None

    def value(self) -> Any:
        if self._make is not None:
            self._value, self._make = self._make(), None
        return self._value


class Members:
    """Values by name that are worked out when they are first asked for; it is itself no value."""

    __slots__ = ("_members",)

    def __init__(self, make: Mapping[str, Callable[[], Any]]) -> None:
        self._members = {name: Later(work) for name, work in make.items()}

    def get(self, name: str) -> Any:
        """The value of a name, or `Undefined`."""
        return self._members[name].value() if name in self._members else Undefined(name)


Path = tuple[str | int, ...]

#: What values are, in words; a truth value is a number of Python's, too.
_KINDS: Mapping[type, str] = {
    type(None): "null",
    bool: "a truth value",
    int: "a number",
    float: "a number",
    str: "a text",
    list: "a list",
    dict: "a mapping",
}


def number(value: Any) -> float:
    """A value that has to be a number.

    Raises:
        TemplateError: it is none.
    """
    if isinstance(value, bool) or not isinstance(value, int | float):
        refuse(value, "a number")
    return value


def whole(value: Any) -> int:
    """A value that has to be a whole number.

    Raises:
        TemplateError: it is none.
    """
    if isinstance(value, bool) or not isinstance(value, int):
        refuse(value, "a whole number")
    return value


def text(value: Any) -> str:
    """A value that has to be a text.

    Raises:
        TemplateError: it is none.
    """
    if not isinstance(value, str):
        refuse(value, "a text")
    return value


def items(value: Any) -> list[Any]:
    """A value that has to be a list; of a mapping it is that of the names, as Jinja has it.

    Raises:
        TemplateError: it is neither.
    """
    if isinstance(value, dict):
        return list(value)
    if not isinstance(value, list):
        refuse(value, "a list")
    return value


def mapping(value: Any) -> dict[str, Any]:
    """A value that has to be a mapping.

    Raises:
        TemplateError: it is none.
    """
    if not isinstance(value, dict):
        refuse(value, "a mapping")
    return value


def refuse(value: Any, wanted: str) -> NoReturn:
    """Say that a value is not of the kind that is wanted.

    Raises:
        TemplateError: always.
    """
    if isinstance(value, Undefined):
        value.refuse()
    raise TemplateError(f"expected {wanted}, got {kind_of(value)}")


def kind_of(value: Any) -> str:
    """What a value is, in words."""
    return next((words for kind, words in _KINDS.items() if isinstance(value, kind)), "an undefined value")


def in_range(value: float) -> float:
    """A result of arithmetic, which has to be a number that JSON can hold.

    Raises:
        TemplateError: it is beyond 64 bits.
    """
    if (isinstance(value, int) and value not in json_text.INT64) or not math.isfinite(value):
        raise TemplateError("a number is beyond 64 bits")
    return value
