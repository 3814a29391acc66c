"""Faults and stubs as plain values: their patterns hold compiled globs, and a value that stands for anything."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any, NamedTuple

from mockserver.core.state.fault_kinds import Latency
from mockserver.core.state.faults import Fault
from mockserver.core.state.stubs import Stub
from mockserver.core.traffic.match import ANYTHING, Glob, Match

#: The parameter of a fault that is no plain value.
_DISTRIBUTION = "distribution"


class MatchForm(NamedTuple):
    """A pattern of requests."""

    operations: frozenset[str]
    methods: frozenset[str]
    path: str | None
    params: Mapping[str, str]
    query: Mapping[str, Any]
    #: The value alone in a list; empty: the body may be anything.
    json: list[Any]
    headers: Mapping[str, str]
    status: int | None
    code: str | None
    fault: str | None
    transition: str | None
    field: str | None

    @classmethod
    def of(cls, match: Match) -> MatchForm:
        members: dict[str, Any] = match._asdict()
        members["path"] = None if match.path is None else match.path.text
        members["json"] = [] if match.json is ANYTHING else [match.json]
        return cls(**members)

    def match(self) -> Match:
        members: dict[str, Any] = self._asdict()
        members["path"] = None if self.path is None else Glob(self.path)
        members["json"] = self.json[0] if self.json else ANYTHING
        return Match(**members)


class FaultForm(NamedTuple):
    """A fault."""

    kind: str
    match: MatchForm
    id: str
    times: int | None
    after: int
    probability: int | float  # shown as it was given: 1 is not 1.0
    expires_at: datetime | None
    parameters: dict[str, Any]
    latency: Latency | None
    statuses: dict[str, int]
    written: dict[str, Any]
    hits: int
    passed: int

    @classmethod
    def of(cls, fault: Fault) -> FaultForm:
        parameters = fault.parameters
        return cls(
            **{name: getattr(fault, name) for name in _OF_FAULTS},
            match=MatchForm.of(fault.match),
            parameters={name: value for name, value in parameters.items() if name != _DISTRIBUTION},
            latency=parameters.get(_DISTRIBUTION),
        )

    def fault(self) -> Fault:
        latency = {} if self.latency is None else {_DISTRIBUTION: self.latency}
        return Fault(
            **{name: getattr(self, name) for name in _OF_FAULTS},
            match=self.match.match(),
            parameters=self.parameters | latency,
        )


_OF_FAULTS = tuple(name for name in FaultForm._fields if name not in {"match", "parameters", "latency"})


class StubForm(NamedTuple):
    """A stub."""

    method: str
    path: str
    written: str
    match: MatchForm
    id: str
    times: int | None
    hits: int
    position: int
    source: str

    @classmethod
    def of(cls, stub: Stub) -> StubForm:
        members = {name: getattr(stub, name) for name in cls._fields}
        return cls(**members | {"match": MatchForm.of(stub.match)})

    def stub(self) -> Stub:
        members: dict[str, Any] = self._asdict()
        return Stub(**members | {"match": self.match.match()})
