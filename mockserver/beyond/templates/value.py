"""Values with templates in them: any value of JSON, whose texts may be templates.

A text that is one expression gives what the expression gives, whatever its type; any other text gives a text. A member
or an item that gives `omit` is left out. A mapping with `$each` gives a list: its `$value` once for each item.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from jinja2 import nodes

from mockserver.beyond.templates import operators, syntax
from mockserver.beyond.templates.expressions import evaluated
from mockserver.beyond.templates.grammar import SyntaxMistake
from mockserver.beyond.templates.names import is_free_name
from mockserver.beyond.templates.scope import Scope
from mockserver.beyond.templates.statements import looped, written
from mockserver.beyond.templates.values import OMIT, Path, TemplateError, items

#: The members of a mapping that stands for a list.
EACH, AS, WHEN, VALUE = "$each", "$as", "$when", "$value"
#: The name of an item where none is given.
ITEM = "item"


class Value(ABC):
    """A value, once its templates are parsed and checked."""

    @abstractmethod
    def given(self, scope: Scope) -> Any:
        """The value, or `OMIT`.

        Raises:
            TemplateError: a template in it cannot be evaluated; it names the place and the line.
        """


class _Constant(Value):
    def __init__(self, value: Any) -> None:
        self.value = value

    def given(self, scope: Scope) -> Any:
        return self.value


class _Template(Value):
    """A text that has templates, at a place of a stub."""

    def __init__(self, template: syntax.Template, place: Path) -> None:
        self._template, self._place = template, place

    def given(self, scope: Scope) -> Any:
        expression = self._template.expression
        try:
            if expression is None:
                return written(self._template.body, scope)
            return operators.defined(evaluated(expression, scope))
        except TemplateError as error:
            raise _placed(error, self._place, expression) from None


def _placed(error: TemplateError, place: Path, node: nodes.Expr | None = None) -> TemplateError:
    """An error with the place where it came up, unless another template was the first to fail."""
    if error.place is None:
        error.place = place
        error.line = error.line or (1 if node is None else node.lineno)
    return error


class _Mapping(Value):
    def __init__(self, members: Mapping[str, Value], place: Path) -> None:
        self._members, self._place = members, place

    def given(self, scope: Scope) -> Any:
        found = ((name, value.given(scope)) for name, value in self._members.items())
        return _made({name: value for name, value in found if value is not OMIT}, scope, self._place)


class _List(Value):
    def __init__(self, values: Iterable[Value], place: Path) -> None:
        self._values, self._place = tuple(values), place

    def given(self, scope: Scope) -> Any:
        found = [value.given(scope) for value in self._values]
        return _made([value for value in found if value is not OMIT], scope, self._place)


class Each(Value):
    """A list of a value, once for each item of another list."""

    def __init__(self, over: Value, name: str, value: Value, when: Value | None, place: Path) -> None:
        self._over, self._name, self._value, self._when, self._place = over, name, value, when, place

    def given(self, scope: Scope) -> Any:
        return _made(list(self.one_by_one(scope)), scope, self._place)

    def one_by_one(self, scope: Scope) -> Iterator[Any]:
        """The values of the list, which together may be larger than a value may be.

        Raises:
            TemplateError: as of `given`.
        """
        over = self._over.given(scope)
        try:
            found = items(over)
        except TemplateError as error:
            raise _placed(error, self._place) from None
        for one, loop in looped(found, scope):
            value = self._of_item(one, loop, scope)
            if value is not OMIT:
                yield value

    def _of_item(self, one: Any, loop: Mapping[str, Any], scope: Scope) -> Any:
        inner = scope.within({self._name: one, **loop})
        if self._when is not None and not operators.is_true(self._when.given(inner)):
            return OMIT
        return self._value.given(inner)


def _made(value: Any, scope: Scope, place: Path) -> Any:
    try:
        return scope.budget.made(value)
    except TemplateError as error:
        raise _placed(error, place) from None


class Reader:
    """Parses and checks the templates of a value, and keeps what is wrong with them, by path."""

    def __init__(self) -> None:
        self.mistakes: list[tuple[Path, str]] = []
        #: How many parts all templates have.
        self.parts = 0

    def value(self, value: Any, place: Path, names: frozenset[str]) -> Value:
        """A value of JSON as a `Value`; its templates may use these names beside those of all templates."""
        if isinstance(value, str):
            return self._text(value, place, names)
        if isinstance(value, dict) and EACH in value:
            return self._each(value, place, names)
        if isinstance(value, dict):
            return self._mapping(value, place, names)
        if isinstance(value, list):
            inner = [self.value(one, (*place, index), names) for index, one in enumerate(value)]
            return _Constant(value) if _are_constant(inner) else _List(inner, place)
        return _Constant(value)

    def condition(self, value: Any, place: Path, names: frozenset[str]) -> Value:
        """A text that has to be one expression."""
        if isinstance(value, bool):
            return _Constant(value)
        if not isinstance(value, str) or not value.strip().startswith("{{"):
            self._wrong(place, "must be one expression in braces, such as {{ request.json.email is defined }}")
            return _Constant(None)
        return self.value(value.strip(), place, names)

    def each(self, value: Mapping[str, Any], signs: str, place: Path, names: frozenset[str]) -> tuple[Value, str]:
        """The list of a mapping that is meant once for each item, and the name of an item."""
        name = value.get(f"{signs}as", ITEM)
        if not isinstance(name, str) or not is_free_name(name):
            self._wrong((*place, f"{signs}as"), "must be a name of letters, digits and _ that has no meaning yet")
            name = ITEM
        return self.value(value[f"{signs}each"], (*place, f"{signs}each"), names), name

    def _text(self, value: str, place: Path, names: frozenset[str]) -> Value:
        if not syntax.is_template(value):
            return _Constant(value)
        try:
            found = syntax.read(value, names)
            self.parts += found.parts
            return _Template(found, place)
        except SyntaxMistake as error:
            self._wrong(place, str(error))
            return _Constant(None)

    def _mapping(self, value: Mapping[str, Any], place: Path, names: frozenset[str]) -> Value:
        for name in value:
            if syntax.is_template(name):
                self._wrong((*place, name), "the name of a member is no template; combine() adds members by name")
        inner = {name: self.value(one, (*place, name), names) for name, one in value.items()}
        return _Constant(value) if _are_constant(inner.values()) else _Mapping(inner, place)

    def _each(self, value: Mapping[str, Any], place: Path, names: frozenset[str]) -> Value:
        for name in value.keys() - {EACH, AS, WHEN, VALUE}:
            self._wrong((*place, name), f"beside {EACH} there may be {AS}, {WHEN} and {VALUE}")
        if VALUE not in value:
            self._wrong(place, f"{VALUE} is missing: what stands there for each item")
        over, name = self.each(value, "$", place, names)
        inside = names | {name, "loop"}
        when = self.condition(value[WHEN], (*place, WHEN), inside) if WHEN in value else None
        return Each(over, name, self.value(value.get(VALUE), (*place, VALUE), inside), when, place)

    def _wrong(self, place: Path, message: str) -> None:
        self.mistakes.append((place, message))


def _are_constant(values: Iterable[Value]) -> bool:
    return all(isinstance(value, _Constant) for value in values)
