"""The catalogue of service operations outside the mock (contract/beyond)."""

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
#: The most characters of a path that `nearest` compares. Chosen: above the longest path of the service.
_COMPARED = 150
#: The number of results that `nearest` remembers. Chosen: clients repeat a mistake, and 512 take less than a megabyte.
_REMEMBERED = 512
#: The least similarity of a path, from 0 to 1. Chosen by trial: paths with one misspelt or superfluous word are above.
_SIMILAR = 0.6
#: The factor for paths with another number of segments. Chosen: a misspelt word is the likelier mistake.
_OTHER_LENGTH = 0.9

#: The pairs of adjacent letters in a text, its start and end included.
_Pairs = frozenset[str]


class OperationBeyond(NamedTuple):
    """A service operation outside the mock."""

    method: str
    #: The path, with parameters in braces.
    path: str
    #: The status of success.
    status: int
    id: str
    #: The smallest valid body as JSON; empty if the status has no body.
    body: str


class _Candidate(NamedTuple):
    operation: Operation | OperationBeyond
    #: The letter pairs of each segment; None for a parameter.
    segments: tuple[_Pairs | None, ...]
    #: The letter pairs of the path without parameters.
    whole: _Pairs


@cache
def catalogue() -> Mapping[str, OperationBeyond]:
    """Return all operations of the data file by id, in the order of their paths."""
    return MappingProxyType({row.id: row for row in _read(_FILE.read_text(encoding="utf-8"))})


@cache
def tree() -> PathTree[OperationBeyond]:
    """Return the search tree of all paths in the catalogue."""
    return PathTree(catalogue().values())


def is_meant(method: str, pattern: str, operation: str | None) -> bool:
    """Return whether a stub answers calls of an operation outside of the 34; None: no operation has the address.

    A stub with the path of such an operation answers calls of this operation only: a stub for `/v3/contacts/{id}` does
    not answer `/v3/contacts/lists`, which belongs to another operation.
    """
    own = _by_address().get((method, _shape(pattern)))
    return own is None or own == operation


@cache
def _by_address() -> Mapping[tuple[str, str], str]:
    rows: list[Operation | OperationBeyond] = [*catalogue().values(), *FURTHER_OPERATIONS.values()]
    return {(row.method, _shape(row.path)): row.id for row in rows}


def _shape(path: str) -> str:
    return "/".join("{}" if segment[:1] == "{" else segment for segment in path.split("/"))


def _read(text: str) -> Iterator[OperationBeyond]:
    for line in text.splitlines():
        if not line.startswith("#"):
            method, path, status, identifier, *known = line.split(" ", 4)
            body = known[0] if known else "" if status == "204" else "{}"
            yield OperationBeyond(method, path, int(status), identifier, body)


def nearest(method: str, path: str) -> Operation | OperationBeyond | None:
    """Return the operation with the path most similar to a decoded path, or None if no path is similar.

    Operations with the same method come first among equally similar paths.
    """
    return _nearest(method[:_COMPARED], path[:_COMPARED].lower().rstrip("/"))


@lru_cache(maxsize=_REMEMBERED)
def _nearest(method: str, path: str) -> Operation | OperationBeyond | None:
    whole, segments = _pairs(path), tuple(map(_pairs, path.split("/")))
    best, found = (_SIMILAR, False, 0), None
    for candidate in _candidates():
        fixed = sum(segment is not None for segment in candidate.segments)
        rank = (_similarity(candidate, whole, segments), candidate.operation.method == method, fixed)
        if rank > best:
            best, found = rank, candidate.operation
    return found


@cache
def _candidates() -> tuple[_Candidate, ...]:
    rows: list[Operation | OperationBeyond] = [*catalogue().values()]
    rows[:0] = (row for row in ALL_OPERATIONS.values() if row.audience is Audience.API)
    return tuple(map(_candidate, rows))


def _candidate(operation: Operation | OperationBeyond) -> _Candidate:
    fixed = ["" if segment[:1] == "{" else segment.lower() for segment in operation.path.split("/")]
    parts = zip(operation.path.split("/"), fixed, strict=True)
    segments = tuple(None if segment[:1] == "{" else _pairs(text) for segment, text in parts)
    return _Candidate(operation, segments, _pairs("/".join(fixed)))


def _similarity(candidate: _Candidate, whole: _Pairs, segments: tuple[_Pairs, ...]) -> float:
    """Return the Sørensen-Dice coefficient, 0 to 1, of the segments, or of the whole paths if their lengths differ."""
    if len(segments) != len(candidate.segments):
        return _OTHER_LENGTH * 2 * len(whole & candidate.whole) / (len(whole) + len(candidate.whole))
    rows = [(one, two) for one, two in zip(candidate.segments, segments, strict=True) if one is not None]
    return 2 * sum(len(one & two) for one, two in rows) / sum(len(one) + len(two) for one, two in rows)


def _pairs(text: str) -> _Pairs:
    framed = f"^{text}$"
    return frozenset(framed[index : index + 2] for index in range(len(framed) - 1))
