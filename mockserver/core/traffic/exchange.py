"""One request and what came of it: what faults look at, what the journal keeps, what coverage counts."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any, NamedTuple
from urllib.parse import parse_qs

from mockserver.core.contract.errors import ServiceError
from mockserver.core.time.transition import Changed

Header = tuple[str, str]


class WireForm(StrEnum):
    """In which form an answer reaches the client."""

    WHOLE = "whole"
    #: The whole length is announced, half of it is sent, and the connection ends.
    TRUNCATED = "truncated"
    #: It comes in pieces.
    SLOW = "slow"
    #: The connection ends without a byte.
    EMPTY = "empty"
    #: The connection is reset (RST).
    RESET = "reset"


class Wire(NamedTuple):
    """What happens to an answer on its way out."""

    form: WireForm = WireForm.WHOLE
    #: Before the first byte; None: until the client leaves.
    delay_s: float | None = 0.0
    #: How long a slow body takes.
    spread_s: float = 0.0

    @property
    def answers(self) -> bool:
        """Whether the client gets to see an HTTP answer."""
        return self.form not in (WireForm.EMPTY, WireForm.RESET) and self.delay_s is not None


@dataclass(slots=True)
class Reply:
    """An answer before its headers: a status and a body, or a refusal, and what happens to it on its way."""

    status: int
    body: bytes = b""
    error: ServiceError | None = None
    headers: tuple[Header, ...] = ()
    wire: Wire | None = None
    #: Whether its JSON is to be broken.
    spoilt: bool = False

    @classmethod
    def refused(cls, error: ServiceError) -> Reply:
        """A refusal, which forgets where it was raised: the frames there lead to whoever holds this reply."""
        error.__cause__ = error.__context__ = None
        return cls(error.status, error=error.with_traceback(None))


_NOT_READ: Any = object()
#: Stands for the value of a body that is read anew whenever somebody asks: values take many times what their texts do.
_NOT_KEPT: Any = object()
#: What an exchange, a header and a transition cost beside their texts, in bytes: measured, and rounded up.
_OVERHEAD, _PER_HEADER, _PER_TRANSITION = 2_000, 160, 400
#: The most that a character of a text takes, in bytes; what the wire has brought takes one.
_PER_CHARACTER = 4
#: How many warnings are kept in their own words; the rest are counted.
_MOST_WARNINGS = 20


@dataclass(slots=True, eq=False)
class Exchange:
    """A request with its answer; the second half is filled in when it is known."""

    id: str
    at: datetime
    method: str
    #: As the service sees it, without the `/w/<name>` of a workspace.
    path: str
    query: str
    headers: Sequence[Header]
    body: bytes
    #: The path's parameters.
    params: Mapping[str, str]
    operation: str | None = None
    account: str | None = None

    #: None: the client got no HTTP answer.
    status: int | None = None
    answer_headers: Sequence[Header] = ()
    answer_body: bytes = b""
    #: The code of an error.
    code: str | None = None
    #: The id of the fault that took over, and its kind.
    fault: str | None = None
    fault_kind: str | None = None
    #: Whether what the client read is not the service's own answer.
    injected: bool = False
    transitions: Sequence[Changed] = ()
    #: What was sent and is ignored.
    warnings: Sequence[str] = ()
    #: Which optional members of the query and the body were sent.
    fields: Sequence[str] = ()
    #: Why the answer is no success.
    reason: str | None = None
    ms: float = 0.0
    #: What it takes in memory, in bytes, at most, once it is over.
    size: int = 0
    _json: Any = field(default=_NOT_READ, repr=False)
    _parameters: Any = field(default=_NOT_READ, repr=False)
    _by_header: Any = field(default=_NOT_READ, repr=False)
    #: How many warnings there were, those that are only counted included.
    _warned: int = field(default=0, repr=False)

    @property
    def json(self) -> Any:
        """The value of the request's body; None if there is none, or it is no JSON."""
        if self._json is _NOT_READ:
            self._json = read_json(self.body)
        return read_json(self.body) if self._json is _NOT_KEPT else self._json

    @property
    def parameters(self) -> Mapping[str, list[str]]:
        """The values of the query by their names."""
        if self._parameters is _NOT_READ:
            self._parameters = _parameters(self.query)
        found: Mapping[str, list[str]] = self._parameters
        return _parameters(self.query) if found is _NOT_KEPT else found

    @property
    def by_header(self) -> Mapping[str, str]:
        """The values of the headers by their names in small letters."""
        if self._by_header is _NOT_READ:
            self._by_header = _by_header(self.headers)
        found: Mapping[str, str] = self._by_header
        return _by_header(self.headers) if found is _NOT_KEPT else found

    def take_json(self, value: Any) -> None:
        """Remember the value of the body, which somebody has read already."""
        self._json = value

    def forget_values(self) -> None:
        """Keep only the texts of body, query and headers: nobody is in a hurry any more."""
        self._json = self._parameters = self._by_header = _NOT_KEPT

    def leave_out_bodies(self) -> None:
        """Keep no body, as they are too large to be kept; a warning says so."""
        sent, told = len(self.body), len(self.answer_body)
        self.body = self.answer_body = b""
        self.warn(f"the bodies of {sent:,} and {told:,} bytes are not kept: they are too large for the journal")

    def measure(self) -> int:
        """Find out its size, and give it; that costs the same whatever its bodies hold."""
        found = (
            _OVERHEAD + len(self.body) + len(self.answer_body) + len(self.query) + _PER_CHARACTER * 2 * len(self.path)
        )
        found += _PER_HEADER * (len(self.headers) + len(self.answer_headers))
        # Plain loops: for the few headers that there are, they take half as long as anything shorter.
        for name, value in self.headers:
            found += len(name) + len(value)
        for name, value in self.answer_headers:
            found += len(name) + len(value)
        if self.reason:
            found += _PER_CHARACTER * len(self.reason)
        for told in self.warnings:
            found += _PER_HEADER + _PER_CHARACTER * len(told)
        found += _PER_HEADER * len(self.fields)
        self.size = found + _PER_TRANSITION * len(self.transitions)
        return self.size

    def warn(self, warning: str) -> None:
        """Note what was sent and is ignored; behind many warnings stands how many more there were."""
        self._warned += 1
        rest = self._warned - _MOST_WARNINGS
        self.warnings = [*self.warnings[:_MOST_WARNINGS], f"and {rest:,} more" if rest > 0 else warning]


def read_json(body: bytes) -> Any:
    """The value of a body that may be JSON; else None."""
    try:
        return json.loads(body) if body else None
    except (ValueError, RecursionError):
        return None


def _parameters(query: str) -> Mapping[str, list[str]]:
    return parse_qs(query, keep_blank_values=True)


def _by_header(headers: Sequence[Header]) -> Mapping[str, str]:
    return {name.lower(): value for name, value in headers}
