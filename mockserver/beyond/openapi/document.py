"""An OpenAPI document. `jsonref` resolves its references, but only those within the document: nothing is fetched."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from jsonref import JsonRef, JsonRefError, replace_refs

from mockserver.core.text.given import shown

Path = tuple[str | int, ...]

#: The most steps for one operation, and for a document: a step looks at one part of it. Chosen: a hundred times those
#: of the largest public documents; together they take some seconds.
_MOST_STEPS, _MOST_STEPS_OF_ALL = 100_000, 3_000_000
#: The most paths of a document. Chosen: ten times those of the largest public documents.
_MOST_PATHS = 10_000
#: The steps of a circle of references, which `jsonref` follows as deep as Python allows.
_CIRCLE = 2_000


class DocumentError(ValueError):
    """A file is not a readable OpenAPI document."""

    def __init__(self, path: Path, message: str) -> None:
        super().__init__(message)
        self.path = path


class LeftOutError(ValueError):
    """An operation gets no stub; the message says why."""


class Document:
    """An OpenAPI document, whose parts are read with a limit of steps.

    A reference is a proxy until it is read, so that a broken one concerns only the operations that use it.

    Raises:
        DocumentError: the version is not 3.0 or 3.1, or the document has no paths.
    """

    def __init__(self, root: Mapping[str, Any]) -> None:
        version = root.get("openapi")
        if not isinstance(version, str) or not version.startswith(("3.0", "3.1")):
            name = "swagger" if "swagger" in root else "openapi"
            place, given = ((name,), f"got {shown(root[name])}") if name in root else ((), "it is missing")
            raise DocumentError(place, f"{name}: expected version 3.0 or 3.1, {given}")
        paths = root.get("paths")
        if not isinstance(paths, dict) or len(paths) > _MOST_PATHS:
            raise DocumentError(
                ("paths",) if "paths" in root else (), f"paths: expected a mapping of at most {_MOST_PATHS:,}"
            )
        #: Whether members beside a `$ref` count, as they do from 3.1 on.
        self.heeds_siblings = not version.startswith("3.0")
        self.root = replace_refs({**root, "$ref": None, "paths": {**paths, "$ref": None}}, loader=_refuse)
        self.paths: dict[str, Any] = {name: item for name, item in self.root["paths"].items() if name.startswith("/")}
        self._left, self._left_of_all = _MOST_STEPS, _MOST_STEPS_OF_ALL

    def begin(self) -> None:
        """Count the steps of another operation."""
        self._left = _MOST_STEPS

    def take(self, steps: int = 1) -> None:
        """Count steps.

        Raises:
            LeftOutError: there were too many of them.
        """
        self._left -= steps
        self._left_of_all -= steps
        if self._left < 0:
            raise LeftOutError("its schema is too large, or repeats itself too often")
        if self._left_of_all < 0:
            raise LeftOutError("the operations before this one have used up the limit of work for a document")

    def resolved(self, value: Any) -> Any:
        """Return a value, or for a reference what it leads to.

        Raises:
            LeftOutError: the reference leads out of the document, nowhere, or in a circle.
        """
        self.take()
        if not isinstance(value, JsonRef):
            return value
        reference = value.__reference__["$ref"]
        self.take(len(reference) // 10)
        try:
            return value.__subject__
        except RecursionError as error:
            self.take(_CIRCLE)
            raise LeftOutError(f"the reference {shown(reference)} leads in a circle") from error
        except (JsonRefError, ValueError) as error:
            found = getattr(error, "reference", value.__reference__)["$ref"]
            why = "leads nowhere" if found.startswith("#") else "leads to another document, and nothing is fetched"
            raise LeftOutError(f"the reference {shown(found)} {why}") from error

    def get(self, owner: Any, name: str, kind: type[Any] | None = None) -> Any:
        """Return a member of a mapping, or None if there is none; of a kind an empty one.

        Raises:
            LeftOutError: the member is of another kind.
        """
        found = self.resolved(owner)
        value = self.resolved(found.get(name)) if isinstance(found, dict) else None
        if kind is None or isinstance(value, kind):
            return value
        if value is not None:
            raise LeftOutError(f"{name}: expected a {'list' if kind is list else 'mapping'}, got {shown(value)}")
        return kind()

    def plain(self, value: Any) -> Any:
        """Return a value as it is written: a reference within an example is a mapping like any other."""
        if isinstance(value, JsonRef):
            value = value.__reference__
        self.take(1 + len(value) // 10 if isinstance(value, str) else 1)
        if isinstance(value, dict):
            return {name: self.plain(inner) for name, inner in value.items()}
        return [self.plain(inner) for inner in value] if isinstance(value, list) else value


def _refuse(address: str) -> Any:
    raise LookupError(address)
