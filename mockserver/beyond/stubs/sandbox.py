"""Jinja's sandbox for expressions, within a budget and on plain data only.

The sandbox guards attributes and calls, but bounds neither time nor memory. Here every operator, filter, test and
literal passes by this environment, which counts steps and measures what is made; `grammar` admits nothing else.
"""

from __future__ import annotations

import operator
import threading
from collections.abc import Callable, Iterator, Mapping
from functools import cache, wraps
from typing import Any

from jinja2 import StrictUndefined, Template, TemplateError, Undefined, nodes
from jinja2.sandbox import ImmutableSandboxedEnvironment

from mockserver.beyond.stubs.budget import OMIT, Budget, ExpressionError, check_length, expected
from mockserver.beyond.stubs.filters import DEEP, FILTERS, METHODS, PASSING, TESTS, written

#: The name of a method among the filters, which no expression can write as a filter.
METHOD = ".{}"
#: What the code that Jinja makes raises where an expression has no value.
_FAILURES = (TemplateError, ArithmeticError, LookupError, TypeError, ValueError, AttributeError, RecursionError)
_COMPARISONS: Mapping[str, Callable[[Any, Any], Any]] = {
    "eq": operator.eq, "ne": operator.ne, "gt": operator.gt, "gteq": operator.ge, "lt": operator.lt,
    "lteq": operator.le, "in": lambda left, right: left in right, "notin": lambda left, right: left not in right,
}  # fmt: skip
#: As how many steps the call of a filter or a test counts besides, each of which takes some microseconds.
_CALL_STEPS = 3
#: The budget of the expression that a thread evaluates.
_active = threading.local()


class Members:
    """Lazy values by name; not a value in expressions."""

    def __init__(self, make: Mapping[str, Callable[[], Any]]) -> None:
        self._make, self._made = make, dict[str, Any]()

    def get(self, name: str) -> Any:
        if name not in self._made:
            self._made[name] = self._make[name]()
        return self._made[name]


def compiled(expression: nodes.Expr) -> Template:
    result = nodes.Assign(nodes.Name("result", "store"), expression, lineno=1)
    return _sandbox().from_string(nodes.Template([result], lineno=1))


def evaluated(template: Template, names: Mapping[str, Any], budget: Budget) -> Any:
    """Return the value of a compiled expression, or `OMIT`."""
    _active.budget = budget
    context = template.new_context(dict(names), shared=True)
    try:
        for _ in template.root_render_func(context):
            pass
        return budget.checked(context.vars["result"])
    except _FAILURES as error:
        raise ExpressionError(str(error).rstrip(".") or type(error).__name__) from error
    finally:
        _active.budget = None  # which keeps what it has measured


def _bounded(name: str, work: Callable[..., Any]) -> Callable[..., Any]:
    """Wrap a filter or test: take steps for the arguments, and measure the result."""

    @wraps(work)
    def bounded(*given: Any, **named: Any) -> Any:
        budget: Budget = _active.budget
        values = [one for one in (*given, *named.values()) if isinstance(one, str | list | dict)]
        budget.spend(_CALL_STEPS)
        budget.look(*values)
        budget.look_through(*values, times=DEEP.get(name, 0))
        if name not in PASSING:
            check_length(max((len(one) for one in values if isinstance(one, str)), default=0))
        found = work(*given, **named)
        if isinstance(found, Undefined):
            return found
        return budget.made(list(found) if isinstance(found, Iterator) else found)

    return bounded


class _Sandbox(ImmutableSandboxedEnvironment):
    """The environment for all expressions. Compiling evaluates nothing."""

    intercepted_binops = frozenset({"+", "-", "*", "/", "//", "%"})

    def __init__(self) -> None:
        super().__init__(undefined=StrictUndefined, optimized=False)
        self.globals.clear()
        self.filters = {name: _bounded(name, work) for name, work in FILTERS.items()}
        self.filters.update({METHOD.format(name): _bounded(name, work) for name, work in METHODS.items()})
        self.tests = {name: _bounded(name, work) for name, work in TESTS.items()}

    def getitem(self, obj: Any, argument: Any) -> Any:
        return self.member(obj, argument, f"member {argument!r:.40} of an item")

    def getattr(self, obj: Any, attribute: str) -> Any:
        return self.getitem(obj, attribute)

    def call_binop(self, context: Any, sign: str, left: Any, right: Any) -> Any:
        budget: Budget = _active.budget
        budget.look(left, right)
        if not (sign == "+" and type(left) is type(right) and isinstance(left, str | list)):
            for one in (left, right):
                if isinstance(one, bool) or not isinstance(one, int | float):
                    raise expected("a number", one)
        return budget.made(super().call_binop(context, sign, left, right))

    def member(self, value: Any, name: Any, asked: str) -> Any:
        """Return a member of a mapping, an item of a list or a character of a text; attributes are never looked up.

        `asked` says how the member was asked for, for the message if there is none.
        """
        _active.budget.spend()
        if isinstance(name, Undefined):
            raise expected("a name", name)
        if isinstance(value, Undefined):
            return value
        if isinstance(value, Members):
            return value.get(name)
        if isinstance(value, dict) and isinstance(name, str) and name in value:
            return value[name]
        if isinstance(value, list | str) and isinstance(name, int) and -len(value) <= name < len(value):
            return value[name]
        return self.undefined(f"{asked} is undefined")

    def part(self, value: Any, start: Any, stop: Any, step: Any) -> Any:
        if not isinstance(value, list | str):
            raise expected("a list or a text", value)
        return _active.budget.made(value[start:stop:step])

    def listed(self, *values: Any) -> Any:
        """Return a list without omitted values."""
        return _active.budget.made([one for one in values if one is not OMIT])

    def mapped(self, *pairs: Any) -> Any:
        """Return a mapping of alternating names and values, without omitted values."""
        found = dict(zip(pairs[::2], pairs[1::2], strict=True))
        if wrong := [name for name in found if not isinstance(name, str)]:
            raise expected("a text as the name of a member", wrong[0])
        return _active.budget.made({name: value for name, value in found.items() if value is not OMIT})

    def compare(self, left: Any, *rest: Any) -> bool:
        """Evaluate a chain of comparisons: operators, each followed by the right operand."""
        for sign, right in zip(rest[::2], rest[1::2], strict=True):
            _active.budget.look_through(left, right)
            if not _COMPARISONS[sign](left, right):
                return False
            left = right
        return True

    def text(self, *pieces: Any) -> Any:
        _active.budget.look_through(*pieces)
        texts = [written(one) for one in pieces]
        check_length(sum(map(len, texts)))
        return _active.budget.made("".join(texts))


@cache
def _sandbox() -> _Sandbox:
    return _Sandbox()
