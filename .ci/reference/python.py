"""The classes and functions of `from mockserver import ...`, out of their signatures, docstrings and comments."""

from __future__ import annotations

import ast
import inspect
import re
import textwrap
from collections.abc import Callable, Iterator, Mapping
from importlib import import_module
from itertools import takewhile
from pkgutil import iter_modules
from types import UnionType
from typing import Any, Literal, Union, get_args, get_origin, is_typeddict

import mockserver
from mockserver import MockServer, Workspace
from mockserver.testing import arguments, handles, records
from mockserver.testing.handles.link import ASKING
from mockserver.views.record import is_record, members, unwrapped

#: The longest line of a signature; a longer one has a line for each parameter.
_WIDTH = 100
#: Modules whose classes users do not meet.
_HIDDEN = ("link",)
#: Classes with a part of their own.
_ELSEWHERE = (MockServer, Workspace)


class _Bare(str):
    """An annotation that is shown without quotes."""

    __slots__ = ()

    def __repr__(self) -> str:
        return str(self)


def python_server() -> Iterator[str]:
    """A server, with its constructor."""
    yield from _class(MockServer, "server", constructor="MockServer")


def python_workspace() -> Iterator[str]:
    """A workspace."""
    yield from _class(Workspace, "workspace")


def python_handles() -> Iterator[str]:
    """The parts of a workspace."""
    for kind in classes(handles.__name__):
        yield from _class(kind, _reached(kind))


def python_arguments() -> Iterator[str]:
    """The names of keyword arguments that several functions take, or that are many."""
    for kind in vars(arguments).values():
        if is_typeddict(kind):
            yield from _class(kind, "")


def python_records() -> Iterator[str]:
    """What the handles return."""
    for kind in vars(records).values():
        if is_record(kind):
            yield from _class(kind, kind.__name__.lower())


def python_coroutines() -> Iterator[str]:
    """The properties that are awaited in async code."""
    for kind in (MockServer, Workspace, *classes(handles.__name__)):
        name = {MockServer: "server", Workspace: "workspace"}.get(kind) or _reached(kind)
        for member, value in inspect.getmembers(kind, lambda value: isinstance(value, property)):
            if value.fget in ASKING:
                yield f"- `await {name}.{member}`"


def python_others() -> Iterator[str]:
    """The other exports of the package: errors, warnings and the application."""
    for name in mockserver.__all__:
        value = getattr(mockserver, name)
        if inspect.isclass(value) and issubclass(value, Exception):
            yield from _class(value, "error")
    yield from _function(mockserver.create_app, "create_app")


def classes(package: str) -> Iterator[type]:
    """The public classes of the modules of a package that have no part of their own here."""
    for found in iter_modules(import_module(package).__path__, f"{package}."):
        module = import_module(found.name)
        for name, value in vars(module).items():
            is_own = inspect.isclass(value) and value.__module__ == module.__name__ and not name.startswith("_")
            if is_own and value not in _ELSEWHERE and found.name.rpartition(".")[2] not in _HIDDEN:
                yield value


def _reached(kind: type) -> str:
    """How code of a test reaches an instance: by the attribute of a workspace, or as a variable."""
    name = kind.__name__.lower()
    return f"workspace.{name}" if f"self.{name} = {kind.__name__}(" in inspect.getsource(Workspace) else name


def _class(kind: type, instance: str, constructor: str = "") -> Iterator[str]:
    yield f"### {kind.__name__}"
    yield ""
    if instance.startswith("workspace."):
        yield f"`{instance}`"
        yield ""
    yield from _text(kind)
    attributes = list(_attributes(kind))
    yield from attributes
    if attributes:
        yield ""
    if constructor:
        yield from _function(kind.__init__, constructor)
    for name, value in vars(kind).items():
        function = inspect.unwrap(getattr(value, "__func__", value))
        if inspect.isfunction(function) and not name.startswith("_"):
            yield from _function(function, f"{kind.__name__ if isinstance(value, staticmethod) else instance}.{name}")


def _function(function: Callable[..., Any], called: str) -> Iterator[str]:
    yield "```python"
    yield signature(function, called)
    yield "```"
    yield ""
    yield from _text(function)


def signature(function: Callable[..., Any], called: str) -> str:
    """A function as it is called, with the annotations of its source, on one line or on a line for each parameter."""
    found = inspect.signature(function)
    shown = [parameter.replace(annotation=_bare(parameter.annotation)) for parameter in found.parameters.values()]
    shown = [parameter for parameter in shown if parameter.name != "self"]
    texts = [str(parameter) for parameter in shown]
    keywords = [index for index, parameter in enumerate(shown) if parameter.kind is parameter.KEYWORD_ONLY]
    if keywords:
        texts.insert(keywords[0], "*")
    end = "" if function.__name__ == "__init__" else f" -> {_bare(found.return_annotation)}"
    line = f"{called}({', '.join(texts)}){end}"
    return line if len(line) <= _WIDTH else "\n    ".join([f"{called}(", *(f"{text}," for text in texts)]) + f"\n){end}"


