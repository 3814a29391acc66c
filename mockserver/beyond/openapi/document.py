"""An OpenAPI document. `jsonref` resolves its references, but only those within the document: nothing is fetched."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from jsonref import JsonRef, JsonRefError, replace_refs

from mockserver.core.text.messages import shown

#: The most steps for an operation and for a document, each a look at one part; all of them take some seconds. A circle
#: of references takes many, as `jsonref` follows it as deep as Python allows.
_MOST_STEPS, _MOST_STEPS_OF_ALL, _CIRCLE = 100_000, 3_000_000, 5_000
#: The most paths of a document. Chosen: ten times those of the largest public documents.
_MOST_PATHS = 10_000


class DocumentError(ValueError):
    """A file is not a readable OpenAPI document: the path of the mistake, and a message."""


class LeftOutError(Exception):
    """An operation gets no stub; the message says why."""


class Document:
    """An OpenAPI document. Its methods raise LeftOutError if a part cannot be read.

    A reference stays a proxy until it is read, so that a broken one concerns only the operations that use it.

    Raises:
        DocumentError: the version is not 3.0 or 3.1, there are no paths or too many, or a `$ref` is not a text.
    """

    def __init__(self, root: Mapping[str, Any]) -> None:
        version, paths = root.get("openapi", root.get("swagger")), root.get("paths")
        if "openapi" not in root or not str(version).startswith(("3.0", "3.1")):
            raise DocumentError(("openapi",), f"expected an OpenAPI document, 3.0 or 3.1, got {shown(version)}")
        if not isinstance(paths, dict) or len(paths) > _MOST_PATHS:
            raise DocumentError(("paths",), f"expected a mapping of at most {_MOST_PATHS:,} paths, got {shown(paths)}")
        #: Whether members beside a `$ref` count, as they do from 3.1 on.
        self.heeds_siblings = not str(version).startswith("3.0")
        checked = {**root, "$ref": None, "paths": {**paths, "$ref": None}}  # these two are not references
        try:
            self.root = replace_refs(checked, loader={}.__getitem__)
        except (JsonRefError, ValueError) as error:  # it resolves a reference that stands in the place of one's text
            raise DocumentError((), "a `$ref` is a reference itself, expected a text") from error
        self._left, self._left_of_all = _MOST_STEPS, _MOST_STEPS_OF_ALL

    def begin(self) -> None:
        """Count the steps of another operation."""
        self._left_of_all -= _MOST_STEPS - self._left
        self._left = min(_MOST_STEPS, self._left_of_all)

    def take(self, steps: int = 1) -> None:
        """Count steps, up to the limit."""
        self._left -= steps
        if self._left < 0:
            raise LeftOutError("its schema, or those before it, are too large or repeat themselves too often")

    def resolved(self, value: Any) -> Any:
        """Return a value, or for a reference what it leads to, within the document."""
        self.take()
        if not isinstance(value, JsonRef):
            return value
        self.take(len(value.__reference__["$ref"]) // 10)
        try:
            return value.__subject__
        except RecursionError as error:
            self.take(_CIRCLE)
            raise LeftOutError(f"the reference {shown(value.__reference__['$ref'])} leads in a circle") from error
        except (JsonRefError, ValueError) as error:
            text = getattr(error, "reference", value.__reference__)["$ref"]
            why = "leads nowhere" if text.startswith("#") else "leads to another document, and nothing is fetched"
            raise LeftOutError(f"the reference {shown(text)} {why}") from error

    def raw(self, owner: Any, name: str, default: Any = None) -> Any:
        """Return a member of a mapping, which may be a reference, or the default if there is none."""
        found = self.resolved(owner)
        return found.get(name, default) if isinstance(found, dict) else default

    def get(self, owner: Any, name: str, kind: type[Any] | None = None) -> Any:
        """Return a member of a mapping, or None if there is none; of a kind, list or dict, an empty one."""
        value = self.resolved(self.raw(owner, name))
        if kind is None or isinstance(value, kind):
            return value
        if value is not None:
            raise LeftOutError(f"{name}: expected a {'list' if kind is list else 'mapping'}, got {shown(value)}")
        return kind()

    def plain(self, value: Any) -> Any:
        """Return a value as it is written: a reference within an example is a mapping like any other."""
        value = value.__reference__ if isinstance(value, JsonRef) else value
        self.take(1 + len(value) // 10 if isinstance(value, str) else 1)
        if isinstance(value, dict):
            return {name: self.plain(inner) for name, inner in value.items()}
        return [self.plain(inner) for inner in value] if isinstance(value, list) else value
