"""What operators do with plain values: each checks kinds and sizes before it does anything."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from typing import Any

from jinja2 import nodes

from mockserver.beyond.templates.budget import Budget
from mockserver.beyond.templates.values import (
    Members,
    TemplateError,
    Undefined,
    in_range,
    kind_of,
    number,
    refuse,
    text,
    whole,
)
from mockserver.web.schemas import json_text


def add(budget: Budget, left: Any, right: Any) -> Any:
    """The sum of two numbers, two texts behind each other, or two lists behind each other."""
    if isinstance(left, str) and isinstance(right, str):
        budget.check_length(len(left) + len(right))
        return budget.made(left + right)
    if isinstance(left, list) and isinstance(right, list):
        budget.look(len(left) + len(right))
        return budget.made([*left, *right])
    return in_range(number(left) + number(right))


def _of_numbers(work: Callable[[Any, Any], Any]) -> Callable[[Budget, Any, Any], Any]:
    def of(_: Budget, left: Any, right: Any) -> Any:
        return in_range(work(number(left), number(right)))

    return of


def _dividing(work: Callable[[Any, Any], Any]) -> Callable[[Budget, Any, Any], Any]:
    def of(_: Budget, left: Any, right: Any) -> Any:
        if not number(right):
            raise TemplateError("a number is divided by zero")
        return in_range(work(number(left), right))

    return of


#: By the node of Jinja's syntax tree.
ARITHMETIC: Mapping[type[nodes.BinExpr], Callable[[Budget, Any, Any], Any]] = {
    nodes.Add: add,
    nodes.Sub: _of_numbers(operator.sub),
    nodes.Mul: _of_numbers(operator.mul),
    nodes.Div: _dividing(operator.truediv),
    nodes.FloorDiv: _dividing(operator.floordiv),
    nodes.Mod: _dividing(operator.mod),
}


def negative(value: Any) -> float:
    """A number with the other sign."""
    return in_range(-number(value))


def equal(budget: Budget, left: Any, right: Any) -> bool:
    """Whether two values are equal; true and 1 are not."""
    budget.look_through(defined(left))
    budget.look_through(defined(right))
    if isinstance(left, bool) is not isinstance(right, bool):
        return False
    same: bool = left == right
    return same


def contains(budget: Budget, item: Any, holder: Any) -> bool:
    """Whether a list or a mapping has an item, or a text has another one within it."""
    budget.look_through(defined(holder))
    if isinstance(holder, str):
        # Python finds it in linear time.
        budget.look(len(holder))
        return text(item) in holder
    if isinstance(holder, dict):
        return isinstance(item, str) and item in holder
    if not isinstance(holder, list):
        refuse(holder, "a text, a list or a mapping")
    return any(equal(budget, item, other) for other in holder)


def _ordering(work: Callable[[Any, Any], bool]) -> Callable[[Budget, Any, Any], bool]:
    def of(budget: Budget, left: Any, right: Any) -> bool:
        check_order(left, right)
        if isinstance(left, str):
            budget.look(len(left))
        return work(left, right)

    return of


def check_order(left: Any, right: Any) -> None:
    """Refuse to compare values that have no order: those that are neither both texts nor both numbers.

    Raises:
        TemplateError: they have no order.
    """
    if isinstance(left, str) and isinstance(right, str):
        return
    for one in (left, right):
        defined(one)
    if isinstance(left, str) or isinstance(right, str):
        raise TemplateError(f"{kind_of(left)} is compared with {kind_of(right)}")
    number(left)
    number(right)


#: By the name that Jinja gives an operator.
COMPARISONS: Mapping[str, Callable[[Budget, Any, Any], bool]] = {
    "eq": equal,
    "ne": lambda budget, left, right: not equal(budget, left, right),
    "gt": _ordering(operator.gt),
    "gteq": _ordering(operator.ge),
    "lt": _ordering(operator.lt),
    "lteq": _ordering(operator.le),
    "in": contains,
    "notin": lambda budget, left, right: not contains(budget, left, right),
}


def defined(value: Any) -> Any:
    """The value itself.

    Raises:
        TemplateError: it is not there.
    """
    if isinstance(value, Undefined):
        value.refuse()
    return value


def member(value: Any, name: Any, asked: str) -> Any:
    """A member of a mapping, an item of a list or a character of a text, or what stands for none.

    `asked` is how the member was asked for. Nothing else has members: no attribute of anything is ever looked up.

    Raises:
        TemplateError: the name is none.
    """
    if isinstance(name, Undefined):
        name.refuse()
    if isinstance(value, dict):
        return value[name] if isinstance(name, str) and name in value else Undefined(asked)
    if isinstance(value, Members):
        return value.get(text(name))
    if isinstance(value, list | str) and not isinstance(name, str):
        index = whole(name)
        return value[index] if -len(value) <= index < len(value) else Undefined(asked)
    return Undefined(value.name if isinstance(value, Undefined) else asked)


def part(budget: Budget, value: Any, bounds: tuple[Any, Any, Any]) -> Any:
    """The part of a list or a text from an index to another one, in steps."""
    if not isinstance(value, list | str):
        refuse(value, "a list or a text")
    start, stop, step = (None if bound is None else whole(bound) for bound in bounds)
    if step == 0:
        raise TemplateError("a step of zero leads nowhere")
    found = range(len(value))[start:stop:step]
    budget.look(len(found))
    return budget.made(value[start:stop:step])


def shown(budget: Budget, value: Any) -> str:
    """A value within a text: a text as it is, everything else as JSON."""
    if isinstance(value, str):
        return value
    budget.look_through(defined(value))
    try:
        return json_text.write(value).decode().removesuffix("\n")
    except TypeError:
        refuse(value, "a value")


def is_true(value: Any) -> bool:
    """Whether a value counts as true: not null, false, zero or empty."""
    return bool(defined(value))
