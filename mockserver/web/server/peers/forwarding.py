"""Forwarding requests to the servers of a store that hold their workspaces."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from enum import Enum
from functools import partial
from time import monotonic
from types import MappingProxyType

from mockserver.core.workspaces.keeping import HeldElsewhereError, KeepingError
from mockserver.web.server.connections.http_limits import Refusal
from mockserver.web.server.outcome import BEGUN, Outcome
from mockserver.web.server.peers.asking import Answer, Calls
from mockserver.web.server.peers.departure import Broken, Departure
from mockserver.web.server.peers.handing_back import HandingBack
from mockserver.web.server.peers.introduction import CLOSED, FORWARDED, NOT_HELD, RESET, Introduction
from mockserver.web.server.peers.peer import Peer
from mockserver.web.server.threads import Threads
from mockserver.web.server.wire import Instead, Receive, Send
from mockserver.web.server.wsgi import Scope, WsgiAnswer

#: Runs a request here.
RunHere = Callable[[], Awaitable[Outcome]]

#: For how many seconds a request is asked for again that nobody has done. Chosen: twice the time after which a server
#: that is not heard of holds nothing any more.
_PATIENCE_S = 5.0
#: How many seconds pass until it is asked for again, at first and at most. Chosen: a workspace that changes hands is
#: held again within milliseconds, and one whose holder has died within two seconds.
_PAUSE_S, _LONGEST_PAUSE_S = 0.02, 0.2
#: The headers of a request that say how long its body is, which is forwarded in one piece.
_LENGTHS = (b"content-length", b"transfer-encoding")


class _Found(Enum):
    """What has come of forwarding a request."""

    #: The client has its answer, or has left.
    ANSWERED = "answered"
    #: Nothing was done: the peer was not reached, or does not hold the workspace.
    NOT_DONE = "not done"
    #: Nobody knows whether it was done: there was no answer.
    UNKNOWN = "unknown"


class Forwarding:
    """Runs the requests of one server, and forwards those whose workspace another one holds."""

    def __init__(
        self,
        introduction: Introduction,
        is_held: Callable[[HeldElsewhereError], bool],
        refusal: Refusal,
        calls: Calls = MappingProxyType({}),
    ) -> None:
        """Prepare it; `is_held` says whether a workspace is still held elsewhere, and may take a while.

        `calls` are those that peers may make beside the requests of clients that they forward.
        """
        self.introduction = introduction
        self._calls = calls
        self._is_held = is_held
        self._refusal = refusal
        self._peers: dict[str, Peer] = {}
        self._threads = Threads()

    async def run(self, here: RunHere, scope: Scope, body: bytes, receive: Receive, send: Send) -> Outcome | None:
        """What comes of a request that is run here, or None if a peer has answered it or its client has left."""
        if FORWARDED in scope and (call := self._calls.get(scope["raw_path"])) is not None:
            return Outcome({"wsgi.input": None}, await self._threads.run_waiting(partial(self._called, call, body)))
        until, pause = monotonic() + _PATIENCE_S, _PAUSE_S
        while True:
            try:
                return await here()
            except HeldElsewhereError as error:
                elsewhere = error.with_traceback(None)  # its frames refer to the request
            if FORWARDED in scope:
                return Outcome({"wsgi.input": None}, self.introduction.answer(NOT_HELD))
            found = _Found.UNKNOWN if BEGUN in scope else await self._forward(elsewhere, scope, body, receive, send)
            if found is _Found.ANSWERED:
                return None
            if found is _Found.UNKNOWN or monotonic() > until:
                return self._refused(elsewhere, scope, found)
            await asyncio.sleep(pause)
            pause = min(2 * pause, _LONGEST_PAUSE_S)

    def instead_of_end(self, scope: Scope) -> Instead | None:
        """What a peer that has forwarded a request is sent in the place of the end of its client's connection."""
        if FORWARDED not in scope:
            return None
        return lambda is_reset: self.introduction.answer(RESET if is_reset else CLOSED)

    def close(self) -> None:
        """End the connections to peers."""
        self._threads.close()
        for peer in self._peers.values():
            peer.close()

    async def _forward(
        self, elsewhere: HeldElsewhereError, scope: Scope, body: bytes, receive: Receive, send: Send
    ) -> _Found:
        """Forward a request to the server that holds its workspace, and hand its answer back as it comes."""
        peer = self._peer(elsewhere.address)
        try:
            connection = await peer.connection()
        except OSError:
            return _Found.NOT_DONE
        client = HandingBack(connection, scope, receive, send)
        try:
            connection.ask(self._request(scope, body), scope["method"])
            return await self._answer(connection, client, partial(self._is_lost, peer, elsewhere))
        finally:
            client.stop()
            peer.give_back(connection)

    async def _answer(
        self, connection: Departure, client: HandingBack, is_lost: Callable[[], Awaitable[bool]]
    ) -> _Found:
        """Hand back what the peer answers, or do what it says."""
        started = await client.first(is_lost)
        if isinstance(started, Broken):
            return _Found.UNKNOWN
        if started is None:
            return _Found.ANSWERED
        word = self.introduction.word(started.status, started.headers)
        if word is None:
            await client.hand_back(started, is_lost)
            return _Found.ANSWERED
        connection.skip_rest()
        if word == NOT_HELD:
            return _Found.NOT_DONE
        await client.end(is_reset=word == RESET)
        return _Found.ANSWERED

    def _called(self, call: Answer, body: bytes) -> WsgiAnswer:
        """The answer to a call of a peer."""
        try:
            status, content = 200, call(body)
        except HeldElsewhereError:
            return self.introduction.answer(NOT_HELD)
        except KeepingError as error:
            status, content = 503, str(error).encode()
        return WsgiAnswer(status, [("Content-Length", str(len(content)))], content)

    def _peer(self, address: str) -> Peer:
        found = self._peers.get(address)
        if found is None:
            found = self._peers[address] = Peer(address)
        return found

    async def _is_lost(self, peer: Peer, elsewhere: HeldElsewhereError) -> bool:
        """Whether a peer that says nothing is dead, and holds the workspace no longer."""
        if await peer.is_alive():
            return False
        return not await self._threads.run_waiting(partial(self._is_held, elsewhere))

    def _request(self, scope: Scope, body: bytes) -> bytes:
        """A request as it is forwarded: as it has come, but for what a peer has to know of its client."""
        query = scope["query_string"]
        target = scope["raw_path"] + b"?" + query if query else scope["raw_path"]
        kept = [header for header in scope["headers"] if header[0] not in _LENGTHS]
        headers = [self.introduction.header(scope), *kept]
        if body or len(kept) < len(scope["headers"]):
            headers.append((b"content-length", b"%d" % len(body)))
        first = b"%s %s HTTP/%s\r\n" % (scope["method"].encode("ascii"), target, scope["http_version"].encode("ascii"))
        return b"".join([first, *(b"%s: %s\r\n" % header for header in headers), b"\r\n", body])

    def _refused(self, elsewhere: HeldElsewhereError, scope: Scope, found: _Found) -> Outcome:
        """The refusal of a request that was forwarded in vain."""
        if found is _Found.UNKNOWN:
            message = f"The server that held the workspace {elsewhere.name} has not answered; this may have been done"
        else:
            message = (
                f"Another server of the store holds the workspace {elsewhere.name}, and cannot be reached at "
                f"{elsewhere.address}; nothing was done"
            )
        response = self._refusal(scope["raw_path"].decode("latin-1"), 503, message)
        headers = [(name.lower(), value) for name, value in response.headers]
        return Outcome({"wsgi.input": None}, WsgiAnswer(response.status_code, headers, response.get_data()))
