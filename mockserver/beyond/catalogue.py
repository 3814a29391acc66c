"""The catalogue of operations that the service has and the mock has not (contract/beyond)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache, lru_cache
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

from mockserver.core.contract.operation import Audience, Operation
from mockserver.resources.registry import ALL_OPERATIONS, FURTHER_OPERATIONS
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


#: How much of a path is compared, in characters. Chosen: above the longest path of the service.
_COMPARED = 150
#: How like a path must be, from 0 to 1. Chosen by trial: what has one word misspelt or too much is above it.
_ENOUGH = 0.6
#: How much less a path counts that has more or fewer segments. Chosen: a misspelt word is the likelier mistake.
_OTHER_LENGTH = 0.9
#: How many answers are remembered. Chosen: clients repeat a mistake, and so many take less than a megabyte.
_REMEMBERED = 512

_Pairs = frozenset[str]


class _Candidate(NamedTuple):
    """A path of the service, as it is compared."""

    operation: Operation | OperationBeyond
    #: The pairs of letters of each segment, None for a parameter.
    segments: tuple[_Pairs | None, ...]
    #: Those of the path without its parameters.
    whole: _Pairs


def nearest(method: str, path: str) -> Operation | OperationBeyond | None:
    """The operation whose path is most like a decoded one, one with its method before others; None if none is like it.

    The work is linear in the number of the service's paths; of the path given, the beginning is compared.
    """
    return _nearest(method[:_COMPARED], path[:_COMPARED].lower().rstrip("/"))


@lru_cache(maxsize=_REMEMBERED)
def _nearest(method: str, path: str) -> Operation | OperationBeyond | None:
    whole, segments = _pairs(path), tuple(map(_pairs, path.split("/")))
    best, found = (_ENOUGH, False, 0), None
    for candidate in _candidates():
        fixed = sum(segment is not None for segment in candidate.segments)
        rank = (_likeness(candidate, whole, segments), candidate.operation.method == method, fixed)
        if rank > best:
            best, found = rank, candidate.operation
    return found


@cache
def _candidates() -> tuple[_Candidate, ...]:
    return tuple(_candidate(operation) for operation in _operations())


def _operations() -> Iterator[Operation | OperationBeyond]:
    yield from (row for row in ALL_OPERATIONS.values() if row.audience is Audience.API)
    yield from catalogue().values()


def _candidate(operation: Operation | OperationBeyond) -> _Candidate:
    given = [None if segment[:1] == "{" else segment.lower() for segment in operation.path.split("/")]
    segments = tuple(None if segment is None else _pairs(segment) for segment in given)
    return _Candidate(operation, segments, _pairs("/".join(segment or "" for segment in given)))


def _likeness(candidate: _Candidate, whole: _Pairs, segments: tuple[_Pairs, ...]) -> float:
    """How like a path is, from 0 to 1: by segments where their number is the same, and else as a whole."""
    if len(segments) != len(candidate.segments):
        return _OTHER_LENGTH * _share(len(whole & candidate.whole), len(whole) + len(candidate.whole))
    shared = both = 0
    for wanted, given in zip(candidate.segments, segments, strict=True):
        if wanted is not None:
            shared += len(wanted & given)
            both += len(wanted) + len(given)
    return _share(shared, both)


def _share(shared: int, both: int) -> float:
    """The coefficient of Sørensen and Dice."""
    return 2 * shared / both


def _pairs(text: str) -> _Pairs:
    """The pairs of letters that follow each other in a text, its two ends among them; never none."""
    framed = f"^{text}$"
    return frozenset(framed[index : index + 2] for index in range(len(framed) - 1))
