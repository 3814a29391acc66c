"""The catalogue of the operations beyond: those that the service has and the mock has not (contract/beyond)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

from mockserver.web.routing.path_tree import PathTree

_FILE = Path(__file__).with_name("catalogue.txt")


class OperationBeyond(NamedTuple):
    """An operation that the service has and the mock has not."""

    method: str
    #: The path, with parameters in braces.
    path: str
    #: The status of success.
    status: int
    id: str
    #: The smallest body that is valid with that status, as JSON; empty where the status has none.
    body: str


@cache
def catalogue() -> Mapping[str, OperationBeyond]:
    """All operations beyond by id, in the order of their paths; read from the data file once."""
    return MappingProxyType({row.id: row for row in _read(_FILE.read_text(encoding="utf-8"))})


@cache
def tree() -> PathTree[OperationBeyond]:
    """The paths of all operations beyond."""
    return PathTree(catalogue().values())


def _read(text: str) -> Iterator[OperationBeyond]:
    for line in text.splitlines():
        if not line.startswith("#"):
            method, path, status, identifier, *known = line.split(" ", 4)
            body = known[0] if known else "" if status == "204" else "{}"
            yield OperationBeyond(method, path, int(status), identifier, body)
