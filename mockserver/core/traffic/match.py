"""Patterns of requests, for faults and for verification, with near misses."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from enum import Enum
from fnmatch import translate
from heapq import nsmallest
from itertools import islice
from typing import Any, NamedTuple

from mockserver.core.traffic.exchange import Exchange, Journal

#: The longest glob, in characters. Chosen: longer than any path of the API; each request is matched against it.
LONGEST_GLOB = 500


class _Anything(Enum):
    """The type of `ANYTHING`: copies stay identical, and its saved value is none of JSON."""

    ANYTHING = b"anything"


#: Stands for a body that may be anything.
ANYTHING: Any = _Anything.ANYTHING
_NONE: Mapping[str, Any] = {}


class Difference(NamedTuple):
    """A JSON Pointer with the wanted and actual value."""

    path: str
    wanted: Any
    got: Any


class Exactly(NamedTuple):
    """A complete body, without further members."""

    value: Any


class Glob:
    """A glob for a whole path, compiled here: `fnmatch` would keep thousands of compiled globs for good."""

    __slots__ = ("_fits", "text")

    def __init__(self, text: str) -> None:
        self.text = text
        self._fits = re.compile(translate(text)).match

    def __reduce__(self) -> Any:
        return type(self), (self.text,)

    def fits(self, path: str) -> bool:
        return self._fits(path) is not None


class Match(NamedTuple):
    """A request pattern; omitted members match anything."""

    operations: frozenset[str] = frozenset()
    methods: frozenset[str] = frozenset()
    path: Glob | None = None
    #: The parameters of the path.
    params: Mapping[str, str] = _NONE
    query: Mapping[str, Any] = _NONE
    #: A part of the body; or `Exactly` the whole body.
    json: Any = ANYTHING
    headers: Mapping[str, str] = _NONE
    status: int | None = None
    code: str | None = None
    fault: str | None = None
    #: A transition that the request caused, as `sender.verify`: a state machine and an event.
    transition: str | None = None
    #: An optional member of query or body that was sent, as `ips[].weight`.
    field: str | None = None

    @property
    def is_placed(self) -> bool:
        """Whether the pattern names operations, a path or parameters of a path."""
        return bool(self.operations or self.path is not None or self.params)

    def admits(self, exchange: Exchange) -> bool:
        """Return whether an exchange matches the pattern."""
        # Cheap checks first: most patterns are for another operation or method.
        if self.operations and exchange.operation not in self.operations:
            return False
        if (self.methods and exchange.method not in self.methods) or (self.query and not exchange.query):
            return False
        return next(self.differences(exchange), None) is None

    def differences(self, exchange: Exchange) -> Iterator[Difference]:
        """Yield differences between exchange and pattern."""
        yield from self._of_address(exchange)
        if self.query:
            yield from _query(self.query, exchange.parameters)
        if self.headers:
            sent = exchange.by_header
            for name, value in self.headers.items():
                if sent.get(name.lower()) != value:
                    yield Difference(f"/headers/{_escaped(name.lower())}", value, sent.get(name.lower()))
        if self.json is not ANYTHING:
            is_exact = isinstance(self.json, Exactly)
            wanted = self.json.value if is_exact else self.json
            yield from beyond(wanted, exchange.json, "/json", is_exact=is_exact)
        yield from self._of_answer(exchange)

    def _of_address(self, exchange: Exchange) -> Iterator[Difference]:
        if self.operations and exchange.operation not in self.operations:
            yield Difference("/operation", _one_or_list(self.operations), exchange.operation)
        if self.methods and exchange.method not in self.methods:
            yield Difference("/method", _one_or_list(self.methods), exchange.method)
        if self.path is not None and not self.path.fits(exchange.path):
            yield Difference("/path", self.path.text, exchange.path)
        for name, value in self.params.items():
            if exchange.params.get(name) != value:
                yield Difference(f"/path/{_escaped(name)}", value, exchange.params.get(name))

    def _of_answer(self, exchange: Exchange) -> Iterator[Difference]:
        for name in ("status", "code", "fault"):
            wanted = getattr(self, name)
            if wanted is not None and getattr(exchange, name) != wanted:
                yield Difference(f"/{name}", wanted, getattr(exchange, name))
        caused = [f"{change.machine}.{change.event}" for change in exchange.transitions]
        if self.transition is not None and self.transition not in caused:
            yield Difference("/transition", self.transition, caused)
        if self.field is not None and self.field not in exchange.fields:
            yield Difference("/field", self.field, list(exchange.fields))


def _one_or_list(names: frozenset[str]) -> str | list[str]:
    return next(iter(names)) if len(names) == 1 else sorted(names)


def _query(wanted: Mapping[str, Any], sent: Mapping[str, list[str]]) -> Iterator[Difference]:
    for name, value in wanted.items():
        text = str(value).lower() if isinstance(value, bool) else str(value)
        values = [str(item) for item in value] if isinstance(value, list) else [text]
        if sent.get(name) != values:
            got = sent.get(name)
            yield Difference(f"/query/{_escaped(name)}", value, got[0] if got and len(got) == 1 else got)


def beyond(wanted: Any, got: Any, path: str, *, is_exact: bool = False) -> Iterator[Difference]:
    """Yield the places where `got` differs from `wanted`; its mappings may have further members unless `is_exact`."""
    if isinstance(wanted, dict) and isinstance(got, dict):
        for name, value in wanted.items():
            inner = f"{path}/{_escaped(name)}"
            if name in got:
                yield from beyond(value, got[name], inner, is_exact=is_exact)
            else:
                yield Difference(inner, value, None)
        if is_exact:
            yield from (
                Difference(f"{path}/{_escaped(name)}", None, value) for name, value in got.items() if name not in wanted
            )
    elif isinstance(wanted, list) and isinstance(got, list) and len(wanted) == len(got):
        for index, (one, other) in enumerate(zip(wanted, got, strict=True)):
            yield from beyond(one, other, f"{path}/{index}", is_exact=is_exact)
    elif wanted != got or isinstance(wanted, bool) is not isinstance(got, bool):
        yield Difference(path, wanted, got)


def _escaped(name: str) -> str:
    """Return the name of a member as a token of a JSON Pointer (RFC 6901)."""
    return name.replace("~", "~0").replace("/", "~1")


#: The most differences of a near miss that are kept; further ones are counted. Chosen: more than anybody reads.
_MOST_DIFFERENCES = 100


class NearMiss(NamedTuple):
    """A non-matching exchange with its differences."""

    exchange: Exchange
    differences: Sequence[Difference]
    #: The number of differences that are not kept.
    further: int

    @property
    def distance(self) -> tuple[bool, int]:
        """The sort key, in which operations outweigh other differences."""
        is_other_operation = any(row.path == "/operation" for row in self.differences)
        return is_other_operation, len(self.differences) + self.further


def matching(journal: Journal, match: Match, since: int = 0) -> list[Exchange]:
    """Return the matching exchanges of a journal, newest first, without the first `since` that were ever added."""
    # An exchange that was too large to be kept counts in `added`, so this may look at one older exchange.
    return [exchange for exchange in islice(journal, journal.added - since) if match.admits(exchange)]


def near_misses(exchanges: Iterable[Exchange], match: Match, most: int = 5) -> list[NearMiss]:
    """Return the closest exchanges that do not match: fewest differences first, then newest; other operations last."""
    found = (_missed(exchange, match) for exchange in exchanges)
    return nsmallest(most, (row for row in found if row.differences), key=lambda row: row.distance)


def _missed(exchange: Exchange, match: Match) -> NearMiss:
    rows = match.differences(exchange)
    return NearMiss(exchange, list(islice(rows, _MOST_DIFFERENCES)), sum(1 for _ in rows))
