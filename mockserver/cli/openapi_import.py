"""`stubs from-openapi`: makes a scenario of stubs out of an OpenAPI document."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import date
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mockserver.cli.options import EXISTING_FILE, OUTPUT, write
from mockserver.cli.output import echo, fail
from mockserver.cli.program import Misused, argument, command, option
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
    """Convert an OpenAPI document (3.0 or 3.1, YAML or JSON) into a scenario of stubs.

    Each operation that the mock does not have gets a stub with the documented status of success. Its body is an example
    of the document, or made from the defaults, listed values and types of the schema. Operations that are left out are
    listed on standard error with the reason, such as a schema with a pattern and no example. Nothing is fetched.
    """
    from mockserver.beyond.openapi import DocumentError, imported
    from mockserver.scenario.dump import to_yaml

    root, locate = _read(file)
    if base is not None and base.strip("/") and not base.startswith("/"):
        raise Misused(f"--base is a path such as /v3, not {base!r}")
    try:
        stubs, left_out = imported(root, None if base is None else base.rstrip("/"))
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


def _read(file: Path) -> tuple[dict[str, Any], Callable[[Place], str]]:
    """Load a document, and return its data with a function that locates paths.

    JSON is read as JSON: YAML reads tabs, `1e5` and surrogate pairs in another way.
    """
    from mockserver.scenario.documents.document import refuse_unreadable
    from mockserver.scenario.documents.mistakes import ScenarioError
    from mockserver.scenario.documents.reading import Bounds, parse
    from mockserver.web.schemas import json_text

    text = _text(file)

    def parsed() -> MappingNode:
        return parse(text, str(file), Bounds(parts=10_000_000), called="an OpenAPI document")

    @cache
    def lines() -> MappingNode | None:
        try:
            return parsed()
        except ScenarioError:
            return None

    try:
        found = json_text.read(text.encode()) if text.lstrip().startswith("{") else None
    except json_text.JsonError:
        found = None
    if isinstance(found, dict):
        return found, lambda path: _located(lines(), path, file)
    try:
        document = parsed()
        refuse_unreadable(document)
    except ScenarioError as error:
        fail(str(error))
    return _plain(document), lambda path: _located(document, path, file)


def _text(file: Path) -> str:
    try:
        return files.read_text(file, _LARGEST, encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        fail(f"{file} is not UTF-8 at byte {error.start}")
    except OSError as error:
        fail(f"{file}: {error.strerror}")


def _plain(value: Any) -> Any:
    """Return a YAML value as JSON has it; dates are texts."""
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
    """Return a path as a JSON Pointer (RFC 6901), cut to 200 characters."""
    text = "".join(f"/{str(part).replace('~', '~0').replace('/', '~1')}" for part in path) or "/"
    return text if len(text) <= 200 else f"{text[:199]}…"
