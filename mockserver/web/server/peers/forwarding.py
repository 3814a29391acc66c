"""Forwarding requests to the servers of a store that hold their workspaces."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any

from mockserver.core.workspaces.keeping import HeldElsewhereError
from mockserver.web.server.outcome import BEGUN, Outcome
from mockserver.web.server.peers.departure import ASKED, Broken, Departure
from mockserver.web.server.peers.handing_back import HandingBack
from mockserver.web.server.peers.handing_on import NOT_THERE, UNANSWERED, HandingOn, InVain, pauses
from mockserver.web.server.peers.introduction import CLOSED, FORWARDED, NOT_HELD, RESET
from mockserver.web.server.peers.peer import Peer
from mockserver.web.server.peers.trust import told
from mockserver.web.server.threads import Threads
from mockserver.web.server.wire import Instead, Receive, Send
from mockserver.web.server.wsgi import Scope, WsgiAnswer

#: Runs a request here.
RunHere = Callable[[], Awaitable[Outcome]]


class Forwarding(HandingOn):
    """Runs the requests of one server, and forwards those whose workspace another one holds."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self._peers: dict[str, Peer] = {}
        self._threads = Threads()

    async def run(self, here: RunHere, scope: Scope, body: bytes, receive: Receive, send: Send) -> Outcome | None:
        """What comes of a request that is run here, or None if a peer has answered it or its client has left."""
        if FORWARDED in scope and (call := self._call(scope["raw_path"])) is not None:
            return _outcome(await self._threads.run_waiting(partial(self._answered, call, body)))
        tries = pauses()
        while True:
            try:
                return await here()
            except HeldElsewhereError as error:
                elsewhere = error.with_traceback(None)  # its frames refer to the request
            if FORWARDED in scope:
                return _outcome(self._not_held())
            found = UNANSWERED if BEGUN in scope else await self._forward(elsewhere, scope, body, receive, send)
            if found is None:
                return None
            pause = next(tries, None)
            if not found.is_undone or pause is None:
                return _outcome(self._refused(elsewhere, scope, found))
            await asyncio.sleep(pause)

    def instead_of_end(self, scope: Scope) -> Instead | None:
        """What a peer that has forwarded a request is sent in the place of the end of its client's connection."""
        if FORWARDED not in scope:
            return None
        return lambda is_reset: self.introduction.answer(RESET if is_reset else CLOSED)

    def at_hand(self, address: str) -> Departure | None:
        """A connection to a peer that nobody else uses, until it is given back, if there is one."""
        peer = self._peers.get(address)
        return None if peer is None else peer.at_hand()

    def give_back(self, address: str, connection: Departure) -> None:
        """Keep a connection for another request."""
        self._peers[address].give_back(connection)

    def close(self) -> None:
        """End the connections to peers."""
        self._threads.close()
        for peer in self._peers.values():
            peer.close()

    async def _forward(
        self, elsewhere: HeldElsewhereError, scope: Scope, body: bytes, receive: Receive, send: Send
    ) -> InVain | None:
        """Forward a request to the server that holds its workspace, and hand its answer back as it comes.

        None: the client has its answer, or has left.
        """
        peer = self._peer(elsewhere.address)
        asked: Departure | None = scope.pop(ASKED, None)
        try:
            connection = asked or await peer.connection()
        except OSError as error:
            self.holders.doubt(elsewhere)
            return InVain(is_undone=True, why=told(error))
        client = HandingBack(connection, scope, receive, send)
        try:
            if asked is None:
                connection.ask(self.request(scope, body), scope["method"])
            return await self._answer(connection, client, elsewhere)
        finally:
            client.stop()
            peer.give_back(connection)

    async def _answer(self, connection: Departure, client: HandingBack, elsewhere: HeldElsewhereError) -> InVain | None:
        """Hand back what the peer answers, or do what it says."""
        is_lost = partial(self._is_lost, self._peer(elsewhere.address), elsewhere)
        started = await client.first(is_lost)
        if isinstance(started, Broken):
            return UNANSWERED
        if started is None:
            return None
        word = self.introduction.word(started.status, started.headers)
        if word is None:
            if self.introduction.is_once(started.headers):
                connection.use_up()
            self.holders.confirm(elsewhere)
            await client.hand_back(started, is_lost)
            return None
        connection.skip_rest()
        if word == NOT_HELD:
            self.holders.doubt(elsewhere)
            return NOT_THERE
        await client.end(is_reset=word == RESET)
        return None

    def _peer(self, address: str) -> Peer:
        found = self._peers.get(address)
        if found is None:
            found = self._peers[address] = Peer(address, self._trust)
        return found

    async def _is_lost(self, peer: Peer, elsewhere: HeldElsewhereError) -> bool:
        """Whether a peer that says nothing is dead, and holds the workspace no longer."""
        if await peer.is_alive():
            return False
        return not await self._threads.run_waiting(partial(self.holders.is_held, elsewhere))


def _outcome(answer: WsgiAnswer) -> Outcome:
    """An answer that nobody here was asked for."""
    return Outcome({"wsgi.input": None}, answer)
