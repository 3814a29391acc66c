"""Patterns of requests: what faults apply to, and what a test verifies."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from enum import Enum
from fnmatch import translate
from typing import Any, NamedTuple

from mockserver.core.traffic.exchange import Exchange

#: How long a glob may be, in characters: it is held against the whole path of each request.
LONGEST_GLOB = 500


class _Anything(Enum):
    """A constant that is the same one in a copy."""

    ANYTHING = "anything"


#: Stands for a body that may be anything.
ANYTHING: Any = _Anything.ANYTHING
_NONE: Mapping[str, Any] = {}


class Difference(NamedTuple):
    """Where an exchange is not as wanted."""

    path: str
    wanted: Any
    got: Any


class Glob:
    """A glob of a whole path, compiled for itself: `fnmatch` would keep thousands of them for good."""

    __slots__ = ("_fits", "text")

    def __init__(self, text: str) -> None:
        self.text = text
        self._fits = re.compile(translate(text)).match

    def __reduce__(self) -> Any:
        return type(self), (self.text,)

    def fits(self, path: str) -> bool:
        return self._fits(path) is not None


class Match(NamedTuple):
    """What a request has to be like; what is left out may be anything."""

    operations: frozenset[str] = frozenset()
    methods: frozenset[str] = frozenset()
    path: Glob | None = None
    #: Parameters of the path.
    params: Mapping[str, str] = _NONE
    query: Mapping[str, Any] = _NONE
    #: What the body holds at least.
    json: Any = ANYTHING
    headers: Mapping[str, str] = _NONE
    status: int | None = None
    code: str | None = None
    fault: str | None = None

    @property
    def is_placed(self) -> bool:
        """Whether it says at which addresses the requests come."""
        return bool(self.operations or self.path is not None or self.params)

    def admits(self, exchange: Exchange) -> bool:
        # What is looked at for every request comes first: most rules are for another one.
        if self.operations and exchange.operation not in self.operations:
            return False
        if (self.methods and exchange.method not in self.methods) or (self.query and not exchange.query):
            return False
        return next(self.differences(exchange), None) is None

    def differences(self, exchange: Exchange) -> Iterator[Difference]:
        """Where the exchange is not as wanted; none: it matches."""
        if self.operations and exchange.operation not in self.operations:
            yield Difference("/operation", _one_or_list(self.operations), exchange.operation)
        if self.methods and exchange.method not in self.methods:
            yield Difference("/method", _one_or_list(self.methods), exchange.method)
        if self.path is not None and not self.path.fits(exchange.path):
            yield Difference("/path", self.path.text, exchange.path)
        for name, value in self.params.items():
            if exchange.params.get(name) != value:
                yield Difference(f"/path/{_escaped(name)}", value, exchange.params.get(name))
        if self.query:
            yield from _query(self.query, exchange.parameters)
        if self.headers:
            yield from _headers(self.headers, exchange.by_header)
        if self.json is not ANYTHING:
            yield from beyond(self.json, exchange.json, "/json")
        yield from self._of_answer(exchange)

    def _of_answer(self, exchange: Exchange) -> Iterator[Difference]:
        for name in ("status", "code", "fault"):
            wanted = getattr(self, name)
            if wanted is not None and getattr(exchange, name) != wanted:
                yield Difference(f"/{name}", wanted, getattr(exchange, name))


def _one_or_list(names: frozenset[str]) -> str | list[str]:
    return next(iter(names)) if len(names) == 1 else sorted(names)


def _query(wanted: Mapping[str, Any], sent: Mapping[str, list[str]]) -> Iterator[Difference]:
    for name, value in wanted.items():
        values = [str(item) for item in value] if isinstance(value, list) else [_as_sent(value)]
        if sent.get(name) != values:
            got = sent.get(name)
            yield Difference(f"/query/{_escaped(name)}", value, got[0] if got and len(got) == 1 else got)


def _as_sent(value: Any) -> str:
    """A value as it stands in a query."""
    return str(value).lower() if isinstance(value, bool) else str(value)


def _headers(wanted: Mapping[str, str], sent: Mapping[str, str]) -> Iterator[Difference]:
    for name, value in wanted.items():
        if sent.get(name.lower()) != value:
            yield Difference(f"/headers/{_escaped(name.lower())}", value, sent.get(name.lower()))


def beyond(wanted: Any, got: Any, path: str) -> Iterator[Difference]:
    """What of a wanted value is not there: mappings may hold more members, lists have their length."""
    if isinstance(wanted, dict) and isinstance(got, dict):
        for name, value in wanted.items():
            place = f"{path}/{_escaped(name)}"
            if name in got:
                yield from beyond(value, got[name], place)
            else:
                yield Difference(place, value, None)
    elif isinstance(wanted, list) and isinstance(got, list) and len(wanted) == len(got):
        for index, (one, other) in enumerate(zip(wanted, got, strict=True)):
            yield from beyond(one, other, f"{path}/{index}")
    elif wanted != got or isinstance(wanted, bool) is not isinstance(got, bool):
        yield Difference(path, wanted, got)


def _escaped(name: str) -> str:
    """A member's name in a JSON Pointer, RFC 6901."""
    return name.replace("~", "~0").replace("/", "~1")
