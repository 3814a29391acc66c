"""Which requests are handed on to the servers that hold their workspaces, and how, whatever carries the bytes there."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from time import monotonic
from types import MappingProxyType
from typing import NamedTuple, Protocol

from mockserver.core.workspaces.keeping import HeldElsewhereError
from mockserver.web.server.connections.http_limits import Refusal
from mockserver.web.server.connections.refusal import refused_answer
from mockserver.web.server.peers.calls import Answer, Calls, answered
from mockserver.web.server.peers.introduction import HEADER, NOT_HELD, Header, Introduction
from mockserver.web.server.peers.trust import Trust
from mockserver.web.server.wsgi import Scope, WsgiAnswer

#: For how many seconds a request is asked for again that nobody has done. Chosen: twice the time after which a server
#: that is not heard of holds nothing any more.
_PATIENCE_S = 5.0
#: How many seconds pass until it is asked for again, at first and at most. Chosen: a workspace that changes hands is
#: held again within milliseconds, and one whose holder has died within two seconds.
_PAUSE_S, _LONGEST_PAUSE_S = 0.02, 0.2
#: The headers of a request that say how long its body is, which is forwarded in one piece.
_LENGTHS = (b"content-length", b"transfer-encoding")
#: The headers of an answer that every server adds itself, and those that are for the server that forwards.
_OF_SERVER = (b"date", b"server", HEADER)
#: How many seconds a peer may take to accept a connection, and to say that it is alive.
CONNECT_S = 2.0
#: After how many seconds without a word of the peer it is asked whether it is alive. Chosen: as long as a lease lasts.
LOOK_S = 2.0


class InVain(NamedTuple):
    """A request was forwarded, and there is no answer for its client."""

    #: Whether nothing was done: the peer was not reached, or does not hold the workspace. Else nobody knows that.
    is_undone: bool
    #: Why the peer was not reached, as a sentence goes on with it.
    why: str = ""


#: The peer was reached, and does not hold the workspace.
NOT_THERE = InVain(is_undone=True)
#: Nobody knows whether it was done: there was no answer.
UNANSWERED = InVain(is_undone=False)


def pauses() -> Iterator[float]:
    """How many seconds pass before each further try, as long as it is worth one."""
    until, pause = monotonic() + _PATIENCE_S, _PAUSE_S
    while monotonic() <= until:
        yield pause
        pause = min(2 * pause, _LONGEST_PAUSE_S)


def without_server(headers: Iterable[Header]) -> list[Header]:
    """The headers of an answer without those that the server adds which hands it back, or which are for that."""
    return [header for header in headers if header[0].lower() not in _OF_SERVER]


class Holders(Protocol):
    """Which servers hold workspaces that are held elsewhere."""

    def is_held(self, elsewhere: HeldElsewhereError) -> bool:
        """Whether a workspace is still held there, as far as anybody can tell; this may take a while."""
        ...

    def confirm(self, elsewhere: HeldElsewhereError) -> None:
        """Hear that it is held there: the server has just answered for it."""
        ...

    def doubt(self, elsewhere: HeldElsewhereError) -> None:
        """Hear that it may be held there no more: the server says so, or is not reached."""
        ...


class HandingOn:
    """What a server hands on to those of its store, and answers to what they hand on."""

    def __init__(
        self,
        introduction: Introduction,
        trust: Trust,
        holders: Holders,
        refusal: Refusal,
        calls: Calls = MappingProxyType({}),
    ) -> None:
        """Prepare it.

        Args:
            introduction: how servers of the store know each other.
            trust: how they know each other's certificates, where they speak TLS.
            holders: knows which server holds a workspace that is held elsewhere, and hears of it.
            refusal: makes the refusal of a request that was forwarded in vain.
            calls: those that peers may make beside the requests of clients that they forward.
        """
        self.introduction = introduction
        self._trust = trust
        self.holders = holders
        self._refusal = refusal
        self._calls = calls

    def _call(self, path: bytes) -> Answer | None:
        """What answers a call of a peer; None: the peer has forwarded a request."""
        return self._calls.get(path)

    def _answered(self, call: Answer, body: bytes) -> WsgiAnswer:
        return answered(self.introduction, call, body)

    def _not_held(self) -> WsgiAnswer:
        """The answer to a peer whose request is for a workspace that is not held here: it is not forwarded again."""
        return self.introduction.answer(NOT_HELD)

    def is_call(self, path: bytes) -> bool:
        """Whether what comes to a path from a peer is a call of its own, and no request that it has forwarded."""
        return path in self._calls

    def introduced(self, request: bytes, ends: Scope) -> bytes:
        """A request as it is forwarded, which is given as it has come; `ends` are those of its connection."""
        line = request.find(b"\r\n") + 2
        return b"%s%s: %s\r\n%s" % (request[:line], *self.introduction.header(ends), request[line:])

    def request(self, scope: Scope, body: bytes) -> bytes:
        """A request as it is forwarded: as it has come, but for what a peer has to know of its client."""
        query = scope["query_string"]
        target = scope["raw_path"] + b"?" + query if query else scope["raw_path"]
        kept = [header for header in scope["headers"] if header[0] not in _LENGTHS]
        headers = [self.introduction.header(scope), *kept]
        if body or len(kept) < len(scope["headers"]):
            headers.append((b"content-length", b"%d" % len(body)))
        first = b"%s %s HTTP/%s\r\n" % (
            scope["method"].encode("latin-1"),
            target,
            scope["http_version"].encode("ascii"),
        )
        return b"".join([first, *(b"%s: %s\r\n" % header for header in headers), b"\r\n", body])

    def _refused(self, elsewhere: HeldElsewhereError, scope: Scope, found: InVain) -> WsgiAnswer:
        """The refusal of a request that was forwarded in vain."""
        if not found.is_undone:
            message = f"The server that held the workspace {elsewhere.name} has not answered; this may have been done"
        else:
            message = (
                f"Another server of the store holds the workspace {elsewhere.name}, and cannot be reached at "
                f"{elsewhere.address}{found.why}; nothing was done"
            )
        return refused_answer(self._refusal, scope, message)
