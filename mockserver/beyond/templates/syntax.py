"""Reading a template: Jinja parses it, and only what is listed here is admitted."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Collection, Mapping
from functools import cache
from typing import Any, NamedTuple

from jinja2 import TemplateSyntaxError, nodes
from jinja2.parser import Parser
from jinja2.sandbox import ImmutableSandboxedEnvironment

from mockserver.beyond.templates import operators
from mockserver.beyond.templates.filters import METHODS
from mockserver.beyond.templates.functions import FAKER, FUNCTIONS
from mockserver.beyond.templates.item_filters import ALL_FILTERS
from mockserver.beyond.templates.kinds import TESTS
from mockserver.core.state.behaviour import Behaviour
from mockserver.core.text.spelling import nearest
from mockserver.web.schemas import json_text

#: The longest template, in characters. Chosen: a mail of several pages; to parse it takes some 60 milliseconds at most.
LONGEST = 10_000
#: How deep an expression may be nested. Chosen: far above any use, and far below Python's own limit.
DEEPEST = 40
#: The longest name of a value, in characters. Chosen: any that is read with ease.
_LONGEST_NAME = 40
#: Words of Jinja's that can be no names, and names that loops give.
_WORDS = frozenset({"and", "or", "not", "in", "is", "if", "else", "elif", "for", "true", "false", "none", "True",
                    "False", "None", "loop"})  # fmt: skip
#: What begins a template within a text.
_SIGNS = ("{{", "{%", "{#")
#: How many characters of a message of Jinja's are shown. Chosen: to fit on a line.
_SHOWN = 120

_STATEMENTS = (nodes.Output, nodes.If, nodes.For, nodes.Assign)
_EXPRESSIONS = (
    nodes.TemplateData, nodes.Const, nodes.Name, nodes.List, nodes.Tuple, nodes.Dict, nodes.Pair, nodes.CondExpr,
    nodes.Getattr, nodes.Getitem, nodes.Slice, nodes.Filter, nodes.Test, nodes.Call, nodes.Keyword, nodes.Concat,
    nodes.Compare, nodes.Operand, nodes.And, nodes.Or, nodes.Not, nodes.Neg, nodes.Pos, *operators.ARITHMETIC,
)  # fmt: skip
_ALLOWED = frozenset((*_STATEMENTS, *_EXPRESSIONS))
#: What a template sees whose members are worked out when they are asked for, with the names of these.
LATE_MEMBERS: Mapping[str, frozenset[str]] = {
    "request": frozenset({"id", "method", "path", "query", "json", "headers"}),
    "account": frozenset(
        {"id", "name", "email", "first_name", "last_name", "company_name", "role", "of", "language", "enterprise",
         "organization_id", "user_id", "created_at", "credits", "relay", "senders", "domains", "webhooks",
         "scheduled_emails",
         "attributes", "blocked", "templates"}
    ),
    "behaviour": frozenset(Behaviour._fields),
    "faker": FAKER,
}  # fmt: skip
#: What every template sees.
ROOTS = frozenset({*LATE_MEMBERS, "now", "omit"})


class SyntaxMistake(Exception):
    """A text is no template, or one that is not admitted; the message says why, and where it has several lines."""


class Template(NamedTuple):
    """A text with templates: an expression, if it is nothing else, or the body of a template."""

    expression: nodes.Expr | None
    body: list[nodes.Node]
    #: How many parts it has: names, constants, operators and so on.
    parts: int


def is_template(text: str) -> bool:
    """Whether a text has templates; one that has none stands for itself."""
    return any(sign in text for sign in _SIGNS)


def is_free_name(name: str) -> bool:
    """Whether a value can be given a name: it is one for Jinja, and has no meaning in templates yet."""
    is_name = name.isascii() and name.isidentifier() and len(name) <= _LONGEST_NAME
    return is_name and name not in ROOTS and name not in FUNCTIONS and name not in _WORDS


def read(text: str, known: Collection[str] = ()) -> Template:
    """A text as a template, which may use the names of `ROOTS` and `known`.

    Raises:
        SyntaxMistake: it is no template, or one that is not admitted.
    """
    if len(text) > LONGEST:
        raise SyntaxMistake(f"a template may have {LONGEST:,} characters, and this one has {len(text):,}")
    try:
        # What `Environment.parse` adds compiles code to rewrite the traceback of a mistake.
        tree = Parser(_environment(), text).parse()
    except TemplateSyntaxError as error:
        raise SyntaxMistake(f"{error.message or 'no template':.{_SHOWN}} (line {error.lineno})") from error
    except RecursionError as error:
        raise SyntaxMistake(_TOO_DEEP) from error
    except ValueError as error:  # of a number with thousands of digits
        raise SyntaxMistake(f"{error!s:.{_SHOWN}}") from error
    parts = _check_depth(tree)
    _Check({*ROOTS, *known}).all_of(tree.body)
    return Template(_only_expression(tree), tree.body, parts)


_TOO_DEEP = f"is nested too deeply: there may be {DEEPEST} levels"


@cache
def _environment() -> ImmutableSandboxedEnvironment:
    """What parses templates. It has no loader and renders nothing."""
    return ImmutableSandboxedEnvironment()


def _check_depth(tree: nodes.Node) -> int:
    """Check how deep a tree is nested, level by level: it may be deeper than Python recurses. Returns its parts.

    Raises:
        SyntaxMistake: it is too deep.
    """
    level: list[nodes.Node] = [tree]
    parts = 0
    for _ in range(DEEPEST):
        level = [inner for node in level for inner in node.iter_child_nodes()]
        parts += len(level)
        if not level:
            return parts
    raise SyntaxMistake(f"{_TOO_DEEP} (line {level[0].lineno})")


def _only_expression(tree: nodes.Template) -> nodes.Expr | None:
    if len(tree.body) != 1 or not isinstance(tree.body[0], nodes.Output) or len(tree.body[0].nodes) != 1:
        return None
    (only,) = tree.body[0].nodes
    return None if isinstance(only, nodes.TemplateData) else only


class _Check:
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
        inner = _Check(self._known | _targets(node.target) | {"loop"})
        inner.all_of([*([] if node.test is None else [node.test]), *node.body])

    def _name(self, node: nodes.Name) -> None:
        if node.name in LATE_MEMBERS:
            raise _mistake(node, f"{node.name} is no value itself; it has {', '.join(sorted(LATE_MEMBERS[node.name]))}")
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
                raise _mistake(node, f"there is no function {name}; {nearest(name, FUNCTIONS)}")
            case nodes.Getattr(node=nodes.Name(name="faker"), attr=attribute):
                _check_late(node, "faker", attribute)
                if node.args or node.kwargs:
                    raise _mistake(node, f"faker.{attribute} takes no arguments")
            case nodes.Getattr(node=inner, attr=name) if name in METHODS:
                _check_signature(node, f"{name}()", METHODS[name])
                self._one(inner)
            case nodes.Getattr(attr=name):
                raise _mistake(node, f"there is no method {name}; there are {', '.join(sorted(METHODS))}")
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
            raise _mistake(target, f"{one.name} is there already")
    return {one.name for one in found if isinstance(one, nodes.Name)}


def _check_late(node: nodes.Node, base: str, attribute: str) -> None:
    if attribute not in LATE_MEMBERS[base]:
        raise _mistake(node, f"{base} has no {attribute:.40}; {nearest(attribute, LATE_MEMBERS[base])}")
    if base == "faker" and not isinstance(node, nodes.Call):
        raise _mistake(node, f"faker.{attribute} is a function: write faker.{attribute}()")


def _check_use(node: Any, noun: str, known: Mapping[str, Callable[..., Any]]) -> None:
    """Check the name and the arguments of a filter or a test."""
    if node.name not in known:
        raise _mistake(node, f"there is no {noun} {node.name:.40}; {nearest(node.name, known)}")
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
    return isinstance(value, str) and value.isidentifier() and value.isascii() and len(value) <= _LONGEST_NAME


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
