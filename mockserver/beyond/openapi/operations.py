"""The operations of an OpenAPI document as stubs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, NamedTuple

from marshmallow import ValidationError

from mockserver.beyond.openapi.addresses import address, base_of
from mockserver.beyond.openapi.answers import success
from mockserver.beyond.openapi.document import Document, DocumentError, LeftOutError, Node, Path
from mockserver.beyond.openapi.literals import literal
from mockserver.beyond.stubs.item import METHODS, StubItem
from mockserver.beyond.stubs.stub_list import MOST_STUBS
from mockserver.core.text.spelling import cut

#: The members of a path that are operations.
_OPERATIONS = ("get", "put", "post", "delete", "options", "head", "patch", "trace")
#: The most paths of a document. Chosen: ten times those of the largest public documents.
_MOST_PATHS = 10_000
_LONGEST_TITLE = 200


class LeftOut(NamedTuple):
    """An operation of which no stub was made, and why."""

    #: Its method and path as the document has them, or the path alone.
    operation: str
    reason: str
    place: Path


class Broken(NamedTuple):
    """What is wrong at one place of a document."""

    place: Path
    message: str


class Imported(NamedTuple):
    """What was made of a document."""

    #: A scenario that has only a description and stubs.
    scenario: dict[str, Any]
    left_out: list[LeftOut]
    #: With any of these, nothing is to be used.
    broken: list[Broken]


def imported(root: Mapping[str, Any], base: str | None = None) -> Imported:
    """The stubs of all operations of a document that the mock does not have itself.

    `base` is the beginning of all paths, instead of the path of the document's server.
    """
    found, stubs = Imported({}, [], []), _Stubs()
    with _noted(found, "the document", ()):
        document = Document(root)
        found.scenario.update(description=_description(document.root), stubs=stubs.written)
        for path, node in _paths(document):
            with _noted(found, path, node.path):
                item = document.resolved(node)
                for method, operation in _operations(item):
                    with _noted(found, f"{method} {path}", operation.path):
                        own = base_of(operation, item, document.root) if base is None else base
                        stubs.add(_stub(document, method, address(own, path), operation))
    return found


@contextmanager
def _noted(found: Imported, what: str, place: Path) -> Iterator[None]:
    """Note what is wrong with a part of a document, or why it is left out, and go on behind the block."""
    try:
        yield
    except DocumentError as error:
        found.broken.append(Broken(error.path, error.message))
    except LeftOutError as error:
        found.left_out.append(LeftOut(what, str(error), place))


def _description(root: Node) -> str:
    info = root.value.get("info")
    title = info.get("title") if isinstance(info, dict) else None
    name = f" of {cut(title, _LONGEST_TITLE)}" if isinstance(title, str) and title else ""
    return f"The smallest answers that the OpenAPI document{name} allows."


def _paths(document: Document) -> Iterator[tuple[str, Node]]:
    """The paths of a document.

    Raises:
        DocumentError: it has none, or too many.
    """
    paths = document.root.get("paths")
    if paths is None:
        raise DocumentError((), "has no paths")
    if len(paths.mapping()) > _MOST_PATHS:
        raise DocumentError(paths.path, f"there may be {_MOST_PATHS:,} paths")
    for path, node in paths.members():
        if not path.startswith("x-"):
            yield path, node


def _operations(item: Node) -> Iterator[tuple[str, Node]]:
    """The operations of a path by their methods.

    Raises:
        DocumentError: one of them is none.
    """
    for name in _OPERATIONS:
        operation = item.get(name)
        if operation is not None:
            operation.mapping()
            yield name.upper(), operation


def _stub(document: Document, method: str, path: str, operation: Node) -> dict[str, Any]:
    """The stub of an operation at a path, as it is written.

    Raises:
        DocumentError: the document is not as it should be.
        LeftOutError: there can be none, with the reason.
    """
    if method not in METHODS:
        raise LeftOutError(f"no stub answers {method}")
    stub: dict[str, Any] = {"method": method, "path": path}
    _check({**stub, "answer": {}})  # what the mock has itself is left out whatever its schemas are
    stub["answer"] = literal(success(document, operation))
    _check(stub)
    return stub


def _check(stub: dict[str, Any]) -> None:
    """Leave out what is no stub, in the words in which one is refused."""
    try:
        StubItem().load(stub)
    except ValidationError as error:
        raise LeftOutError("; ".join(_sentences(error.messages))) from error


def _sentences(messages: Any) -> Iterator[str]:
    if isinstance(messages, dict):
        for inner in messages.values():
            yield from _sentences(inner)
    elif isinstance(messages, list):
        for inner in messages:
            yield from _sentences(inner)
    else:
        yield str(messages).removesuffix(".")


class _Stubs:
    """The stubs that were made so far, of which no two have one address."""

    def __init__(self) -> None:
        self.written: list[dict[str, Any]] = []
        self._addresses: set[str] = set()

    def add(self, stub: dict[str, Any]) -> None:
        """Add a stub.

        Raises:
            LeftOutError: another one has its address, or there are as many as a workspace may have.
        """
        segments = ("{}" if segment.startswith("{") else segment for segment in stub["path"].split("/"))
        found = f"{stub['method']} {'/'.join(segments)}"
        if found in self._addresses:
            raise LeftOutError("another operation has this address")
        if len(self.written) >= MOST_STUBS:
            raise LeftOutError(f"a workspace may have {MOST_STUBS:,} stubs")
        self._addresses.add(found)
        self.written.append(stub)
