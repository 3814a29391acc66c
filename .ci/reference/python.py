"""The classes and functions of `from mockserver import ...`, out of their signatures, docstrings and comments."""

from __future__ import annotations

import ast
import inspect
import re
import textwrap
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from importlib import import_module
from itertools import takewhile
from pkgutil import iter_modules
from types import UnionType
from typing import Any, Literal, Union, get_args, get_origin, is_typeddict

import mockserver
from mockserver import MockServer, MockServerError, Workspace
from mockserver.testing import arguments, handles, names, records
from mockserver.testing.handles.link import ASKING
from mockserver.views.record import is_record, members, unwrapped

#: The longest line of a signature; a longer one has a line for each parameter.
_WIDTH = 100
#: Modules whose classes users do not meet.
_HIDDEN = ("link",)
#: Classes that no public name leads to.
_INTERNAL = ("LocalServer", "Leaving")
#: Classes with a part of their own.
_ELSEWHERE = (MockServer, Workspace)
#: Keyword arguments that are members of a fault, a stub or an app, which another page describes.
_MEMBERS = {
    "FaultOptions": "[fault](faults.md#fault)", "StubMembers": "[stub](stubs.md#stub)",
    "AppChange": "[app](scenarios.md#app)", "DnsRecords": "[domain](scenarios.md#dns)",
}  # fmt: skip
#: What so many records or methods have with one meaning is explained once for all of them.
_TWICE = 2
#: Statuses of `MockServerError` that mean the same for every method: the page explains them once.
_USUAL = ("400, ", "404, ")
#: Names of long literals.
_LITERALS = {get_args(alias): name for name, alias in vars(names).items() if get_origin(alias) is Literal}


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
    """The names of keyword arguments that several functions take, or that are many; another page has the settings."""
    for kind in vars(arguments).values():
        if is_typeddict(kind) and kind is not arguments.ServerSettings:
            yield from _class(kind, "")


def python_errors() -> Iterator[str]:
    """The errors that several methods raise for one reason."""
    yield from (f"- `{name}`: {text}" for name, text in _often())


def python_shared() -> Iterator[str]:
    """The members that several records have."""
    for (name, type_), text in sorted(_shared().items()):
        yield _item(name, type_, text)


def python_records() -> Iterator[str]:
    """What the handles return."""
    for kind in _records():
        yield from _class(kind, kind.__name__.lower())


def _records() -> list[type]:
    return [kind for kind in vars(records).values() if is_record(kind)]


@cache
def _shared() -> dict[tuple[str, str], str]:
    """The texts of members that several records have with the same meaning, by name and type."""
    found = [member for kind in _records() for member in members(kind)]
    rows = [(member.name, _hint(member.hint), member.of_type(str) or "") for member in found]
    return {(name, type_): text for (name, type_, text), number in Counter(rows).items() if text and number >= _TWICE}


def python_coroutines() -> Iterator[str]:
    """The properties that are awaited in async code."""
    names_ = {MockServer: "server", Workspace: "workspace"}
    yield ", ".join(
        f"`{names_.get(kind) or _reached(kind)}.{member}`"
        for kind in (MockServer, Workspace, *classes(handles.__name__))
        for member, value in inspect.getmembers(kind, lambda value: isinstance(value, property))
        if value.fget in ASKING
    )


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
            is_hidden = found.name.rpartition(".")[2] in _HIDDEN or name in _INTERNAL
            if is_own and value not in _ELSEWHERE and not is_hidden:
                yield value


def _reached(kind: type) -> str:
    """How code of a test reaches an instance: by the attribute of a workspace, or as a variable."""
    name = kind.__name__.lower()
    return f"workspace.{name}" if f"self.{name} = {kind.__name__}(" in inspect.getsource(Workspace) else name


def _class(kind: type, instance: str, constructor: str = "") -> Iterator[str]:
    yield ""
    yield f"### {kind.__name__}"
    yield ""
    text, *more = _text(kind)
    yield f"`{instance}`: {text}" if instance.startswith("workspace.") else text
    yield from more
    if kind.__name__ in _MEMBERS:
        yield f"The members of a {_MEMBERS[kind.__name__]}, with these types:"
        yield ""
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
    """Yield a function: as a line if it and its docstring are as short as that, else as a block with paragraphs."""
    shown = signature(function, called)
    lines = [line for line in _text(function) if line]
    if len(lines) == 1 and "\n" not in shown:
        yield f"- `{shown}`: {lines[0]}"
        return
    yield ""
    yield "```python"
    yield shown
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
    returned = str(_bare(found.return_annotation))
    end = "" if returned == "None" else f" -> {returned}"
    line = f"{called}({', '.join(texts)}){end}"
    return line if len(line) <= _WIDTH else "\n    ".join([f"{called}(", *(f"{text}," for text in texts)]) + f"\n){end}"


