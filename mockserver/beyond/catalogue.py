"""The catalogue of the operations beyond: those that the service has and the mock has not (contract/beyond)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

from mockserver.resources.registry import FURTHER_OPERATIONS
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


def is_meant(method: str, pattern: str, operation: str | None) -> bool:
    """Return whether a stub with this pattern of paths answers calls of an operation that is none of the 34.

    A pattern that is the path of such an operation, whatever its parameters are called, is for this operation only: a
    stub for `/v3/contacts/{id}` does not answer at `/v3/contacts/lists`, which belongs to another operation.

    Args:
        method: The method of the stub.
        pattern: The path of the stub.
        operation: The id of the called operation; None: the service has none there.
    """
    own = operation_of(method, pattern)
    return own is None or own == operation


def operation_of(method: str, pattern: str) -> str | None:
    """Return the id of the operation that has a pattern as its path, or None. Names of parameters may differ.

    The 34 are not looked at.
    """
    return _by_address().get((method, _shape(pattern)))


@cache
def _by_address() -> Mapping[tuple[str, str], str]:
    beyond = {(row.method, _shape(row.path)): row.id for row in catalogue().values()}
    return beyond | {(row.method, _shape(row.path)): row.id for row in FURTHER_OPERATIONS.values()}


def _shape(path: str) -> str:
    """A path whose parameters have no names."""
    return "/".join("{}" if segment[:1] == "{" else segment for segment in path.split("/"))


def _read(text: str) -> Iterator[OperationBeyond]:
    for line in text.splitlines():
        if not line.startswith("#"):
            method, path, status, identifier, *known = line.split(" ", 4)
            body = known[0] if known else "" if status == "204" else "{}"
            yield OperationBeyond(method, path, int(status), identifier, body)
