"""The faults of a workspace."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mockserver.testing.handles.link import Link, part
from mockserver.testing.names import FaultName

__tracebackhide__ = True  # pytest shows the line of the test instead


class Fault:
    """One rule that makes matching requests go wrong."""

    def __init__(self, link: Link, item: Mapping[str, Any]) -> None:
        self._link = link
        #: The name of the rule, which stands in the header `X-Mock-Fault` of the answers that it has made.
        self.id = str(item["id"])
        #: What goes wrong: `otp_expired`, `latency` and the like.
        self.fault = str(item["fault"])
        #: The rule as it was written, with its hits at that time.
        self.rule = item

    def __repr__(self) -> str:
        return f"Fault({self.fault!r}, id={self.id!r})"

    @property
    def hits(self) -> int:
        """How many requests it has made go wrong so far.

        Raises:
            MockServerError: 404; it was removed.
        """
        return int(self._now()["hits"])

    @property
    def active(self) -> bool:
        """Whether it still applies: neither spent nor past its time.

        Raises:
            MockServerError: 404; it was removed.
        """
        return bool(self._now()["active"])

    def remove(self) -> None:
        """Let requests go well again.

        Raises:
            MockServerError: 404; it was removed already.
        """
        self._link.delete(f"/faults/{part(self.id)}")

    def _now(self) -> Mapping[str, Any]:
        found: Mapping[str, Any] = self._link.get(f"/faults/{part(self.id)}")
        return found


class Faults:
    """The faults of one workspace; the first rule that matches a request applies."""

    def __init__(self, link: Link) -> None:
        self._link = link

    def add(
        self, fault: FaultName, *, match: Mapping[str, Any] | None = None, times: int | None = None, **parameters: Any
    ) -> Fault:
        """Let requests go wrong from now on, after the rules that are there; gives a handle on the rule.

        `match` says which requests: operation, method, path, query, json, headers; a named fault takes its own
        operations by itself. `times`: how many of them, else until removed. Further `after`, `probability`, `ttl_s`
        (seconds of the workspace's clock), `force`, and what the fault itself takes, such as `ms` (milliseconds) or
        `code`.

        Raises:
            MockServerError: 400; such a rule could never apply, and the message says what could.
        """
        rule = {"fault": fault, "match": match, "times": times, **parameters}
        written = {name: value for name, value in rule.items() if value is not None}
        return Fault(self._link, self._link.post("/faults", written))

    def all(self) -> list[Fault]:
        """The rules in the order in which they are asked; one that is spent stays."""
        return [Fault(self._link, item) for item in self._link.get("/faults")["items"]]

    def clear(self) -> None:
        """Remove all rules."""
        self._link.delete("/faults")
