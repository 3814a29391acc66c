"""Reading expressions: Jinja parses, unsupported syntax is refused, and costly nodes become calls of the sandbox."""

from __future__ import annotations

import inspect
from collections.abc import Collection, Mapping
from functools import cache
from typing import Any, NamedTuple

from jinja2 import Environment, TemplateSyntaxError, nodes
from jinja2.parser import Parser
from jinja2.visitor import NodeTransformer

from mockserver.beyond.stubs.budget import Budget, ExpressionError
from mockserver.beyond.stubs.filters import FILTERS, METHODS, TESTS
from mockserver.beyond.stubs.names import FUNCTIONS, MEMBERS, ROOTS
from mockserver.beyond.stubs.sandbox import METHOD
from mockserver.core.text.messages import nearest
from mockserver.web.schemas import json_text

#: The longest text with expressions. Chosen: a mail of several pages; to parse it takes some 60 milliseconds at most.
LONGEST = 10_000
#: How deep an expression may be nested. Chosen: far above any use, and far below Python's own limit.
DEEPEST = 40
#: The longest kind of ids, in characters. Chosen: any that is read with ease.
_LONGEST_KIND = 40
#: How many characters of a message of Jinja's are shown. Chosen: to fit on a line.
_SHOWN = 120
_TOO_DEEP = f"is nested too deeply: the limit is {DEEPEST} levels"
_STATEMENTS = frozenset({"block_begin", "raw_begin", "comment_begin"})
_ALLOWED = frozenset(
    (nodes.TemplateData, nodes.Const, nodes.Name, nodes.List, nodes.Tuple, nodes.Dict, nodes.Pair, nodes.CondExpr,
     nodes.Getattr, nodes.Getitem, nodes.Slice, nodes.Filter, nodes.Test, nodes.Call, nodes.Keyword, nodes.Concat,
     nodes.Compare, nodes.Operand, nodes.And, nodes.Or, nodes.Not, nodes.Neg, nodes.Pos, nodes.Add, nodes.Sub,
     nodes.Mul, nodes.Div, nodes.FloorDiv, nodes.Mod)
)  # fmt: skip


class SyntaxMistake(Exception):
    """An invalid or unsupported expression, with the reason."""


class Read(NamedTuple):
    """A checked expression, and the number of its parts: names, constants, operators and so on."""

    expression: nodes.Expr
    parts: int
    #: Whether it is no single expression, and gives a text.
    is_text: bool


def has_expressions(text: str) -> bool:
    """Return whether a text has expressions or template statements."""
    return any(sign in text for sign in ("{{", "{%", "{#"))


def read(text: str, known: Collection[str] = ()) -> Read:
    """Read a text with expressions; `known` are additional names for the expressions."""
    if len(text) > LONGEST:
        raise SyntaxMistake(f"a text with expressions may have {LONGEST:,} characters, and this one has {len(text):,}")
    try:
        if any(kind in _STATEMENTS for _, kind, _ in _environment().lexer.tokeniter(text, None)):
            raise SyntaxMistake("{% %} and {# #} are gone: write a {{ }} expression, such as {{ a if b else c }}")
        # What `Environment.parse` adds compiles code to rewrite the traceback of a mistake.
        tree = Parser(_environment(), text).parse()
    except TemplateSyntaxError as error:
        raise SyntaxMistake(f"{error.message or 'no expression':.{_SHOWN}} (line {error.lineno})") from error
    except RecursionError as error:
        raise SyntaxMistake(_TOO_DEEP) from error
    except ValueError as error:  # of a number with thousands of digits
        raise SyntaxMistake(f"{error!s:.{_SHOWN}}") from error
    parts = _checked_parts(tree)
    pieces = [piece for output in tree.body for piece in output.iter_child_nodes()]
    expressions = [_Rewriting({*ROOTS, *known}).visit(piece) for piece in pieces]
    is_text = len(pieces) > 1 or isinstance(pieces[0], nodes.TemplateData)
    return Read(_of_sandbox("text", *expressions) if is_text else expressions[0], parts, is_text)


@cache
def _environment() -> Environment:
    return Environment(autoescape=False)  # noqa: S701  # nothing is rendered


def _checked_parts(tree: nodes.Node) -> int:
    """Count the parts of a tree, without recursion, and refuse trees over the depth limit."""
    level: list[nodes.Node] = [tree]
    parts = 0
    for _ in range(DEEPEST):
        level = [inner for node in level for inner in node.iter_child_nodes()]
        parts += len(level)
        if not level:
            return parts
    raise SyntaxMistake(_TOO_DEEP)


def _of_sandbox(name: str, *given: nodes.Expr) -> nodes.Call:
    return nodes.Call(nodes.EnvironmentAttribute(name), list(given), [], None, None)


