# Written by .ci/synchronous.py out of asynchronous/calls.py, where it is to be changed.
"""The control calls that have changed something in a workspace."""

from __future__ import annotations

from mockserver.testing.client import path_segment
from mockserver.testing.records.calls import ControlCall
from mockserver.testing.records.reading import read, read_all
from mockserver.testing.synchronous.link import Link

__tracebackhide__ = True  # pytest shows the line of the test instead


class Calls:
    """The control calls that have changed something in one workspace since it was made or last reset, newest first."""

    def __init__(self, link: Link) -> None:
        self._link = link

    def all(self, *, limit: int = 1000) -> list[ControlCall]:
        """The calls, newest first, at most `limit` (from 1 to 1000)."""
        return read_all(ControlCall, self._link.items("/calls", limit=limit))

    def get(self, identifier: str) -> ControlCall:
        """The call with an id.

        Raises:
            MockServerError: 404; there is no such call, or it was removed to make room for newer ones.
        """
        return read(ControlCall, self._link.get(f"/calls/{path_segment(identifier)}"))
