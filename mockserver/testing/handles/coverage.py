"""Which part of the contract a workspace's requests, or those of all workspaces of a server, have met."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from mockserver.testing.handles.link import Link
from mockserver.testing.handles.reading import read

__tracebackhide__ = True  # pytest shows the line of the test instead


class Total(NamedTuple):
    """How many have been met, of how many there are."""

    met: int
    of: int


class Coverage:
    """The coverage of one workspace, or of a whole server, workspaces that are gone included."""

    def __init__(self, link: Link) -> None:
        self._link = link

    def report(self) -> dict[str, Any]:
        """All that was counted: `totals`, `operations`, `transitions`, `missing` and more, as plain data."""
        found: dict[str, Any] = self._link.get("/coverage")
        return found

    @property
    def percent(self) -> float:
        """How much of the contract was met, from 0 to 100."""
        return float(self.report()["percent"])

    @property
    def totals(self) -> Mapping[str, Total]:
        """How much was met of `operations`, `statuses`, `codes`, `fields` and `transitions`."""
        return {name: read(Total, row) for name, row in self.report()["totals"].items()}

    @property
    def missing(self) -> list[str]:
        """What was never met, a sentence each, the most telling first."""
        return list(self.report()["missing"])

    def text(self) -> str:
        """The report to read in a terminal."""
        return self._link.text("/coverage", accept="text/plain")

    def html(self) -> str:
        """The report as a page."""
        return self._link.text("/coverage", accept="text/html")

    def junit(self) -> str:
        """The report as JUnit XML: a case per point of the contract, skipped where it was never met."""
        return self._link.text("/coverage", accept="application/xml")

    def clear(self) -> None:
        """Begin to count anew."""
        self._link.delete("/coverage")
