"""Connections whose answers wait, without a task of the event loop, until it is kept what they tell."""

from __future__ import annotations

import asyncio
from functools import partial
from typing import Any, NamedTuple

from mockserver.web.server.connections.connection import Connection
from mockserver.web.server.connections.fast_path import FastConnection
from mockserver.web.server.outcome import FIRST_RUN, FirstRun, Unsettled
from mockserver.web.server.wsgi import Scope


class Late(NamedTuple):
    """A request that was run, and whose answer is still to leave."""

    run: FirstRun
    method: str
    #: The request itself, if it was not parsed; None: the connection is at its end.
    data: bytes | None


class SettlingConnection(FastConnection):
    """A connection on the fast path, at which one request may wait until it is kept what its answer tells.

    Whatever else happens meanwhile, it is handed over to a task as it stands.
    """

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self._late: Late | None = None
        #: What was handed over, and is not to wait here again.
        self._given_up: FirstRun | None = None

    @property
    def is_idle(self) -> bool:
        return self._late is None and super().is_idle

    def data_received(self, data: bytes) -> None:
        self._give_up()
        super().data_received(data)

    def shutdown(self) -> None:
        self._give_up()
        super().shutdown()

    def connection_lost(self, exc: Exception | None) -> None:
        self._late = None
        super().connection_lost(exc)

    def _awaits(self, run: FirstRun, method: str, data: bytes | None = None) -> bool:
        unsettled = run.unsettled
        if unsettled is None or run is self._given_up:
            return False
        self._wait(run, method, data)
        unsettled.settled.add_done_callback(partial(self._leave_late, unsettled))
        return True

    def _wait(self, run: FirstRun, method: str, data: bytes | None) -> None:
        """Let a request wait for its answer, until it is handed over."""
        self._late = Late(run, method, data)

    def _leave_late(self, unsettled: Unsettled, settled: asyncio.Future[str | None]) -> None:
        """Send the answer that has waited, if it still does, or hand it over if it is not kept what it tells."""
        late = self._late
        if late is None or late.run.found is not unsettled:
            return
        if settled.result() is None and self._send(unsettled.answer, late.method):
            self._late = None
            self._finish()
        else:
            self._give_up()

    def _give_up(self) -> None:
        """Start a task for the request that waits, if there is one."""
        late, self._late = self._late, None
        if late is None:
            return
        self._given_up = late.run
        if late.data is None:
            scope: Scope = self.scope  # type: ignore[assignment]  # a dictionary all the same
            scope[FIRST_RUN] = late.run
            self._hand_over()
        else:
            self._begun = late.run
            Connection.data_received(self, late.data)
        self._begun = self._given_up = None
