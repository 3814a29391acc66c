"""Filters of lists and of mappings."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mockserver.beyond.templates import operators
from mockserver.beyond.templates.budget import Budget
from mockserver.beyond.templates.scalars import tojson
from mockserver.beyond.templates.values import (
    TemplateError,
    Undefined,
    items,
    mapping,
    refuse,
    text,
    whole,
)


def length(_: Budget, value: Any) -> int:
    """How many characters, items or members a value has."""
    if not isinstance(value, str | list | dict):
        refuse(value, "a text, a list or a mapping")
    return len(value)


def first(_: Budget, value: Any) -> Any:
    """The first item of a list, or the first character of a text."""
    return operators.member(value if isinstance(value, str) else items(value), 0, "the first of an empty list")


def last(_: Budget, value: Any) -> Any:
    """The last item of a list, or the last character of a text."""
    return operators.member(value if isinstance(value, str) else items(value), -1, "the last of an empty list")


def as_list(budget: Budget, value: Any) -> list[Any]:
    """A list as it is, the names of a mapping, or the characters of a text."""
    budget.look(len(value) if isinstance(value, str) else len(items(value)))
    made: list[Any] = budget.made(list(value))
    return made


def names(budget: Budget, value: Any) -> list[str]:
    """The names of a mapping."""
    made: list[str] = budget.made(list(mapping(value)))
    return made


def values(budget: Budget, value: Any) -> list[Any]:
    """The values of a mapping."""
    made: list[Any] = budget.made(list(mapping(value).values()))
    return made


def member_or(_: Budget, value: Any, name: str, default: Any = None) -> Any:
    """A member of a mapping, or something else if there is none."""
    found = operators.member(mapping(value), text(name), "a member")
    return default if isinstance(found, Undefined) else found


def pairs(budget: Budget, value: Any) -> list[Any]:
    """The pairs of name and value of a mapping."""
    made: list[Any] = budget.made([list(pair) for pair in mapping(value).items()])
    return made


def join(budget: Budget, value: Any, separator: str = "", attribute: str | None = None) -> str:
    """The items of a list as one text."""
    texts = [operators.shown(budget, one) for one in _members_of(budget, value, attribute)]
    budget.check_length(sum(map(len, texts)) + len(text(separator)) * max(0, len(texts) - 1))
    made: str = budget.made(separator.join(texts))
    return made


def joined_by(budget: Budget, value: Any, texts: Any) -> str:
    """The items of a list as one text, with this text between them."""
    return join(budget, texts, text(value))


def sum_(budget: Budget, value: Any, attribute: str | None = None, start: Any = 0) -> Any:
    """The sum of the items of a list."""
    found = start
    for one in _members_of(budget, value, attribute):
        found = operators.add(budget, found, one)
    return found


def min_(budget: Budget, value: Any, case_sensitive: bool = False, attribute: str | None = None) -> Any:
    """The least item of a list."""
    found = sort(budget, value, False, case_sensitive, attribute)
    return operators.member(found, 0, "the least of an empty list")


def max_(budget: Budget, value: Any, case_sensitive: bool = False, attribute: str | None = None) -> Any:
    """The greatest item of a list; of several the first."""
    found = sort(budget, value, True, case_sensitive, attribute)
    return operators.member(found, 0, "the greatest of an empty list")


def sort(
    budget: Budget,
    value: Any,
    reverse: bool = False,
    case_sensitive: bool = False,
    attribute: str | None = None,
) -> list[Any]:
    """The items of a list of texts or of numbers, or those with such a member, in order."""
    keys = _keys_of(budget, value, attribute, case_sensitive=case_sensitive)
    for key in keys:
        operators.check_order(keys[0], key)
        budget.look_through(key)
    budget.look(len(keys) * len(keys).bit_length())
    order = sorted(range(len(keys)), key=keys.__getitem__, reverse=bool(reverse))
    made: list[Any] = budget.made([items(value)[index] for index in order])
    return made


def unique(budget: Budget, value: Any, case_sensitive: bool = False, attribute: str | None = None) -> list[Any]:
    """The items of a list, each once; of those that are equal the first."""
    seen: set[str] = set()
    found = []
    keys = _keys_of(budget, value, attribute, case_sensitive=case_sensitive)
    for one, key in zip(items(value), keys, strict=True):
        written = tojson(budget, key)
        if written not in seen:
            seen.add(written)
            found.append(one)
    made: list[Any] = budget.made(found)
    return made


def _keys_of(budget: Budget, value: Any, attribute: str | None, *, case_sensitive: bool) -> list[Any]:
    """What the items of a list are compared by: as in Jinja, case makes no difference unless somebody says so."""
    found = _members_of(budget, value, attribute)
    if case_sensitive:
        return found
    return [one.lower() if isinstance(one, str) else one for one in found]


def reverse(budget: Budget, value: Any) -> Any:
    """A list or a text from its end to its beginning."""
    if isinstance(value, str):
        budget.look(len(value))
        return budget.made(value[::-1])
    budget.look(len(items(value)))
    return budget.made(items(value)[::-1])


def flatten(budget: Budget, value: Any) -> list[Any]:
    """The items of the lists of a list, one list behind the other."""
    found: list[Any] = []
    for one in items(value):
        inner = one if isinstance(one, list) else [one]
        budget.look(len(inner))
        found += inner
    made: list[Any] = budget.made(found)
    return made


def combine(budget: Budget, value: Any, other: Any, recursive: bool = False) -> dict[str, Any]:
    """A mapping with the members of another one over it; if `recursive`, mappings within it are combined, too."""
    budget.look_through(mapping(value))
    budget.look_through(mapping(other))
    made: dict[str, Any] = budget.made(_combined(value, other, deep=bool(recursive)))
    return made


def _combined(value: Mapping[str, Any], other: Mapping[str, Any], *, deep: bool) -> dict[str, Any]:
    found = {**value, **other}
    if deep:
        for name, inner in other.items():
            before = value.get(name)
            if isinstance(before, dict) and isinstance(inner, dict):
                found[name] = _combined(before, inner, deep=True)
    return found


def without(budget: Budget, value: Any, *unwanted: Any) -> Any:
    """A mapping without some members, or a list without some items; a list of them stands for its items."""
    found = flatten(budget, list(unwanted))
    if isinstance(value, dict):
        names_ = {one for one in found if isinstance(one, str)}
        budget.look(len(value))
        return budget.made({name: inner for name, inner in value.items() if name not in names_})
    plain = {_kept_apart(one) for one in found if not isinstance(one, dict | list)}
    others = [one for one in found if isinstance(one, dict | list)]
    budget.look(len(items(value)))
    kept = [one for one in items(value) if not _is_unwanted(budget, one, plain, others)]
    return budget.made(kept)


def _is_unwanted(budget: Budget, one: Any, plain: set[tuple[bool, Any]], others: list[Any]) -> bool:
    if isinstance(one, dict | list):
        return any(operators.equal(budget, one, other) for other in others)
    return _kept_apart(one) in plain


def _kept_apart(value: Any) -> tuple[bool, Any]:
    """A plain value that is equal only to those of its kind: `true` is not 1, as it is to Python."""
    return isinstance(value, bool), value


def compact(budget: Budget, value: Any) -> Any:
    """A mapping without the members that are null, or a list without the items that are."""
    if isinstance(value, dict):
        budget.look(len(value))
        return budget.made({name: inner for name, inner in value.items() if inner is not None})
    budget.look(len(items(value)))
    return budget.made([one for one in items(value) if one is not None])


def batch(budget: Budget, value: Any, size: int) -> list[Any]:
    """The items of a list in lists of so many."""
    if whole(size) < 1:
        raise TemplateError("a list is divided into lists of one item at least")
    budget.look(len(items(value)))
    made: list[Any] = budget.made([items(value)[at : at + size] for at in range(0, len(items(value)), size)])
    return made


def _members_of(budget: Budget, value: Any, attribute: str | None) -> list[Any]:
    """The items of a list, or a member of each."""
    found = items(value)
    budget.look(len(found))
    if attribute is None:
        return [operators.defined(one) for one in found]
    return [operators.defined(operators.member(one, attribute, f"member {attribute!r} of an item")) for one in found]
