"""`stubs from-openapi`: makes a scenario of stubs out of an OpenAPI document."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import date
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mockserver.cli.options import OUTPUT
from mockserver.cli.output import echo, fail
from mockserver.cli.program import Misused, argument, command, option
from mockserver.cli.values import EXISTING_FILE
from mockserver.cli.writing import write
from mockserver.core.text.messages import counted
from mockserver.settings import files

if TYPE_CHECKING:
    from mockserver.scenario.documents.document import MappingNode
    from mockserver.scenario.documents.mistakes import Path as Place

#: The largest document, in bytes. Chosen: three times the largest public ones; it takes some seconds to read.
_LARGEST = 32 * 1024 * 1024


@command("from-openapi")
@argument("file", type=EXISTING_FILE)
@OUTPUT
@option(
    "--base",
    metavar="PATH",
    help="Let all paths begin with this, such as /v3, and not with the path of the document's server.",
)
def from_openapi(file: Path, output: Path | None, base: str | None) -> None:
    """Make a scenario of stubs out of an OpenAPI document, 3.0 or 3.1, YAML or JSON.

    Each operation that the mock does not have gets a stub with the documented status of success. Its body is an example
    of the document, or made from the defaults, listed values and types of the schema. Operations that are left out are
    listed on standard error with the reason, such as a schema with a pattern and no example. Nothing is fetched.
    """
    from mockserver.beyond.openapi import DocumentError, imported
    from mockserver.scenario.dump import to_yaml

    root, locate = _read(file)
    try:
        stubs, left_out = imported(root, _checked_base(base))
    except DocumentError as error:
        place, message = error.args
        fail(f"{locate(place)}: {message}")
    for row in left_out:
        echo(f"left out: {row.operation} ({locate(row.place)}): {row.reason}", err=True)
    if not stubs:
        fail(f"{file}: no operation of which a stub can be made")
    write(output, to_yaml({"description": f"Stubs made of {file.name}.", "stubs": stubs}))
    where = f" in {output}" if output else ""
    echo(f"{counted(len(stubs), 'stub')}{where}, {counted(len(left_out), 'operation')} left out", err=True)


def _checked_base(base: str | None) -> str | None:
    if base is not None and base.strip("/") and not base.startswith("/"):
        raise Misused(f"--base is a path such as /v3, not {base!r}")
    return None if base is None else base.rstrip("/")


# ------------------------------------------------------------------ reading


def _read(file: Path) -> tuple[dict[str, Any], Callable[[Place], str]]:
    """A document as plain data, and what says where a path of it is: in which file, and on which line if that is known.

    JSON is read as such: YAML knows neither its tabs nor its `1e5` nor its pairs of escapes.
    """
    from mockserver.scenario.documents.document import refuse_unreadable
    from mockserver.scenario.documents.mistakes import ScenarioError

    text = _text(file)
    found = _as_json(text) if text.lstrip().startswith("{") else None
    if found is not None:
        return found, lambda path: _located(_lines_of(text, file), path, file)
    try:
        document = _parsed(text, file)
        refuse_unreadable(document)
    except ScenarioError as error:
        fail(str(error))
    return _plain(document), lambda path: _located(document, path, file)


@lru_cache(maxsize=1)
def _lines_of(text: str, file: Path) -> MappingNode | None:
    """A JSON text as a document that knows its lines, or None if it is no YAML as well."""
    from mockserver.scenario.documents.mistakes import ScenarioError

    try:
        return _parsed(text, file)
    except ScenarioError:
        return None


def _parsed(text: str, file: Path) -> MappingNode:
    from mockserver.scenario.documents.reading import Bounds, parse

    return parse(text, str(file), Bounds(parts=10_000_000), called="an OpenAPI document")


def _as_json(text: str) -> dict[str, Any] | None:
    """The object that a JSON text is, or None if it is none."""
    from mockserver.web.schemas import json_text

    try:
        found = json_text.read(text.encode())
    except json_text.JsonError:
        return None
    return found if isinstance(found, dict) else None


def _text(file: Path) -> str:
    try:
        return files.read_text(file, _LARGEST, encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        fail(f"{file} is not UTF-8 at byte {error.start}")
    except OSError as error:
        fail(f"{file}: {error.strerror}")


def _plain(value: Any) -> Any:
    """A value of YAML as JSON has it; dates are texts."""
    if isinstance(value, dict):
        return {name: _plain(inner) for name, inner in value.items()}
    if isinstance(value, list):
        return [_plain(inner) for inner in value]
    return value.isoformat().replace("+00:00", "Z") if isinstance(value, date) else value


def _located(document: MappingNode | None, path: Place, file: Path) -> str:
    from mockserver.scenario.documents.document import locate

    mark = locate(document, path).mark
    return f"{file}:{mark.line}: {_pointer(path)}" if mark else f"{file}: {_pointer(path)}"


def _pointer(path: Iterable[str | int]) -> str:
    """A path as a JSON Pointer (RFC 6901), cut where it is too long for a line."""
    text = "".join(f"/{str(part).replace('~', '~0').replace('/', '~1')}" for part in path) or "/"
    return text if len(text) <= 200 else f"{text[:199]}…"
