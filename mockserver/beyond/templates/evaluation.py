"""The evaluation of a template's syntax tree, within a budget and on plain values alone.

Jinja itself would compile the tree to Python and run that; its sandbox guards attributes and calls, but bounds neither
time nor memory, and every operator, filter and loop takes as much as it likes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple

from jinja2 import nodes

from mockserver.beyond.templates import operators
from mockserver.beyond.templates.budget import Budget
from mockserver.beyond.templates.filters import FILTERS, METHODS
from mockserver.beyond.templates.functions import World
from mockserver.beyond.templates.kinds import TESTS
from mockserver.beyond.templates.values import OMIT, Later, TemplateError, Undefined, items, number, refuse, text, whole


class Scope(NamedTuple):
    """What a template sees: values by name, the workspace's functions, and what it may still do."""

    names: dict[str, Any]
    world: World
    budget: Budget

    def within(self, names: Mapping[str, Any]) -> Scope:
        """A scope with more names, which hide those of this one."""
        return self._replace(names={**self.names, **names})


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


# ---------------------------------------------------------------------- statements


def _write(body: Iterable[nodes.Node], scope: Scope, pieces: list[str]) -> None:
    for node in body:
        scope.budget.spend()
        match node:
            case nodes.Output():
                for one in node.nodes:
                    _put(one.data if isinstance(one, nodes.TemplateData) else _shown(one, scope), scope, pieces)
            case nodes.If():
                _write(_branch(node, scope), scope, pieces)
            case nodes.For():
                _loop(node, scope, pieces)
            case nodes.Assign():
                scope.names.update(_bound(node.target, evaluated(node.node, scope)))


def _put(piece: str, scope: Scope, pieces: list[str]) -> None:
    scope.budget.look(len(piece))
    pieces.append(piece)


def _shown(node: nodes.Node, scope: Scope) -> str:
    return operators.shown(scope.budget, evaluated(node, scope))


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
        raise TemplateError(f"{len(target.items)} names stand for {len(found)} items")
    return {one.name: inner for one, inner in zip(target.items, found, strict=True) if isinstance(one, nodes.Name)}


# ---------------------------------------------------------------------- expressions


def _name(node: nodes.Name, scope: Scope) -> Any:
    if node.name == "omit":
        return OMIT
    found = scope.names.get(node.name, _ABSENT)
    if found is _ABSENT:
        return Undefined(node.name)
    if isinstance(found, Later):
        return found.value()
    return found


_ABSENT: Any = object()


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
    if node.name in _BY_ITEM:
        return _BY_ITEM[node.name](scope.budget, value, *given, **named)
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
        return _FUNCTIONS[node.node.name](scope, *map(operators.defined, given))
    assert isinstance(node.node, nodes.Getattr), "the check admits no other callee"
    if isinstance(node.node.node, nodes.Name) and node.node.node.name == "faker":
        scope.budget.look(_FAKER_COST)
        return scope.world.made_up(node.node.attr)
    return _used(METHODS[node.node.attr], scope.budget, evaluated(node.node.node, scope), given, named)


def _concat(node: nodes.Concat, scope: Scope) -> Any:
    pieces = [_shown(one, scope) for one in node.nodes]
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


# ---------------------------------------------------------------------- filters that use others, and functions


def _map(
    budget: Budget,
    value: Any,
    name: str | None = None,
    *given: Any,
    attribute: str | None = None,
    default: Any = _ABSENT,
) -> Any:
    """A member of each item of a list, or what a filter makes of each."""
    found = items(value)
    budget.look(len(found))
    if attribute is not None:
        members = (_item(one, attribute) for one in found)
        made = [default if isinstance(one, Undefined) and default is not _ABSENT else one for one in members]
        return budget.made([operators.defined(one) for one in made if one is not OMIT])
    if not isinstance(name, str) or name not in FILTERS:
        raise TemplateError("map takes attribute= or the name of a filter")
    made = [_step(FILTERS[name], budget, one, *given) for one in found]
    return budget.made([one for one in made if one is not OMIT])


def _step(work: Callable[..., Any], budget: Budget, *given: Any) -> Any:
    budget.spend()
    try:
        return operators.defined(work(budget, *given))
    except TypeError as error:  # too many arguments, or too few, as only now is known which filter it is
        raise TemplateError("a filter or a test of a list has not the arguments that it takes") from error


def _select(*, wanted: bool, by_member: bool) -> Callable[..., Any]:
    def select(budget: Budget, value: Any, *given: Any) -> Any:
        """The items of a list for which a test holds, or does not hold; without a test, those that count as true."""
        if by_member and not given:
            raise TemplateError("the name of a member is missing")
        attribute, *rest = given if by_member else (None, *given)
        name, *arguments = rest or (None,)
        found = []
        for one in items(value):
            budget.spend()
            looked = one if attribute is None else _item(one, attribute)
            if _holds(budget, looked, name, arguments) is wanted:
                found.append(one)
        return budget.made(found)

    return select


def _holds(budget: Budget, value: Any, name: Any, given: list[Any]) -> bool:
    if name is None:
        return not isinstance(value, Undefined) and operators.is_true(value)
    if not isinstance(name, str) or name not in TESTS:
        raise TemplateError(f"there is no test {name!r:.40}")
    return bool(_step(TESTS[name], budget, value, *given))


def _item(one: Any, attribute: Any) -> Any:
    """A member of an item, or a member of that, with dots between the names."""
    for name in text(attribute).split("."):
        one = operators.member(one, name, f"member {name!r:.40} of an item")
    return one


_BY_ITEM: Mapping[str, Callable[..., Any]] = {
    "map": _map,
    "select": _select(wanted=True, by_member=False),
    "reject": _select(wanted=False, by_member=False),
    "selectattr": _select(wanted=True, by_member=True),
    "rejectattr": _select(wanted=False, by_member=True),
}
#: All filters, with what shows their arguments.
ALL_FILTERS: Mapping[str, Callable[..., Any]] = {**FILTERS, **_BY_ITEM}
#: What made-up data cost, in characters that are looked at: Faker takes some 30 microseconds for each.
_FAKER_COST = 2_000


def _stored(scope: Scope, table: Any, key: Any = None) -> Any:
    if key is not None:
        return scope.world.stored(text(table), key_of(key))
    found = scope.world.stored_in(text(table))
    scope.budget.look(len(found))
    return found


def key_of(value: Any) -> str:
    """A key of a table: a text, or a whole number as its digits."""
    return value if isinstance(value, str) else str(whole(value))


def _range(scope: Scope, *bounds: Any) -> Any:
    if len(bounds) == 3 and not whole(bounds[2]):
        raise TemplateError("a step of zero leads nowhere")
    found = range(*map(whole, bounds))
    # `len` cannot tell more than 63 bits.
    scope.budget.spend(max(0, (found.stop - found.start) // found.step))
    return scope.budget.made(list(found))


def _random(scope: Scope, low: Any, high: Any) -> Any:
    if whole(low) > whole(high):
        refuse(high, f"a number of {low} at least")
    return scope.world.random(low, high)


_FUNCTIONS: Mapping[str, Callable[..., Any]] = {
    "next_id": lambda scope, kind: scope.world.next_id(kind),
    "uuid": lambda scope: scope.world.uuid(),
    "random": _random,
    "message_id": lambda scope: scope.world.message_id(),
    "stored": _stored,
    "range": _range,
}
