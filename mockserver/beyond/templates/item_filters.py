"""The filters that use a member, another filter or a test for each item of a list."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from mockserver.beyond.templates import operators
from mockserver.beyond.templates.budget import Budget
from mockserver.beyond.templates.filters import FILTERS
from mockserver.beyond.templates.kinds import TESTS
from mockserver.beyond.templates.values import OMIT, TemplateError, Undefined, items, text

_ABSENT: Any = object()


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
        raise TemplateError(f"unknown test {name!r:.40}")
    return bool(_step(TESTS[name], budget, value, *given))


def _item(one: Any, attribute: Any) -> Any:
    """A member of an item, or a member of that, with dots between the names."""
    for name in text(attribute).split("."):
        one = operators.member(one, name, f"member {name!r:.40} of an item")
    return one


ITEM_FILTERS: Mapping[str, Callable[..., Any]] = {
    "map": _map,
    "select": _select(wanted=True, by_member=False),
    "reject": _select(wanted=False, by_member=False),
    "selectattr": _select(wanted=True, by_member=True),
    "rejectattr": _select(wanted=False, by_member=True),
}
#: All filters, with what shows their arguments.
ALL_FILTERS: Mapping[str, Callable[..., Any]] = {**FILTERS, **ITEM_FILTERS}
