"""The reference of Python: every handle and every record, out of their docstrings, without a list of them."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from importlib import import_module
from pkgutil import iter_modules
from typing import is_typeddict

from sphinx.application import Sphinx

_PLACE = re.compile(r"^<!-- classes: ([\w.]+) -->$", re.MULTILINE)
#: Stands for a colon meanwhile; no text has it.
_COLON = "\ufdd0"
_CODE = re.compile(r"(?<![:`])`([^`]+)`(?!`)")
#: Classes that stand on the page already, or that users never meet.
_NAMED_ELSEWHERE = frozenset({"MockServer", "AsyncMockServer", "Workspace", "AsyncWorkspace", "Link", "AsyncLink"})
#: Packages whose classes users get, and do not make.
_GIVEN = "mockserver.testing."


def setup(app: Sphinx) -> dict[str, bool]:
    app.connect("source-read", _list)
    app.connect("autodoc-process-signature", _without_constructor)
    # Before Napoleon, which would take a colon between single backquotes for one that follows a type.
    app.connect("autodoc-process-docstring", _plain, priority=400)
    app.connect("autodoc-process-docstring", _with_colons, priority=600)
    return {"parallel_read_safe": True}


def _list(_: Sphinx, name: str, source: list[str]) -> None:
    source[0] = _PLACE.sub(lambda place: "\n".join(_directives(place[1])), source[0])


def _directives(package: str) -> Iterator[str]:
    yield "```{eval-rst}"
    for name in classes(package):
        yield f".. autoclass:: {name}"
    yield "```"


def classes(package: str) -> Iterator[str]:
    """The names of all public classes of a package, by their modules."""
    for found in iter_modules(import_module(package).__path__, f"{package}."):
        if found.name.rpartition(".")[2] == "reading":
            continue
        module = import_module(found.name)
        for name, value in vars(module).items():
            is_own = inspect.isclass(value) and value.__module__ == module.__name__
            if is_own and not name.startswith("_") and _is_shown(name, value):
                yield f"{module.__name__}.{name}"


def _is_shown(name: str, value: type) -> bool:
    return name not in _NAMED_ELSEWHERE and bool(value.__doc__) and not is_typeddict(value)


def _without_constructor(
    _: Sphinx, what: str, name: str, __: object, ___: object, signature: str | None, returns: str | None
) -> tuple[str | None, str | None]:
    """A handle is had from its workspace, and a record from a handle: what makes them is nobody else's business."""
    hidden = what == "class" and name.startswith(_GIVEN) and "MockServer" not in name
    return ("", returns) if hidden else (signature, returns)


def _plain(_: Sphinx, kind: str, ___: str, ____: object, _____: object, lines: list[str]) -> None:
    """Code between single backquotes, as docstrings here have it; and nothing where nobody has said something."""
    if lines and lines[0].startswith("Alias for field number"):  # of a member of a tuple
        lines.clear()
    if kind in ("attribute", "property"):
        # Napoleon takes what stands before a colon of the first line for a type.
        lines[:1] = [line.replace(":", _COLON) for line in lines[:1]]
    lines[:] = [_CODE.sub(r"``\1``", line) for line in lines]


def _with_colons(_: Sphinx, __: str, ___: str, ____: object, _____: object, lines: list[str]) -> None:
    lines[:] = [line.replace(_COLON, ":") for line in lines]