def _bare(annotation: Any) -> Any:
    return _Bare(annotation) if isinstance(annotation, str) else annotation


def _attributes(kind: type) -> Iterator[str]:
    """Yield a list item for each attribute and property of a class, with its comment or docstring.

    Names without a text stand together, those of one type with it.
    """
    described = list(_described(kind))
    bare = [(name, type_) for name, type_, text, _ in described if not text]
    shown: list[str] = []
    for name, type_, text, more in described:
        if text:
            yield from _bare_item(shown)
            shown.clear()
            yield _item(name, type_, text)
            yield from (f"  {line}".rstrip() for line in more)
        elif (names_ := [row for row, found in bare if found == type_])[0] == name:
            shown.append(f"`{', '.join(names_)}: {type_}`")
    yield from _bare_item(shown)


def _bare_item(shown: list[str]) -> Iterator[str]:
    if shown:
        yield f"- {', '.join(shown)}"


def _described(kind: type) -> Iterator[tuple[str, str, str, list[str]]]:
    """Yield each attribute and property of a class: name, type, text, and further lines."""
    source = textwrap.dedent(inspect.getsource(kind))
    (tree,) = ast.parse(source).body
    assert isinstance(tree, ast.ClassDef)
    constructors = [row for row in tree.body if isinstance(row, ast.FunctionDef) and row.name == "__init__"]
    body = [] if is_record(kind) else tree.body
    own: list[tuple[ast.stmt, type[ast.expr], Mapping[str, str]]] = [(row, ast.Name, {}) for row in body]
    made = [(row, ast.Attribute, _annotations(found.args)) for found in constructors for row in found.body]
    for statement, form, parameters in (*own, *made):
        for name, type_ in _assigned(statement, form, parameters):
            is_known = kind.__name__ in _MEMBERS
            yield name, type_, "" if is_known else _comment(source.splitlines()[: statement.lineno - 1]), []
    for member in members(kind) if is_record(kind) else ():
        type_ = _hint(member.hint)
        yield member.name, type_, "" if (member.name, type_) in _shared() else member.of_type(str) or "", []
    for name, value in vars(kind).items():
        if isinstance(value, property) and not name.startswith("_"):
            text, *more = _text(value)
            yield name, value.fget.__annotations__["return"], text, more[:-1]


def _hint(hint: Any) -> str:
    """Return a type as its source names it, without what only the answer needs."""
    type_, _, is_nullable = unwrapped(hint)
    origin, arguments = get_origin(type_), get_args(type_)
    if origin is Literal:
        text = _LITERALS.get(arguments) or f"Literal[{', '.join(map(repr, arguments))}]"
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
    """Yield the lines of a docstring as Markdown: paragraphs, lists of arguments, and what is raised."""
    for title, rest in _blocks(documented):
        if title == "Raises:":
            yield from _raises(list(_entries(rest)))
        elif title == "Args:":
            yield from (f"- `{name}`: {text}" for name, text in _entries(rest))
        else:
            yield " ".join(f"{title} {rest}".removeprefix("Returns: ").split())
        yield ""


def _blocks(documented: Any) -> Iterator[tuple[str, str]]:
    """Yield the paragraphs of a docstring, each as its first line and the others."""
    for block in (inspect.getdoc(documented) or "").split("\n\n"):
        title, _, rest = block.partition("\n")
        yield title, rest


def _entries(text: str) -> Iterator[tuple[str, str]]:
    """Yield the names and texts of a section of a docstring, such as `Raises`."""
    for entry in re.sub(r"\n {8,}", " ", text).splitlines():
        name, _, about = entry.strip().partition(": ")
        yield name, about


def _raises(found: list[tuple[str, str]]) -> Iterator[str]:
    """Yield a sentence about errors, without what the page says of all methods."""
    special = [(name, _without_usual(name, text)) for name, text in found if (name, text) not in _often()]
    if texts := [f"`{name}`: {text[0].lower()}{text[1:]}" for name, text in special if text]:
        yield f"Raises {'; '.join(texts)}."


def _without_usual(name: str, text: str) -> str:
    """Return the reason of an error without what a status means for every method."""
    parts = text.removesuffix(".").split("; ")
    if name != MockServerError.__name__:
        return "; ".join(parts)
    return "; ".join(part for part in parts if not part.startswith(_USUAL))


@cache
def _often() -> list[tuple[str, str]]:
    """The errors that several methods raise for one reason."""
    kinds = (MockServer, Workspace, *classes(handles.__name__))
    functions = [inspect.unwrap(getattr(value, "__func__", value)) for kind in kinds for value in vars(kind).values()]
    blocks = [block for function in functions if inspect.isfunction(function) for block in _blocks(function)]
    found = Counter(entry for title, rest in blocks if title == "Raises:" for entry in _entries(rest))
    return [entry for entry, number in found.items() if number >= _TWICE and _without_usual(*entry)]
