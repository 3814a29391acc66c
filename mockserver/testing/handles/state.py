"""The state of a workspace as a scenario, and snapshots of it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self

from mockserver.testing.client import path_segment
from mockserver.testing.handles.link import Handle, Link
from mockserver.testing.scenario import NamingFile, Scenario, YamlText, sendable

__tracebackhide__ = True  # pytest shows the line of the test instead


class State(Handle):
    """The state of one workspace, to be read and replaced."""

    def get(self) -> dict[str, Any]:
        """The state as a scenario document that recreates it; journal, coverage and mailbox are not part of it."""
        found: dict[str, Any] = self._link.get("/state")
        return found

    def put(self, document: Mapping[str, Any] | Scenario) -> None:
        """Replace the state by that of a scenario; journal, coverage and mailbox are kept.

        The scenario is a document, the path of a YAML file, or the name of one that the server knows.

        Raises:
            MockServerError: 400; the scenario is not valid, `errors` names every mistake, and nothing has changed.
            OSError: the file cannot be read.
            ValueError: the file is not YAML.
        """
        found = sendable(document)
        with NamingFile(found):
            if isinstance(found, YamlText):
                self._link.about = self._link.put_yaml("/state", found.text)
            else:
                self._link.about = self._link.put("/state", found)

    def yaml(self) -> str:
        """The state as a scenario in YAML, which can be saved as a file; it lacks journal, coverage and mailbox."""
        return self._link.text("/state", accept="application/yaml")


class Snapshot(Handle):
    """A saved moment of a workspace. As a context manager it is restored and deleted at the end of its block."""

    def __init__(self, link: Link, name: str) -> None:
        super().__init__(link)
        self.name: str = name

    def __repr__(self) -> str:
        return f"Snapshot({self.name!r})"

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *raised: object) -> None:
        self.restore()
        self.delete()

    def restore(self) -> None:
        """Return to the moment with state, clock, faults and mailbox; journal and coverage are kept.

        Raises:
            MockServerError: 404; the snapshot was deleted.
        """
        self._link.about = self._link.post(f"/snapshots/{path_segment(self.name)}/restore")

    def delete(self) -> None:
        """Delete the snapshot.

        Raises:
            MockServerError: 404; the snapshot was deleted already.
        """
        self._link.delete(f"/snapshots/{path_segment(self.name)}")