class _Rewriting(NodeTransformer):
    """Checks an expression, and replaces operators and literals by calls of the sandbox."""

    def __init__(self, known: Collection[str]) -> None:
        self._known = known

    def visit(self, node: nodes.Node, *args: Any, **kwargs: Any) -> Any:
        if type(node) not in _ALLOWED:
            raise SyntaxMistake(f"“{type(node).__name__.lower()}” is nothing that an expression may have")
        return super().visit(node, *args, **kwargs)

    def visit_TemplateData(self, node: nodes.TemplateData) -> nodes.Expr:
        return nodes.Const(node.data)

    def visit_Const(self, node: nodes.Const) -> nodes.Expr:
        try:
            json_text.write(Budget().checked(node.value))
        except (ExpressionError, TypeError) as error:
            raise SyntaxMistake(str(error)) from error
        return node

    def visit_Name(self, node: nodes.Name) -> nodes.Expr:
        if node.name in MEMBERS:
            raise SyntaxMistake(f"{node.name} is not a value; it has {', '.join(sorted(MEMBERS[node.name]))}")
        if node.name in FUNCTIONS:
            raise SyntaxMistake(f"unknown name {node.name}; {node.name} is a function")
        if node.name not in self._known:
            raise SyntaxMistake(f"unknown name {node.name:.40}; {nearest(node.name, self._known)}")
        return node

    def visit_List(self, node: nodes.List | nodes.Tuple) -> nodes.Expr:
        return _of_sandbox("listed", *map(self.visit, node.items))

    visit_Tuple = visit_List

    def visit_Dict(self, node: nodes.Dict) -> nodes.Expr:
        return _of_sandbox("mapped", *(self.visit(one) for pair in node.items for one in (pair.key, pair.value)))

    def visit_Concat(self, node: nodes.Concat) -> nodes.Expr:
        return _of_sandbox("text", *map(self.visit, node.nodes))

    def visit_Compare(self, node: nodes.Compare) -> nodes.Expr:
        rest = (one for operand in node.ops for one in (nodes.Const(operand.op), self.visit(operand.expr)))
        return _of_sandbox("compare", self.visit(node.expr), *rest)

    def visit_Getattr(self, node: nodes.Getattr) -> nodes.Expr:
        value = node.node
        if isinstance(value, nodes.Name) and value.name in MEMBERS:
            _check_member(value.name, node.attr)
            if value.name == "faker":
                raise SyntaxMistake(f"faker.{node.attr} is a function: write faker.{node.attr}()")
        else:
            value = self.visit(value)
        return _of_sandbox("member", value, nodes.Const(node.attr), nodes.Const(f"{_source_of(node.node)}.{node.attr}"))

    def visit_Getitem(self, node: nodes.Getitem) -> nodes.Expr:
        value = self.visit(node.node)
        if isinstance(node.arg, nodes.Slice):
            bounds = (node.arg.start, node.arg.stop, node.arg.step)
            given = (nodes.Const(None) if one is None else self.visit(one) for one in bounds)
            return _of_sandbox("part", value, *given)
        name = repr(node.arg.value) if isinstance(node.arg, nodes.Const) else "…"
        return _of_sandbox("member", value, self.visit(node.arg), nodes.Const(f"{_source_of(node.node)}[{name:.40}]"))

    def visit_Filter(self, node: nodes.Filter) -> nodes.Expr:
        return self._use(node, "filter", FILTERS)

    def visit_Test(self, node: nodes.Test) -> nodes.Expr:
        return self._use(node, "test", TESTS)

    def _use(self, node: Any, noun: str, there: Mapping[str, Any]) -> nodes.Expr:
        if node.name not in there:
            raise SyntaxMistake(f"unknown {noun} {node.name:.40}; {nearest(node.name, there)}")
        _check_arguments(node)
        found: nodes.Expr = self.generic_visit(node)  # type: ignore[assignment]  # a node stays one
        return found

    def visit_Call(self, node: nodes.Call) -> nodes.Expr:
        _check_arguments(node)
        match node.node:
            case nodes.Name(name=name) if name in FUNCTIONS:
                _check_function(node, name)
                node.args = [self.visit(one) for one in node.args]
                return node
            case nodes.Name(name=name):
                raise SyntaxMistake(f"unknown function {name:.40}; {nearest(name, FUNCTIONS)}")
            case nodes.Getattr(node=nodes.Name(name="faker"), attr=name):
                _check_member("faker", name)
                if node.args or node.kwargs:
                    raise SyntaxMistake(f"faker.{name} takes no arguments")
                return nodes.Call(node.node.node, [nodes.Const(name)], [], None, None)
            case nodes.Getattr(node=value, attr=name) if name in METHODS:
                used = nodes.Filter(value, METHOD.format(name), node.args, node.kwargs, None, None)
                found: nodes.Expr = self.generic_visit(used)  # type: ignore[assignment]  # a node stays one
                return found
            case nodes.Getattr(attr=name):
                raise SyntaxMistake(f"unknown method {name:.40}; known: {', '.join(sorted(METHODS))}")
        raise SyntaxMistake("only functions can be called")


def _source_of(node: nodes.Node) -> str:
    match node:
        case nodes.Name():
            return str(node.name)
        case nodes.Getattr():
            return f"{_source_of(node.node)}.{node.attr}"
    return "…"


def _check_member(base: str, name: str) -> None:
    if name not in MEMBERS[base]:
        raise SyntaxMistake(f"{base} has no {name:.40}; {nearest(name, MEMBERS[base])}")


def _check_arguments(node: Any) -> None:
    if node.dyn_args is not None or node.dyn_kwargs is not None:
        raise SyntaxMistake("arguments have to be written one by one")
    names = [pair.key for pair in node.kwargs]
    if len(names) != len(set(names)):
        raise SyntaxMistake("an argument is given twice")


def _check_function(node: nodes.Call, name: str) -> None:
    if node.kwargs:
        raise SyntaxMistake(f"{name} takes arguments by position")
    try:
        inspect.signature(FUNCTIONS[name]).bind(None, *node.args)
    except TypeError as error:
        raise SyntaxMistake(f"{name}: {error}") from error
    # Of names that are no constants a request could make any number.
    kind = node.args[0].value if name == "next_id" and isinstance(node.args[0], nodes.Const) else ""
    if name == "next_id" and not (isinstance(kind, str) and kind.isidentifier() and len(kind) <= _LONGEST_KIND):
        raise SyntaxMistake(
            f"next_id takes the name of a kind, a text of at most {_LONGEST_KIND} letters, digits and _"
        )
