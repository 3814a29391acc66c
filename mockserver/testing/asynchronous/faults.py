"""The faults of a workspace: rules that make matching requests go wrong."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Unpack

from mockserver.testing.arguments import FaultOptions
from mockserver.testing.asynchronous.link import Link
from mockserver.testing.client import path_segment
from mockserver.testing.names import FaultName

__tracebackhide__ = True  # pytest shows the line of the test instead


class Fault:
    """One rule that makes matching requests go wrong."""

    def __init__(self, link: Link, item: Mapping[str, Any]) -> None:
        self._link = link
        #: The id of the rule; answers that it has made carry it in the header `X-Mock-Fault`.
        self.id = str(item["id"])
        #: The name of the fault or fault kind, such as `otp_expired` or `latency`.
        self.fault = str(item["fault"])
        #: The members of the rule, with its hits, as they were when this object was made.
        self.rule = item

    def __repr__(self) -> str:
        return f"Fault({self.fault!r}, id={self.id!r})"

    @property
    async def hits(self) -> int:
        """How many requests the rule has made go wrong so far.

        Raises:
            MockServerError: 404; the rule was removed.
        """
        current = await self._current()
        return int(current["hits"])

    @property
    async def active(self) -> bool:
        """Whether the rule still applies: it has not reached `times`, and its `ttl_s` is not over.

        Raises:
            MockServerError: 404; the rule was removed.
        """
        current = await self._current()
        return bool(current["active"])

    async def remove(self) -> None:
        """Remove the rule.

        Raises:
            MockServerError: 404; the rule was removed already.
        """
        await self._link.delete(f"/faults/{path_segment(self.id)}")

    async def _current(self) -> Mapping[str, Any]:
        found: Mapping[str, Any] = await self._link.get(f"/faults/{path_segment(self.id)}")
        return found


class Faults:
    """The faults of one workspace; the first rule that matches a request applies."""

    def __init__(self, link: Link) -> None:
        self._link = link

    async def add(
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
        rule = {"fault": fault, "match": match, "times": times, **options}
        written = {name: value for name, value in rule.items() if value is not None}
        return Fault(self._link, await self._link.post("/faults", written))

    async def all(self) -> list[Fault]:
        """All rules in the order in which they are tried, those included that apply no longer."""
        return [Fault(self._link, item) for item in await self._link.items("/faults")]

    async def clear(self) -> None:
        """Remove all rules."""
        await self._link.delete("/faults")
