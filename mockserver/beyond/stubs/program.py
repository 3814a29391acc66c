"""Stubs with compiled expressions."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

from jinja2 import Template

from mockserver.beyond.effects import ITEMS
from mockserver.beyond.stubs import grammar, sandbox
from mockserver.beyond.stubs.budget import OMIT, Budget, ExpressionError, Path
from mockserver.core.text.messages import nearest
from mockserver.web.schemas import json_text

#: How many stubs are kept read. Chosen: as many as a team has in its libraries; each takes a megabyte at most.
_KEPT = 256
#: The most parts in all expressions of a stub. Chosen: compiling takes a tenth of a second.
MOST_PARTS = 5_000
#: Removed members of stubs, with their replacement.
GONE = {
    "let": "`let` is gone: write the expression where it is used; store and effects see the answer as `answer`",
    "refuse": "`refuse` is gone: use an answer with `when`, as in answers: [{when: ..., status: 400, json: ...}, ...]",
    "forget": "`forget` is gone: use store with `delete: true`",
    "each": "`each` is gone: write an item for each value, or store the whole list under one key",
    "as": "`as` is gone, as `each` is: write an item for each value",
    "$each": "`$each` is gone: make the list in an expression, as in {{ request.json.rows | map(attribute='id') }}",
    "attribute": "`attribute` is gone: effects are mail, event and credits",
    "warn": "`warn` is gone: effects are mail, event and credits",
    "schedule": "`schedule` is gone: effects are mail, event and credits; an event may have `after`",
}


class Scope(NamedTuple):
    names: Mapping[str, Any]
    budget: Budget


class Expression:
    """An expression in a stub, compiled at the first evaluation."""

    def __init__(self, text: str, names: Collection[str], place: Path) -> None:
        self._text, self._names, self._place = text, names, place
        self._template: Template | None = None
        #: The number of parts, and whether the text has more than a single expression.
        _, self.parts, self.is_text = grammar.read(text, names)

    def value(self, scope: Scope) -> Any:
        """Return the value, or `OMIT`. Errors have the place of the expression."""
        if self._template is None:  # two threads may compile the same
            self._template = sandbox.compiled(grammar.read(self._text, self._names).expression)
        try:
            return sandbox.evaluated(self._template, scope.names, scope.budget)
        except ExpressionError as error:
            error.place = self._place
            raise


def filled(value: Any, scope: Scope) -> Any:
    """Return a program's value with evaluated expressions, without omitted members."""
    if isinstance(value, Expression):
        return value.value(scope)
    if isinstance(value, dict):
        found = {name: filled(one, scope) for name, one in value.items()}
        return {name: one for name, one in found.items() if one is not OMIT}
    if isinstance(value, list):
        return [one for one in (filled(one, scope) for one in value) if one is not OMIT]
    return value


class Part(NamedTuple):
    """An answer, a stored value or an effect, with expressions and an optional condition."""

    when: Any
    members: Mapping[str, Any]
    place: Path


class Program(NamedTuple):
    #: The known members of the request body; None for any members.
    members: frozenset[str] | None
    conditional: Sequence[Part]
    sequence: Sequence[Part]
    stores: Sequence[Part]
    effects: Sequence[Part]


@lru_cache(maxsize=_KEPT)
def read(written: str) -> tuple[Program, list[tuple[Path, str]]]:
    """Return the program of a validated stub (JSON), and the mistakes by path."""
    reader = _ProgramReader(json_text.read(written.encode()))
    return reader.program(), reader.mistakes


class _ProgramReader:
    def __init__(self, written: Mapping[str, Any]) -> None:
        self.mistakes: list[tuple[Path, str]] = []
        self._written = written
        self._parts = 0
        #: Additional names for expressions.
        self._names: Collection[str] = ()

    def program(self) -> Program:
        members = self._written.get("members")
        answers = list(self._listed("answer")) or list(self._listed("answers"))
        if answers and all(answer.when is not None for answer in answers):
            told = "every answer has when; one must be without it, for requests that no condition fits"
            self.mistakes.append((answers[0].place[:1], told))
        self._names = ("answer",)
        stores, effects = list(self._listed("store")), list(self._listed("effects"))
        for effect in effects:
            self._check_effect(effect)
        if self._parts > MOST_PARTS:
            told = f"the expressions of a stub may have {MOST_PARTS:,} parts together, and these have {self._parts:,}"
            self.mistakes.append((answers[0].place[:1], told))
        return Program(
            members=None if members is None else frozenset(members),
            conditional=[answer for answer in answers if answer.when is not None],
            sequence=[answer for answer in answers if answer.when is None],
            stores=stores,
            effects=effects,
        )

    def _listed(self, member: str) -> Iterator[Part]:
        """Yield the parts of a member: a single mapping or a list."""
        written = self._written.get(member, [])
        for at, item in enumerate([written] if isinstance(written, dict) else written):
            place: Path = (member,) if isinstance(written, dict) else (member, at)
            when = self._condition(item["when"], (*place, "when")) if "when" in item else None
            rest = {name: one for name, one in item.items() if name != "when"}
            yield Part(when, self._value(rest, place), place)

    def _check_effect(self, effect: Part) -> None:
        gone = next((GONE[name] for name in effect.members if name in GONE), None)
        if gone is None and len([name for name in ITEMS if name in effect.members]) != 1:
            unknown = next(iter(effect.members), "")
            gone = f"an effect has one of the members {', '.join(ITEMS)}; {nearest(unknown, ITEMS)}"
        if gone is not None:
            self.mistakes.append((effect.place, gone))

    def _condition(self, value: Any, place: Path) -> Any:
        """Read a boolean, or a text with exactly one expression."""
        if isinstance(value, bool):
            return value
        count = len(self.mistakes)
        found = self._value(value.strip(), place) if isinstance(value, str) else None
        if len(self.mistakes) == count and (not isinstance(found, Expression) or found.is_text):
            told = "must be one expression in braces, such as {{ request.json.email is defined }}"
            self.mistakes.append((place, told))
        return found

    def _value(self, value: Any, place: Path) -> Any:
        if isinstance(value, list):
            return [self._value(one, (*place, index)) for index, one in enumerate(value)]
        if isinstance(value, dict):
            return self._mapping(value, place)
        if not isinstance(value, str) or not grammar.has_expressions(value):
            return value
        try:
            found = Expression(value, self._names, place)
        except grammar.SyntaxMistake as error:
            self.mistakes.append((place, str(error)))
            return None
        self._parts += found.parts
        return found

    def _mapping(self, value: Mapping[str, Any], place: Path) -> dict[str, Any]:
        for name in value:
            if grammar.has_expressions(name):
                told = "the name of a member is no expression; combine() adds members by name"
                self.mistakes.append(((*place, name), told))
        if "$each" in value:
            self.mistakes.append((place, GONE["$each"]))
            return {}
        return {name: self._value(one, (*place, name)) for name, one in value.items()}
