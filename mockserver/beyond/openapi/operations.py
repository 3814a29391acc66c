"""The operations of an OpenAPI document as stubs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from marshmallow import ValidationError

from mockserver.beyond.openapi.addresses import address, base_of
from mockserver.beyond.openapi.answers import success
from mockserver.beyond.openapi.document import Document, LeftOutError, Path
from mockserver.beyond.openapi.literals import literal
from mockserver.beyond.stubs.item import METHODS, StubItem
from mockserver.beyond.stubs.pattern import overlap
from mockserver.beyond.stubs.stub_list import MOST_STUBS
from mockserver.core.text.spelling import cut
from mockserver.resources.registry import API_OPERATIONS

_METHODS = ("get", "put", "post", "delete", "options", "head", "patch", "trace")
_LONGEST_TITLE = 200


class LeftOut(NamedTuple):
    """An operation without a stub, and the reason."""

    #: Its method and path as the document has them, or the path alone.
    operation: str
    reason: str
    place: Path


class Imported(NamedTuple):
    """The result of an import."""

    #: A scenario that has only a description and stubs.
    scenario: dict[str, Any]
    left_out: list[LeftOut]


def imported(root: Mapping[str, Any], base: str | None = None) -> Imported:
    """Make stubs of all operations of a document that the mock does not have itself.

    Args:
        root: The document, as plain data.
        base: The beginning of all paths, in place of the path of the document's server.

    Raises:
        DocumentError: the document is not OpenAPI 3.0 or 3.1, or has no paths or too many.
    """
    document = Document(root)
    stubs: dict[str, dict[str, Any]] = {}
    left_out = []
    for path, item in document.paths.items():
        for name in _method_names(document, item):
            document.begin()
            try:
                _add(stubs, _stub(document, path, name, base))
            except LeftOutError as error:
                place = ("paths", path, name) if name else ("paths", path)
                left_out.append(LeftOut(f"{name.upper()} {path}".strip(), str(error), place))
    return Imported({"description": _description(document), "stubs": list(stubs.values())}, left_out)


def _description(document: Document) -> str:
    info = document.root.get("info")
    title = info.get("title") if type(info) is dict else None
    return f"Stubs made of the OpenAPI document{f' of {cut(title, _LONGEST_TITLE)}' if type(title) is str else ''}."


def _method_names(document: Document, item: Any) -> Sequence[str]:
    """Return the methods of a path; an empty one stands for a path that cannot be read."""
    try:
        found = document.resolved(item)
    except LeftOutError:
        return [""]
    return [name for name in _METHODS if name in found] if isinstance(found, dict) else [""]


def _stub(document: Document, path: str, name: str, base: str | None) -> dict[str, Any]:
    """Return the stub of an operation, as it is written.

    Raises:
        LeftOutError: there can be none, with the reason.
    """
    item = document.get(document.paths, path, dict)
    operation, method = document.get(item, name, dict), name.upper()
    if method not in METHODS:
        raise LeftOutError(f"no stub answers {method}")
    own = base_of(document, operation, item, document.root) if base is None else base
    stub: dict[str, Any] = {"method": method, "path": address(own, path)}
    segments = stub["path"].split("/")
    for row in API_OPERATIONS.values():
        if row.method == method and overlap(segments, row.path.split("/")):
            raise LeftOutError(f"conflicts with {row.id} ({method} {row.path}), which the mock has")
    stub["answer"] = literal(success(document, operation))
    try:
        StubItem().load(stub)
    except ValidationError as error:
        raise LeftOutError("; ".join(_sentences(error.messages))) from error
    return stub


def _sentences(messages: Any) -> Iterator[str]:
    if isinstance(messages, str):
        yield messages.removesuffix(".")
    for inner in messages.values() if isinstance(messages, dict) else messages if isinstance(messages, list) else ():
        yield from _sentences(inner)


def _add(stubs: dict[str, dict[str, Any]], stub: dict[str, Any]) -> None:
    """Add a stub under its address, in which names of parameters do not count.

    Raises:
        LeftOutError: another one has its address, or there are as many as a workspace may have.
    """
    segments = ("{}" if segment.startswith("{") else segment for segment in stub["path"].split("/"))
    key = f"{stub['method']} {'/'.join(segments)}"
    if key in stubs:
        raise LeftOutError("another operation has this address")
    if len(stubs) >= MOST_STUBS:
        raise LeftOutError(f"a workspace may have {MOST_STUBS:,} stubs")
    stubs[key] = stub
