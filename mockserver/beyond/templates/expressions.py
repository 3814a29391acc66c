"""The values of expressions, from a template's syntax tree, within a budget and on plain values alone.

Jinja itself would compile the tree to Python and run that; its sandbox guards attributes and calls, but bounds neither
time nor memory, and every operator, filter and loop takes as much as it likes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from jinja2 import nodes

from mockserver.beyond.templates import operators
from mockserver.beyond.templates.budget import Budget
from mockserver.beyond.templates.filters import FILTERS, METHODS
from mockserver.beyond.templates.functions import FUNCTIONS
from mockserver.beyond.templates.item_filters import ITEM_FILTERS
from mockserver.beyond.templates.kinds import TESTS
from mockserver.beyond.templates.scope import Scope
from mockserver.beyond.templates.values import OMIT, Later, TemplateError, Undefined, number, text

#: What made-up data cost, in characters that are looked at: Faker takes some 30 microseconds for each.
_FAKER_COST = 2_000
_ABSENT: Any = object()


def evaluated(node: nodes.Node, scope: Scope) -> Any:
    """The value of an expression.

    Raises:
        TemplateError: it has none.
    """
    try:
        scope.budget.spend()
        return _EXPRESSIONS[type(node)](node, scope)
    except TemplateError as error:
        error.line = error.line or node.lineno
        raise


def shown(node: nodes.Node, scope: Scope) -> str:
    """The value of an expression as the text of a template shows it.

    Raises:
        TemplateError: it has none.
    """
    return operators.shown(scope.budget, evaluated(node, scope))


def _name(node: nodes.Name, scope: Scope) -> Any:
    if node.name == "omit":
        return OMIT
    found = scope.names.get(node.name, _ABSENT)
    if found is _ABSENT:
        return Undefined(node.name)
    if isinstance(found, Later):
        return found.value()
    return found


def _list(node: nodes.List | nodes.Tuple, scope: Scope) -> Any:
    found = [evaluated(one, scope) for one in node.items]
    return scope.budget.made([operators.defined(one) for one in found if one is not OMIT])


def _dict(node: nodes.Dict, scope: Scope) -> Any:
    found = {text(evaluated(pair.key, scope)): operators.defined(evaluated(pair.value, scope)) for pair in node.items}
    return scope.budget.made({name: value for name, value in found.items() if value is not OMIT})


def _choice(node: nodes.CondExpr, scope: Scope) -> Any:
    if operators.is_true(evaluated(node.test, scope)):
        return evaluated(node.expr1, scope)
    return Undefined("a condition without else") if node.expr2 is None else evaluated(node.expr2, scope)


def _member(node: nodes.Getattr | nodes.Getitem, scope: Scope) -> Any:
    value = evaluated(node.node, scope)
    if isinstance(node, nodes.Getattr):
        return operators.member(value, node.attr, f"{_told(node.node)}.{node.attr}")
    if isinstance(node.arg, nodes.Slice):
        bounds = [
            None if one is None else evaluated(one, scope) for one in (node.arg.start, node.arg.stop, node.arg.step)
        ]
        return operators.part(scope.budget, value, (bounds[0], bounds[1], bounds[2]))
    name = evaluated(node.arg, scope)
    return operators.member(value, name, f"{_told(node.node)}[{name!r:.40}]")


def _told(node: nodes.Node) -> str:
    """How a value is asked for, in few words."""
    match node:
        case nodes.Name():
            return str(node.name)
        case nodes.Getattr():
            return f"{_told(node.node)}.{node.attr}"
    return "…"


def _arguments(node: nodes.Call | nodes.Filter | nodes.Test, scope: Scope) -> tuple[list[Any], dict[str, Any]]:
    given = [evaluated(one, scope) for one in node.args]
    # Jinja declares the pairs of a call as those of a mapping; they are keywords, whose keys are texts.
    return given, {str(pair.key): evaluated(pair.value, scope) for pair in node.kwargs}


def _filter(node: nodes.Filter, scope: Scope) -> Any:
    assert node.node is not None, "only a block's filter has no value, and the check admits none"
    value = evaluated(node.node, scope)
    given, named = _arguments(node, scope)
    if node.name in ITEM_FILTERS:
        return ITEM_FILTERS[node.name](scope.budget, value, *given, **named)
    return _used(FILTERS[node.name], scope.budget, value, given, named)


def _test(node: nodes.Test, scope: Scope) -> bool:
    value = evaluated(node.node, scope)
    given, named = _arguments(node, scope)
    found: bool = _used(TESTS[node.name], scope.budget, value, given, named)
    return found


def _used(work: Callable[..., Any], budget: Budget, value: Any, given: list[Any], named: dict[str, Any]) -> Any:
    """What a filter, a test or a method makes of a value."""
    if work is not FILTERS["default"]:
        for one in (*given, *named.values()):
            operators.defined(one)
    return work(budget, value, *given, **named)


def _call(node: nodes.Call, scope: Scope) -> Any:
    given, named = _arguments(node, scope)
    if isinstance(node.node, nodes.Name):
        return FUNCTIONS[node.node.name].work(scope.budget, scope.provider, *map(operators.defined, given))
    assert isinstance(node.node, nodes.Getattr), "the check admits no other callee"
    if isinstance(node.node.node, nodes.Name) and node.node.node.name == "faker":
        scope.budget.look(_FAKER_COST)
        return scope.provider.made_up(node.node.attr)
    return _used(METHODS[node.node.attr], scope.budget, evaluated(node.node.node, scope), given, named)


def _concat(node: nodes.Concat, scope: Scope) -> Any:
    pieces = [shown(one, scope) for one in node.nodes]
    scope.budget.check_length(sum(map(len, pieces)))
    return scope.budget.made("".join(pieces))


def _compare(node: nodes.Compare, scope: Scope) -> bool:
    left = evaluated(node.expr, scope)
    for operand in node.ops:
        right = evaluated(operand.expr, scope)
        if not operators.COMPARISONS[operand.op](scope.budget, left, right):
            return False
        left = right
    return True


def _arithmetic(node: nodes.BinExpr, scope: Scope) -> Any:
    return operators.ARITHMETIC[type(node)](scope.budget, evaluated(node.left, scope), evaluated(node.right, scope))


def _and(node: nodes.And, scope: Scope) -> Any:
    left = evaluated(node.left, scope)
    return evaluated(node.right, scope) if operators.is_true(left) else left


def _or(node: nodes.Or, scope: Scope) -> Any:
    left = evaluated(node.left, scope)
    return left if operators.is_true(left) else evaluated(node.right, scope)


_EXPRESSIONS: Mapping[type[nodes.Node], Callable[[Any, Scope], Any]] = {
    nodes.Const: lambda node, scope: node.value,
    nodes.TemplateData: lambda node, scope: node.data,
    nodes.Name: _name,
    nodes.List: _list,
    nodes.Tuple: _list,
    nodes.Dict: _dict,
    nodes.CondExpr: _choice,
    nodes.Getattr: _member,
    nodes.Getitem: _member,
    nodes.Filter: _filter,
    nodes.Test: _test,
    nodes.Call: _call,
    nodes.Concat: _concat,
    nodes.Compare: _compare,
    nodes.And: _and,
    nodes.Or: _or,
    nodes.Not: lambda node, scope: not operators.is_true(evaluated(node.node, scope)),
    nodes.Neg: lambda node, scope: operators.negative(evaluated(node.node, scope)),
    nodes.Pos: lambda node, scope: number(evaluated(node.node, scope)),
    **dict.fromkeys(operators.ARITHMETIC, _arithmetic),
}
