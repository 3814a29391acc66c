"""The coverage of a workspace or a server: which part of the contract its requests have met."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mockserver.testing.handles.link import Handle, asks
from mockserver.testing.records import Total
from mockserver.views.record import read

__tracebackhide__ = True  # pytest shows the line of the test instead


class Coverage(Handle):
    """The coverage of one workspace, or of a whole server, dropped workspaces included."""

    def report(self, of: str = "specification") -> dict[str, Any]:
        """The report as plain data, with `percent`, `totals`, `operations`, `further`, `missing` and more.

        Args:
            of: What is counted: `specification`, the 34 operations; `all`, sending and contacts, too; `used`, the
                operations that were called; or names of operations and state machines with commas between.

        Raises:
            MockServerError: a name is unknown.
        """
        found: dict[str, Any] = self._link.get("/coverage", of=of)
        return found

    @property
    @asks
    def percent(self) -> float:
        """The percentage of the contract that was met, from 0 to 100."""
        return float(self.report()["percent"])

    @property
    @asks
    def totals(self) -> Mapping[str, Total]:
        """The totals of `operations`, `statuses`, `codes`, `fields` and `transitions`, by these names."""
        return {name: read(Total, row) for name, row in self.report()["totals"].items()}

    @property
    @asks
    def missing(self) -> list[str]:
        """A sentence for each point that was never met; those that matter most to a tested client come first."""
        return list(self.report()["missing"])

    def text(self) -> str:
        """The report as text for a terminal."""
        return self._link.text("/coverage", accept="text/plain")

    def html(self) -> str:
        """The report as an HTML page."""
        return self._link.text("/coverage", accept="text/html")

    def junit(self) -> str:
        """The report as JUnit XML: a case for each point of the contract, skipped if the point was never met."""
        return self._link.text("/coverage", accept="application/xml")

    def clear(self) -> None:
        """Set all counts to zero."""
        self._link.delete("/coverage")
