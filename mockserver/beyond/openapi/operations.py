"""The operations of an OpenAPI document as stubs."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from marshmallow import ValidationError

from mockserver.beyond.openapi.answers import success
from mockserver.beyond.openapi.document import Document, LeftOutError
from mockserver.beyond.stubs.item import METHODS, StubItem
from mockserver.beyond.stubs.pattern import overlap
from mockserver.beyond.stubs.stub_list import MOST_STUBS
from mockserver.resources.registry import API_OPERATIONS

_METHODS = ("get", "put", "post", "delete", "options", "head", "patch", "trace")
#: The beginning of all paths of the service.
_ROOT = "/v3/"
#: By their addresses: method and path, without names of parameters.
Stubs = dict[str, dict[str, Any]]


class LeftOut(NamedTuple):
    """An operation without a stub, or a path that cannot be read, with the reason."""

    operation: str
    reason: str
    place: tuple[str, ...]


def imported(root: Mapping[str, Any], base: str | None = None) -> tuple[list[dict[str, Any]], list[LeftOut]]:
    """Return stubs of all operations of a document that the mock does not have itself, and the operations left out.

    Args:
        root: The document, as plain data.
        base: The beginning of all paths, in place of the path of the document's server.

    Raises:
        DocumentError: the document cannot be read.
    """
    document, stubs, left_out = Document(root), Stubs(), []
    for place in _places(document):
        document.begin()
        try:
            _add_stub(stubs, document, base, *place)
        except LeftOutError as error:
            left_out.append(LeftOut(" ".join((*map(str.upper, place[1:]), place[0])), str(error), ("paths", *place)))
    return [*stubs.values()], left_out


def _places(document: Document) -> Iterator[tuple[str, ...]]:
    """Yield the path and the method of each operation, and each path that cannot be read."""
    for path in document.root["paths"]:
        document.begin()
        try:
            item = {} if path.startswith("x-") else document.get(document.root["paths"], path, dict)
        except LeftOutError:
            yield (path,)
        else:
            yield from ((path, name) for name in _METHODS if name in item)


def _add_stub(stubs: Stubs, document: Document, base: str | None, path: str, name: str = "") -> None:
    """Add the stub of an operation to those before it, or raise LeftOutError with the reason why there is none."""
    item, method = document.get(document.root["paths"], path, dict), name.upper()
    operation = document.get(item, name, dict)
    address = (_base(document, path, operation, item, document.root) if base is None else base) + path
    key = f"{method} {re.sub(r'{[^{}/]*}', '{}', address)}"
    if method not in METHODS:
        raise LeftOutError(f"no stub answers {method}")
    if not path.startswith("/") or not address.startswith(_ROOT):
        raise LeftOutError(f"{address} is not a path below /v3; --base sets another beginning of all paths")
    if key in stubs or len(stubs) >= MOST_STUBS:
        full = f"a workspace may have {MOST_STUBS:,} stubs"
        raise LeftOutError("another operation has this address" if key in stubs else full)
    for row in API_OPERATIONS.values():
        if row.method == method and overlap(address.split("/"), row.path.split("/")):
            raise LeftOutError(f"conflicts with {row.id} ({method} {row.path}), which the mock has")
    stub = {"method": method, "path": address, "answer": success(document, operation)}
    try:
        StubItem().load(stub)
    except ValidationError as error:
        raise LeftOutError("; ".join(_sentences(error.messages))) from error
    stubs[key] = stub


def _base(document: Document, path: str, *owners: Any) -> str:
    """Return the path of the first server of an operation, its path or its document; without servers, `/v3`."""
    server = next((server for owner in owners for server in document.get(owner, "servers", list)), None)
    if server is None:
        return "" if path.startswith(_ROOT) else "/v3"
    url, variables = document.get(server, "url") or "/", document.get(server, "variables", dict)

    def default(found: re.Match[str]) -> str:
        return str(document.plain(document.get(variables.get(found[1]), "default")))

    try:
        path = urlsplit(re.sub(r"\{([^{}]*)\}", default, url)).path.strip("/")
    except (TypeError, ValueError) as error:
        raise LeftOutError("its server has no address") from error
    return f"/{path}" if path else ""


def _sentences(messages: Any) -> Iterator[str]:
    if isinstance(messages, str):
        yield messages.removesuffix(".")
    for inner in messages.values() if isinstance(messages, dict) else messages if isinstance(messages, list) else ():
        yield from _sentences(inner)