def _bare(annotation: Any) -> Any:
    return _Bare(annotation) if isinstance(annotation, str) else annotation


def _attributes(kind: type) -> Iterator[str]:
    """Yield a list item for each attribute and property of a class, with its comment or docstring."""
    source = textwrap.dedent(inspect.getsource(kind))
    (tree,) = ast.parse(source).body
    assert isinstance(tree, ast.ClassDef)
    constructors = [row for row in tree.body if isinstance(row, ast.FunctionDef) and row.name == "__init__"]
    body = [] if is_record(kind) else tree.body
    own: list[tuple[ast.stmt, type[ast.expr], Mapping[str, str]]] = [(row, ast.Name, {}) for row in body]
    made = [(row, ast.Attribute, _annotations(found.args)) for found in constructors for row in found.body]
    for statement, form, parameters in (*own, *made):
        for name, type_ in _assigned(statement, form, parameters):
            yield _item(name, type_, _comment(source.splitlines()[: statement.lineno - 1]))
    for member in members(kind) if is_record(kind) else ():
        yield _item(member.name, _hint(member.hint), member.of_type(str) or "")
    for name, value in vars(kind).items():
        if isinstance(value, property) and not name.startswith("_"):
            head, *others = _text(value)
            yield _item(name, value.fget.__annotations__["return"], head)
            yield from (f"  {line}".rstrip() for line in others[:-1])


def _hint(hint: Any) -> str:
    """Return a type as its source names it, without what only the answer needs."""
    type_, _, is_nullable = unwrapped(hint)
    origin, arguments = get_origin(type_), get_args(type_)
    if origin is Literal:
        text = f"Literal[{', '.join(map(repr, arguments))}]"
    elif origin in (Union, UnionType):
        text = " | ".join(map(_hint, arguments))
    elif origin is not None:
        parts = ["..." if argument is ... else _hint(argument) for argument in arguments]
        text = f"{origin.__name__}[{', '.join(parts)}]"
    else:
        text = type_.__name__
    return f"{text} | None" if is_nullable else text


def _annotations(parameters: ast.arguments) -> dict[str, str]:
    return {row.arg: ast.unparse(row.annotation) for row in parameters.args if row.annotation is not None}


def _assigned(statement: ast.stmt, form: type[ast.expr], parameters: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Yield the public names that a statement sets, each with its type as far as the source names it."""
    if isinstance(statement, ast.AnnAssign):
        rows = [(statement.target, ast.unparse(statement.annotation))]
    elif isinstance(statement, ast.Assign):
        both = [(row.elts if isinstance(row, ast.Tuple) else [row]) for row in (statement.targets[0], statement.value)]
        rows = [(target, _made(value, parameters)) for target, value in zip(*both, strict=True)]
    else:
        return
    for target, type_ in rows:
        name = ast.unparse(target).removeprefix("self.")
        if isinstance(target, form) and not name.startswith("_"):
            yield name, type_


def _made(value: ast.expr, parameters: Mapping[str, str]) -> str:
    """Return the type of a value: that of a parameter, or the class that is called; else it is a text."""
    return ast.unparse(value.func) if isinstance(value, ast.Call) else parameters.get(ast.unparse(value), "str")


def _comment(before: list[str]) -> str:
    """Return the text of the `#:` lines at the end of others."""
    lines = takewhile(lambda line: line.startswith("#:"), map(str.strip, reversed(before)))
    return " ".join(line.removeprefix("#:").strip() for line in reversed([*lines]))


def _item(name: str, type_: str, text: str) -> str:
    return f"- `{name}: {type_}`{': ' if text else ''}{text}"


def _text(documented: Any) -> Iterator[str]:
    """Yield the lines of a docstring as Markdown: paragraphs, and a list for each of its sections."""
    for block in (inspect.getdoc(documented) or "").split("\n\n"):
        title, _, rest = block.partition("\n")
        if title not in ("Args:", "Raises:"):
            yield " ".join(block.removeprefix("Returns:\n").split())
        else:
            yield title
            yield ""
            for entry in re.sub(r"\n {8,}", " ", rest).splitlines():
                name, _, text = entry.strip().partition(": ")
                yield f"- `{name}`: {text}"
        yield ""
