"""What templates may have of Jinja's syntax: only what is listed here."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Collection, Mapping
from typing import Any

from jinja2 import nodes

from mockserver.beyond.templates import operators
from mockserver.beyond.templates.filters import METHODS
from mockserver.beyond.templates.functions import FUNCTIONS
from mockserver.beyond.templates.item_filters import ALL_FILTERS
from mockserver.beyond.templates.kinds import TESTS
from mockserver.beyond.templates.names import LATE_MEMBERS, LONGEST_NAME, ROOTS
from mockserver.core.text.spelling import nearest
from mockserver.web.schemas import json_text

_STATEMENTS = (nodes.Output, nodes.If, nodes.For, nodes.Assign)
_EXPRESSIONS = (
    nodes.TemplateData, nodes.Const, nodes.Name, nodes.List, nodes.Tuple, nodes.Dict, nodes.Pair, nodes.CondExpr,
    nodes.Getattr, nodes.Getitem, nodes.Slice, nodes.Filter, nodes.Test, nodes.Call, nodes.Keyword, nodes.Concat,
    nodes.Compare, nodes.Operand, nodes.And, nodes.Or, nodes.Not, nodes.Neg, nodes.Pos, *operators.ARITHMETIC,
)  # fmt: skip
_ALLOWED = frozenset((*_STATEMENTS, *_EXPRESSIONS))


class SyntaxMistake(Exception):
    """A text is no template, or one that is not admitted; the message says why, and where it has several lines."""


class Check:
    """Goes through a tree, in the order in which it is evaluated, and knows the names that are there by then."""

    def __init__(self, known: set[str]) -> None:
        self._known = known

    def all_of(self, found: Collection[nodes.Node]) -> None:
        """Check nodes and all within them.

        Raises:
            SyntaxMistake: for the first that is not admitted.
        """
        for node in found:
            self._one(node)

    def _one(self, node: nodes.Node) -> None:
        if type(node) not in _ALLOWED:
            raise _mistake(node, f"{_named(node)} is nothing that a template may have")
        match node:
            case nodes.For():
                self._loop(node)
            case nodes.Assign():
                self._one(node.node)
                self._known |= _targets(node.target)
            case nodes.Name():
                self._name(node)
            case nodes.Call():
                self._call(node)
            case nodes.Getattr(node=nodes.Name(name=base), attr=attribute) if base in LATE_MEMBERS:
                _check_late(node, base, attribute)
            case _:
                _check_leaf(node)
                self.all_of(list(node.iter_child_nodes()))

    def _loop(self, node: nodes.For) -> None:
        if node.recursive:
            raise _mistake(node, "a recursive loop is nothing that a template may have")
        self._one(node.iter)
        self.all_of(node.else_)
        inner = Check(self._known | _targets(node.target) | {"loop"})
        inner.all_of([*([] if node.test is None else [node.test]), *node.body])

    def _name(self, node: nodes.Name) -> None:
        if node.name in LATE_MEMBERS:
            raise _mistake(node, f"{node.name} is not a value; it has {', '.join(sorted(LATE_MEMBERS[node.name]))}")
        if node.name not in self._known:
            called = (
                f"; {node.name} is a function" if node.name in FUNCTIONS else f"; {nearest(node.name, self._known)}"
            )
            raise _mistake(node, f"unknown name {node.name}{called}")

    def _call(self, node: nodes.Call) -> None:
        _check_arguments(node)
        match node.node:
            case nodes.Name(name=name) if name in FUNCTIONS:
                _check_function(node, name)
            case nodes.Name(name=name):
                raise _mistake(node, f"unknown function {name}; {nearest(name, FUNCTIONS)}")
            case nodes.Getattr(node=nodes.Name(name="faker"), attr=attribute):
                _check_late(node, "faker", attribute)
                if node.args or node.kwargs:
                    raise _mistake(node, f"faker.{attribute} takes no arguments")
            case nodes.Getattr(node=inner, attr=name) if name in METHODS:
                _check_signature(node, f"{name}()", METHODS[name])
                self._one(inner)
            case nodes.Getattr(attr=name):
                raise _mistake(node, f"unknown method {name}; known: {', '.join(sorted(METHODS))}")
            case _:
                raise _mistake(node, "only functions can be called")
        self.all_of([*node.args, *(pair.value for pair in node.kwargs)])


def _check_leaf(node: nodes.Node) -> None:
    """Check what a node says itself, apart from those within it."""
    match node:
        case nodes.Filter():
            _check_use(node, "filter", ALL_FILTERS)
        case nodes.Test():
            _check_use(node, "test", TESTS)
        case nodes.Const():
            _check_constant(node)


def _mistake(node: nodes.Node, message: str) -> SyntaxMistake:
    return SyntaxMistake(f"{message} (line {node.lineno})")


def _named(node: nodes.Node) -> str:
    return f"“{type(node).__name__.lower()}”"


def _targets(target: nodes.Node) -> set[str]:
    """The names that a statement gives values to.

    Raises:
        SyntaxMistake: it is none that a template may have.
    """
    found = target.items if isinstance(target, nodes.Tuple) else [target]
    for one in found:
        if not isinstance(one, nodes.Name):
            raise _mistake(target, "only names can be given values")
        if one.name in ROOTS or one.name in FUNCTIONS:
            raise _mistake(target, f"duplicate name {one.name}")
    return {one.name for one in found if isinstance(one, nodes.Name)}


def _check_late(node: nodes.Node, base: str, attribute: str) -> None:
    if attribute not in LATE_MEMBERS[base]:
        raise _mistake(node, f"{base} has no {attribute:.40}; {nearest(attribute, LATE_MEMBERS[base])}")
    if base == "faker" and not isinstance(node, nodes.Call):
        raise _mistake(node, f"faker.{attribute} is a function: write faker.{attribute}()")


def _check_use(node: Any, noun: str, known: Mapping[str, Callable[..., Any]]) -> None:
    """Check the name and the arguments of a filter or a test."""
    if node.name not in known:
        raise _mistake(node, f"unknown {noun} {node.name:.40}; {nearest(node.name, known)}")
    _check_arguments(node)
    _check_signature(node, f"the {noun} {node.name}", known[node.name])


def _check_arguments(node: Any) -> None:
    if node.dyn_args is not None or node.dyn_kwargs is not None:
        raise _mistake(node, "arguments have to be written one by one")
    names = [pair.key for pair in node.kwargs]
    if len(names) != len(set(names)):
        raise _mistake(node, "an argument is given twice")


def _check_signature(node: Any, what: str, work: Callable[..., Any]) -> None:
    try:
        inspect.signature(work).bind(None, None, *node.args, **{pair.key: None for pair in node.kwargs})
    except TypeError as error:
        raise _mistake(node, f"{what}: {error}") from error


def _check_function(node: nodes.Call, name: str) -> None:
    least, most, _ = FUNCTIONS[name]
    if node.kwargs or not least <= len(node.args) <= most:
        number = f"{least} to {most}" if least < most else str(least)
        raise _mistake(node, f"{name} takes {number} arguments by position")
    if name == "next_id" and not _is_kind(node.args[0]):
        raise _mistake(node, "next_id takes the name of a kind, as a text of at most 40 letters, digits and _")


def _is_kind(node: nodes.Expr) -> bool:
    """Whether an argument is a constant name: of other names a request could make any number."""
    value = node.value if isinstance(node, nodes.Const) else None
    return isinstance(value, str) and value.isidentifier() and value.isascii() and len(value) <= LONGEST_NAME


def _check_constant(node: nodes.Const) -> None:
    value = node.value
    if isinstance(value, bool) or value is None:
        return
    if isinstance(value, int) and value not in json_text.INT64:
        raise _mistake(node, "a number is beyond 64 bits")
    if isinstance(value, float) and not math.isfinite(value):
        raise _mistake(node, "a number is beyond 64 bits")
    if isinstance(value, str) and not _is_encodable(value):
        raise _mistake(node, "a text has half of a surrogate pair")


def _is_encodable(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
