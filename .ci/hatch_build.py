"""Adds the types of the coroutines to a wheel: `coroutines.pyi`, made of the handles that block.

Type checkers do not follow how `mockserver/testing/coroutines.py` makes classes, so here the classes are written out.
"""

from __future__ import annotations

import ast
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

_TESTING = "mockserver/testing"
#: The members of each class that is a context manager.
_BLOCK = "async def __aenter__(self) -> Self: ...\nasync def __aexit__(self, *raised: object) -> None: ..."
#: The members of blocking classes that the classes with coroutines do not have.
_ABSENT = {"asynchronous"}


class CustomBuildHook(BuildHookInterface[Any]):
    """Adds the file to a wheel. An editable installation has no such file, and its coroutines have no types."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Write the file to a temporary folder, from which the wheel takes it."""
        if version != "editable":
            self._folder = tempfile.TemporaryDirectory()
            path = Path(self._folder.name, "coroutines.pyi")
            path.write_text(stub(Path(self.root, _TESTING)), encoding="utf-8")
            build_data["force_include"][str(path)] = f"{_TESTING}/{path.name}"

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        """Remove the temporary folder."""
        if version != "editable":
            self._folder.cleanup()


def stub(testing: Path) -> str:
    """The text of `coroutines.pyi` for the modules in the folder `mockserver/testing`."""
    paths = testing / "coroutines.py", testing / "client.py", *sorted((testing / "handles").glob("*.py"))
    source, client, *handles = [ast.parse(path.read_text(encoding="utf-8")) for path in paths]
    blocking = {node.name: node for tree in (client, *handles) for node in _classes(tree)}
    # The classes that coroutines.py declares, by the name of the blocking class that each of them completes.
    declared = {_argument(node): node for node in _classes(source) if node.decorator_list}
    parts = [name for name, node in blocking.items() if [ast.unparse(base) for base in node.bases] == ["Handle"]]
    renaming = _Renaming({name: node.name for name, node in declared.items()})
    made = [_class(renaming.visit(blocking[name]), declared.get(name)) for name in (*parts, *declared)]
    imports = _imports(source)
    for tree in (client, *handles):
        # A handle with coroutines has the name of the one that blocks.
        imports |= _imports(tree, but=("mockserver.testing.handles", "mockserver.testing.coroutines"))
    imports |= {node.name: f"from mockserver.testing.client import {node.name}" for node in _classes(client)}
    used = {node.id for kind in made for node in ast.walk(kind) if isinstance(node, ast.Name)}
    lines = sorted(imports[name] for name in imports.keys() & used - {node.name for node in made})
    return "\n".join([*lines, *(ast.unparse(ast.fix_missing_locations(node)) for node in made), ""])


class _Renaming(ast.NodeTransformer):
    """Renames the blocking classes whose classes with coroutines have another name."""

    def __init__(self, names: dict[str, str]) -> None:
        self.names = names

    def visit_Name(self, node: ast.Name) -> ast.Name:  # a name that `ast` looks for
        return ast.Name(self.names.get(node.id, node.id))

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.AST:
        node.name = self.names.get(node.name, node.name)
        return self.generic_visit(node)


def _classes(tree: ast.Module) -> Iterator[ast.ClassDef]:
    return (node for node in tree.body if isinstance(node, ast.ClassDef))


def _argument(node: ast.ClassDef) -> str:
    """The argument of the decorator of a class."""
    return ast.unparse(node.decorator_list[0]).partition("(")[2].removesuffix(")")


def _imports(tree: ast.Module, but: tuple[str, ...] = ()) -> dict[str, str]:
    """The imports of a module by the names that they bind, also those for types only, without those of some modules."""
    found: dict[str, str] = {}
    for node in (row for part in tree.body for row in (part.body if isinstance(part, ast.If) else [part])):
        if isinstance(node, ast.Import):
            found |= {row.name: f"import {row.name}" for row in node.names}
        elif isinstance(node, ast.ImportFrom) and not str(node.module).startswith(but):
            found |= {row.asname or row.name: f"from {node.module} import {ast.unparse(row)}" for row in node.names}
    return found


def _class(blocking: ast.ClassDef, declared: ast.ClassDef | None) -> ast.ClassDef:
    """The class with coroutines of a blocking class, with the members that coroutines.py declares for it."""
    own = list(_members(declared, are_awaited=False)) if declared else []
    names = {name for name, _ in own}
    body = [node for name, node in own if not name.startswith("_")]
    for name, node in _members(blocking, are_awaited=True):
        if name == "__exit__":
            body += ast.parse(_BLOCK).body
        elif name in names if name == "__init__" else not (name.startswith("_") or name in names | _ABSENT):
            body.append(node)
    docs = [ast.get_docstring(node, clean=False) for node in (declared, blocking) if node]
    blocking.bases, blocking.body = [], [ast.Expr(ast.Constant(next(filter(None, docs)))), *body]
    return blocking


def _members(kind: ast.ClassDef, *, are_awaited: bool) -> Iterator[tuple[str, ast.stmt]]:
    """The members of a class by their names; methods as coroutine functions if they are awaited."""
    for node in kind.body:
        if isinstance(node, ast.AnnAssign):
            yield _attribute(node.target, node.annotation)
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield node.name, _function(node, is_awaited=are_awaited and node.name != "__init__")
            if node.name == "__init__" and are_awaited:
                yield from _set_by(node)


def _set_by(constructor: ast.FunctionDef | ast.AsyncFunctionDef) -> Iterator[tuple[str, ast.stmt]]:
    """The attributes that a constructor sets: those with an annotation, and parts of a workspace."""
    for node in constructor.body:
        if isinstance(node, ast.AnnAssign):
            yield _attribute(node.target, node.annotation)
        elif (
            isinstance(node, ast.Assign) and isinstance(node.value, ast.Call) and ast.unparse(node).startswith("self.")
        ):
            yield _attribute(node.targets[0], node.value.func)


def _attribute(target: ast.expr, annotation: ast.expr) -> tuple[str, ast.stmt]:
    name = ast.unparse(target).removeprefix("self.")
    return name, ast.AnnAssign(ast.Name(name), annotation, None, 1)


def _function(node: ast.FunctionDef | ast.AsyncFunctionDef, *, is_awaited: bool) -> ast.stmt:
    """A function without its body; a coroutine function if it is awaited, unless it is a property that asks nothing."""
    decorators = {ast.unparse(row): row for row in node.decorator_list}
    is_awaited = is_awaited and ("property" not in decorators or decorators.pop("asks", None) is not None)
    kind = ast.AsyncFunctionDef if is_awaited else type(node)
    doc = ast.get_docstring(node, clean=False)
    body = [ast.Expr(ast.Constant(... if doc is None else doc))]
    return kind(**{**vars(node), "body": body, "decorator_list": list(decorators.values())})
