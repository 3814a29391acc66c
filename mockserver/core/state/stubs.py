"""Stubs for operations beyond the mock, and their stored values."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from mockserver.core.traffic.match import Match


@dataclass(slots=True, eq=False)
class Stub:
    method: str
    #: The pattern of the path, in which `{name}` stands for one whole segment.
    path: str
    #: Its document as JSON, without its id and without values of a running workspace.
    written: str
    match: Match = field(default_factory=Match)
    id: str = ""
    #: The number of requests that it answers, or None for no limit.
    times: int | None = None
    #: The number of requests that it has answered.
    hits: int = 0
    #: The position of the next answer in its sequence; the last answer is repeated.
    position: int = 0
    #: The file and the line of its document, for users; not compared.
    source: str = ""

    @property
    def is_active(self) -> bool:
        return self.times is None or self.hits < self.times

    @property
    def segments(self) -> Sequence[str]:
        return self.path.split("/")


class Stubs:
    """A workspace's stubs, in matching order."""

    __slots__ = ("_by_address", "_by_id")

    def __init__(self, stubs: Iterable[Stub] = ()) -> None:
        self._by_id = {stub.id: stub for stub in stubs}
        #: The stubs by method and number of segments, the most specific first; built on first use.
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
        self._set([*stubs, *self])

    def put_last(self, stubs: Iterable[Stub]) -> None:
        self._set([*self, *stubs])

    def replace(self, stub: Stub) -> None:
        self._set([stub if other.id == stub.id else other for other in self])

    def remove(self, identifier: str) -> None:
        self._set([stub for stub in self if stub.id != identifier])

    def clear(self) -> None:
        self._set([])

    def _set(self, stubs: Iterable[Stub]) -> None:
        self._by_id = {stub.id: stub for stub in stubs}
        self._by_address = None

    def at(self, method: str, path: str) -> Iterator[tuple[Stub, Mapping[str, str]]]:
        """Yield the stubs for a method and a path, with the values of the path parameters; HEAD finds stubs of GET.

        A pattern with a fixed segment comes before one with a parameter there, counted from the left.
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
    """Return whether a pattern segment is a parameter."""
    return segment.startswith("{")


def params_of(pattern: Sequence[str], segments: Sequence[str]) -> Mapping[str, str] | None:
    found = {}
    for wanted, segment in zip(pattern, segments, strict=True):
        if is_parameter(wanted) and segment:
            found[wanted[1:-1]] = segment
        elif wanted != segment:
            return None
    return found


@dataclass(slots=True, eq=False)
class Stored:
    """A value that a stub has stored, replaced as a whole; its row key is (table, key)."""

    value: Any
    #: The bytes of the value with its key.
    size: int
