"""Stubs: what answers for operations that the mock does not have, and the values that they have stored."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from mockserver.core.traffic.match import Match


@dataclass(slots=True, eq=False)
class Stub:
    """One stub: for which requests it answers, how it was written, and how far it has come."""

    method: str
    #: The pattern of the path, in which `{name}` stands for one whole segment.
    path: str
    #: How it was written, as JSON, without its id and what a running workspace sets.
    written: str
    match: Match = field(default_factory=Match)
    id: str = ""
    #: How many requests it answers; None: any number.
    times: int | None = None
    #: How many requests it has answered.
    hits: int = 0
    #: The place of the next answer in its sequence; the last one is repeated.
    position: int = 0
    #: The file and the line where it was written, for people; empty if it was in none. Two stubs that differ in nothing
    #: else are equal.
    source: str = ""

    @property
    def is_active(self) -> bool:
        """Whether it can still answer."""
        return self.times is None or self.hits < self.times

    @property
    def segments(self) -> Sequence[str]:
        return self.path.split("/")


class Stubs:
    """The stubs of a workspace, in the order in which they are asked."""

    __slots__ = ("_by_address", "_by_id")

    def __init__(self, stubs: Iterable[Stub] = ()) -> None:
        self._by_id = {stub.id: stub for stub in stubs}
        #: Those of a method and a number of segments, the most particular first; None until somebody asks.
        self._by_address: dict[tuple[str, int], list[Stub]] | None = None

    def __reduce__(self) -> Any:
        return type(self), (tuple(self),)

    def __iter__(self) -> Iterator[Stub]:
        return iter(self._by_id.values())

    def __len__(self) -> int:
        return len(self._by_id)

    def get(self, identifier: str) -> Stub | None:
        return self._by_id.get(identifier)

    def put_first(self, stubs: Iterable[Stub]) -> None:
        """Add stubs, in their order, before those that there are: what is added later is asked first."""
        self._set([*stubs, *self])

    def put_last(self, stubs: Iterable[Stub]) -> None:
        """Add stubs, in their order, behind those that there are."""
        self._set([*self, *stubs])

    def replace(self, stub: Stub) -> None:
        """Put a stub in the place of the one that has its id."""
        self._set([stub if other.id == stub.id else other for other in self])

    def remove(self, identifier: str) -> None:
        self._set([stub for stub in self if stub.id != identifier])

    def clear(self) -> None:
        self._set([])

    def _set(self, stubs: Iterable[Stub]) -> None:
        self._by_id = {stub.id: stub for stub in stubs}
        self._by_address = None

    def at(self, method: str, path: str) -> Iterator[tuple[Stub, Mapping[str, str]]]:
        """The stubs for a method and a path, with the values of their path's parameters; HEAD finds those of GET.

        Of two that have the path, the one is first whose pattern has a fixed segment where the other has a parameter,
        counted from the left; of two that are alike in this, the one that stands first.
        """
        if not self._by_id:
            return
        segments = path.split("/")
        wanted = ("GET" if method == "HEAD" else method, len(segments))
        for stub in self._indexed().get(wanted, ()):
            params = params_of(stub.segments, segments)
            if params is not None:
                yield stub, params

    def _indexed(self) -> dict[tuple[str, int], list[Stub]]:
        if self._by_address is None:
            self._by_address = {}
            for stub in self:
                self._by_address.setdefault((stub.method, len(stub.segments)), []).append(stub)
            for stubs in self._by_address.values():
                stubs.sort(key=lambda stub: [is_parameter(segment) for segment in stub.segments])
        return self._by_address


def is_parameter(segment: str) -> bool:
    """Whether a segment of a pattern stands for any one segment."""
    return segment.startswith("{")


def params_of(pattern: Sequence[str], segments: Sequence[str]) -> Mapping[str, str] | None:
    """The values of a pattern's parameters in a path of as many segments, or None if the pattern does not fit it."""
    found = {}
    for wanted, segment in zip(pattern, segments, strict=True):
        if is_parameter(wanted) and segment:
            found[wanted[1:-1]] = segment
        elif wanted != segment:
            return None
    return found


@dataclass(slots=True, eq=False)
class Stored:
    """A value that a stub has stored in an account; the key of its row is the pair of table and key.

    It is plain data that is never changed: another value comes in its place as a whole.
    """

    value: Any
    #: How many bytes the value takes, with its key.
    size: int
