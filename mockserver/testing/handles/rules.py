"""Faults and stubs: rules that change or provide answers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Unpack

from mockserver.testing.arguments import FaultOptions, StubMembers
from mockserver.testing.client import path_of
from mockserver.testing.handles.link import Handle, Link, asks, given
from mockserver.testing.names import FaultName

__tracebackhide__ = True  # pytest shows the line of the test instead


class Fault(Handle):
    """One rule that makes matching requests go wrong."""

    def __init__(self, link: Link, item: Mapping[str, Any]) -> None:
        super().__init__(link)
        #: The id of the rule, also the header `X-Mock-Fault` of the answers that the rule has changed.
        self.id: str = str(item["id"])
        #: The name of the fault or fault kind, such as `otp_expired` or `latency`.
        self.fault: str = str(item["fault"])
        #: The members of the rule, with its hits, as they were when this object was made.
        self.rule: Mapping[str, Any] = item
        self._path = path_of("faults", self.id)

    def __repr__(self) -> str:
        return f"Fault({self.fault!r}, id={self.id!r})"

    @property
    @asks
    def hits(self) -> int:
        """The number of affected requests."""
        return int(self._link.get(self._path)["hits"])

    @property
    @asks
    def active(self) -> bool:
        """Whether the rule still applies (`times` and `ttl_s` not reached)."""
        return bool(self._link.get(self._path)["active"])

    def remove(self) -> None:
        """Remove the rule."""
        self._link.delete(self._path)


class Faults(Handle):
    """The faults of one workspace; the first rule that matches a request applies."""

    def add(
        self,
        fault: FaultName,
        *,
        match: Mapping[str, Any] | None = None,
        times: int | None = None,
        **options: Unpack[FaultOptions],
    ) -> Fault:
        """Add a rule after existing rules.

        `match` selects requests by `operation`, `method`, `path`, `query`, `json` and `headers`; without an operation a
        named fault takes those to which it belongs. `times` limits how many requests go wrong.

        Raises:
            MockServerError: 400, the rule is not valid or could never apply, and the message says what could.
        """
        rule = given({"fault": fault, "match": match, "times": times, **options})
        return Fault(self._link, self._link.post("/faults", rule))

    def all(self) -> list[Fault]:
        """Return all rules in matching order, including spent rules."""
        return [Fault(self._link, item) for item in self._link.items("/faults")]

    def clear(self) -> None:
        """Remove all rules."""
        self._link.delete("/faults")


class Stub(Handle):
    """One stub, answering an operation missing from the mock."""

    def __init__(self, link: Link, item: Mapping[str, Any]) -> None:
        super().__init__(link)
        #: The id of the stub, also the `stub` of the requests in the journal that the stub has answered.
        self.id: str = str(item["id"])
        self.method: str = str(item["method"])
        #: The pattern of the path for which it answers.
        self.path: str = str(item["path"])
        #: The members of the stub, with its hits, as they were when this object was made.
        self.stub: Mapping[str, Any] = item
        self._path = path_of("stubs", self.id)

    def __repr__(self) -> str:
        return f"Stub({self.method!r}, {self.path!r}, id={self.id!r})"

    @property
    @asks
    def hits(self) -> int:
        """The number of answered requests."""
        return int(self._link.get(self._path)["hits"])

    @property
    @asks
    def active(self) -> bool:
        """Whether the stub still answers (`times` not reached)."""
        return bool(self._link.get(self._path)["active"])

    def replace(self, answer: Mapping[str, Any] | None = None, **members: Unpack[StubMembers]) -> Stub:
        """Replace the stub, keeping method and path, and return the new stub with zero hits.

        `answer` and `members` are those of `Stubs.add`; nothing else of this stub is kept.

        Raises:
            MockServerError: 400, the stub is not valid, and this one stays; 404, the stub was removed.
        """
        body = {"method": self.method, "path": self.path, "answer": answer, **members}
        return Stub(self._link, self._link.put(self._path, given(body)))

    def remove(self) -> None:
        """Remove the stub."""
        self._link.delete(self._path)


class Stubs(Handle):
    """The stubs of one workspace. The newest stub is tried first."""

    def add(
        self, method: str, path: str, answer: Mapping[str, Any] | None = None, **members: Unpack[StubMembers]
    ) -> Stub:
        """Add a stub for method and path before existing stubs.

        `path` begins with `/v3/`; `{name}` in it matches one segment. `answer` has `status` (200), `headers`, and
        `json` or `text`, with expressions.

        Raises:
            MockServerError: 400, the stub is not valid, or could answer for an operation that the mock has, and the
                message says what is wrong where; 409, there are as many stubs as there may be.
        """
        body = {"method": method, "path": path, "answer": answer, **members}
        return Stub(self._link, self._link.post("/stubs", given(body)))

    def add_all(self, items: Sequence[Mapping[str, Any]]) -> list[Stub]:
        """Add stubs in scenario format, in order, before existing stubs: all or none.

        Raises:
            MockServerError: 400, a stub is not valid; 409, an id is taken, or the stubs are too many.
        """
        answer = self._link.post("/stubs", {"items": list(items)})
        return [Stub(self._link, item) for item in answer["items"]]

    def all(self) -> list[Stub]:
        """Return all stubs in matching order, including spent stubs."""
        return [Stub(self._link, item) for item in self._link.items("/stubs")]

    def clear(self) -> None:
        """Remove all stubs, and keep their stored values."""
        self._link.delete("/stubs")
