"""The faults of a workspace: rules that make matching requests go wrong."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Unpack

from mockserver.testing.arguments import FaultOptions
from mockserver.testing.client import path_segment
from mockserver.testing.handles.link import Handle, Link, asks, given
from mockserver.testing.names import FaultName

__tracebackhide__ = True  # pytest shows the line of the test instead


class Fault(Handle):
    """One rule that makes matching requests go wrong."""

    def __init__(self, link: Link, item: Mapping[str, Any]) -> None:
        super().__init__(link)
        #: The id of the rule; answers that it has made carry it in the header `X-Mock-Fault`.
        self.id: str = str(item["id"])
        #: The name of the fault or fault kind, such as `otp_expired` or `latency`.
        self.fault: str = str(item["fault"])
        #: The members of the rule, with its hits, as they were when this object was made.
        self.rule: Mapping[str, Any] = item
        self._address = f"/faults/{path_segment(self.id)}"

    def __repr__(self) -> str:
        return f"Fault({self.fault!r}, id={self.id!r})"

    @property
    @asks
    def hits(self) -> int:
        """How many requests the rule has made go wrong so far.

        Raises:
            MockServerError: 404; the rule was removed.
        """
        return int(self._link.get(self._address)["hits"])

    @property
    @asks
    def active(self) -> bool:
        """Whether the rule still applies: it has not reached `times`, and its `ttl_s` is not over.

        Raises:
            MockServerError: 404; the rule was removed.
        """
        return bool(self._link.get(self._address)["active"])

    def remove(self) -> None:
        """Remove the rule.

        Raises:
            MockServerError: 404; the rule was removed already.
        """
        self._link.delete(self._address)


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
        """Add a rule after the rules that there are, and return it.

        `match` says which requests go wrong, by `operation`, `method`, `path`, `query`, `json` and `headers`; without
        an operation a named fault takes the operations to which it belongs. `times` says how many requests go wrong;
        without it all do until the rule is removed.

        Raises:
            MockServerError: 400; the rule is not valid or could never apply, and the message says what could.
        """
        rule = given({"fault": fault, "match": match, "times": times, **options})
        return Fault(self._link, self._link.post("/faults", rule))

    def all(self) -> list[Fault]:
        """All rules in the order in which they are tried, those included that apply no longer."""
        return [Fault(self._link, item) for item in self._link.items("/faults")]

    def clear(self) -> None:
        """Remove all rules."""
        self._link.delete("/faults")
