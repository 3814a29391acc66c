"""The control calls that have changed something in a workspace."""

from __future__ import annotations

from mockserver.testing.asynchronous.link import Link
from mockserver.testing.client import path_segment
from mockserver.testing.records.calls import ControlCall
from mockserver.testing.records.reading import read, read_all

__tracebackhide__ = True  # pytest shows the line of the test instead


class Calls:
    """The control calls that have changed something in one workspace since it was made or last reset, newest first."""

    def __init__(self, link: Link) -> None:
        self._link = link

    async def all(self, *, limit: int = 1000) -> list[ControlCall]:
        """The calls, newest first, at most `limit` (from 1 to 1000)."""
        return read_all(ControlCall, await self._link.items("/calls", limit=limit))

    async def get(self, identifier: str) -> ControlCall:
        """The call with an id.

        Raises:
            MockServerError: 404; there is no such call, or it was removed to make room for newer ones.
        """
        return read(ControlCall, await self._link.get(f"/calls/{path_segment(identifier)}"))
