"""The statements of a template: the text that they write, within a budget."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from jinja2 import nodes

from mockserver.beyond.templates import operators
from mockserver.beyond.templates.expressions import evaluated, shown
from mockserver.beyond.templates.scope import Scope
from mockserver.beyond.templates.values import TemplateError, items
from mockserver.core.text.given import counted


def written(body: Iterable[nodes.Node], scope: Scope) -> str:
    """The text of a template, which may have statements.

    Raises:
        TemplateError: it cannot be evaluated.
    """
    pieces: list[str] = []
    # What it sets is seen by itself alone.
    _write(body, scope.within({}), pieces)
    scope.budget.check_length(sum(map(len, pieces)))
    return "".join(pieces)


def looped(values: list[Any], scope: Scope) -> Iterable[tuple[Any, Mapping[str, Any]]]:
    """The items of a list, each with the `loop` that a template sees of it."""
    count = len(values)
    for index, one in enumerate(values):
        scope.budget.spend()
        loop = {"index": index + 1, "index0": index, "first": not index, "last": index == count - 1, "length": count}
        yield one, {"loop": loop}


def _write(body: Iterable[nodes.Node], scope: Scope, pieces: list[str]) -> None:
    for node in body:
        scope.budget.spend()
        match node:
            case nodes.Output():
                for one in node.nodes:
                    _put(one.data if isinstance(one, nodes.TemplateData) else shown(one, scope), scope, pieces)
            case nodes.If():
                _write(_branch(node, scope), scope, pieces)
            case nodes.For():
                _loop(node, scope, pieces)
            case nodes.Assign():
                scope.names.update(_bound(node.target, evaluated(node.node, scope)))


def _put(piece: str, scope: Scope, pieces: list[str]) -> None:
    scope.budget.look(len(piece))
    pieces.append(piece)


def _branch(node: nodes.If, scope: Scope) -> list[nodes.Node]:
    for one in (node, *node.elif_):
        if operators.is_true(evaluated(one.test, scope)):
            return one.body
    return node.else_


def _loop(node: nodes.For, scope: Scope, pieces: list[str]) -> None:
    wanted = [one for one in items(evaluated(node.iter, scope)) if _is_wanted(node, one, scope)]
    if not wanted:
        _write(node.else_, scope, pieces)
    for one, loop in looped(wanted, scope):
        _write(node.body, scope.within({**_bound(node.target, one), **loop}), pieces)


def _is_wanted(node: nodes.For, one: Any, scope: Scope) -> bool:
    scope.budget.spend()
    return node.test is None or operators.is_true(evaluated(node.test, scope.within(_bound(node.target, one))))


def _bound(target: nodes.Node, value: Any) -> dict[str, Any]:
    """The names of a target with their values."""
    if isinstance(target, nodes.Name):
        return {target.name: value}
    assert isinstance(target, nodes.Tuple), "the check admits no other target"
    found = items(value)
    if len(found) != len(target.items):
        raise TemplateError(f"{len(target.items)} names for {counted(len(found), 'item')}, expected as many of both")
    return {one.name: inner for one, inner in zip(target.items, found, strict=True) if isinstance(one, nodes.Name)}
