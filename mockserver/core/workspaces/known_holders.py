"""The servers that hold the workspaces which rest here, as far as that is known without asking the store."""

from __future__ import annotations

import time
from typing import NamedTuple
from weakref import WeakKeyDictionary

from mockserver.core.workspaces.keeping import HeldElsewhereError
from mockserver.core.workspaces.resting import Resting

#: For how many seconds a server is believed to hold a workspace after the store has said so, or it has answered for it.
#: Chosen: longer than the time between two requests of a suite, and a quarter of that after which a server that stands
#: still holds nothing; one that lives says itself that it does not hold a workspace.
_BELIEVED_S = 0.5


class _Holder(NamedTuple):
    """A server that has held a workspace."""

    #: Where other servers reach it.
    address: str
    #: Until when it is believed to hold it, on the monotonic clock.
    until: float


class KnownHolders:
    """Which server has held each workspace a moment ago."""

    def __init__(self) -> None:
        self._holders: WeakKeyDictionary[Resting, _Holder] = WeakKeyDictionary()

    def note(self, resting: Resting, address: str) -> None:
        """Believe for a while that the server at an address holds a workspace."""
        self._holders[resting] = _Holder(address, time.monotonic() + _BELIEVED_S)

    def forget(self, resting: Resting) -> None:
        """Believe no more that any server holds a workspace."""
        self._holders.pop(resting, None)

    def raise_if_known(self, resting: Resting) -> None:
        """Lead to the server that has held a workspace a moment ago.

        Raises:
            HeldElsewhereError: it is known which one that was.
        """
        holder = self._holders.get(resting)
        if holder is not None and time.monotonic() < holder.until:
            raise HeldElsewhereError(resting.outline.name, holder.address)
