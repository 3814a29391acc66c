"""The whole state of a workspace, as a scenario."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mockserver.testing.handles.link import Link, part
from mockserver.testing.scenario import Scenario, sendable

__tracebackhide__ = True  # pytest shows the line of the test instead


class State:
    """Where one workspace stands, to read, keep and put back."""

    def __init__(self, link: Link) -> None:
        self._link = link

    def get(self) -> dict[str, Any]:
        """The workspace as a scenario document that recreates it; journal, coverage and mailbox stay out."""
        found: dict[str, Any] = self._link.get("/state")
        return found

    def put(self, document: Mapping[str, Any] | Scenario) -> None:
        """Let the workspace stand as a document, or the YAML file of this path, says; journal, coverage, mailbox go on.

        Raises:
            MockServerError: 400; it is no good scenario, `errors` names every mistake, and nothing has changed.
        """
        self._link.renew(self._link.put("/state", sendable(document)))

    def yaml(self) -> str:
        """The same as `get`, as YAML: a scenario to save as a file."""
        return self._link.text("/state", accept="application/yaml")


class Snapshot:
    """A moment of a workspace that is kept."""

    def __init__(self, link: Link, name: str) -> None:
        self._link = link
        self.name = name

    def __repr__(self) -> str:
        return f"Snapshot({self.name!r})"

    def restore(self) -> None:
        """Return to the moment: state, clock, faults, mailbox; journal and coverage go on.

        Raises:
            MockServerError: 404; it was deleted.
        """
        self._link.renew(self._link.post(f"/snapshots/{part(self.name)}/restore"))

    def delete(self) -> None:
        """Forget the moment.

        Raises:
            MockServerError: 404; it was deleted already.
        """
        self._link.delete(f"/snapshots/{part(self.name)}")
