"""The connections of a server that shares a store: of its clients, and of peers that forward requests to it."""

from __future__ import annotations

from time import monotonic
from typing import TYPE_CHECKING, Any

from uvicorn.protocols.http.httptools_impl import STATUS_LINE

from mockserver.core.workspaces.keeping import HeldElsewhereError
from mockserver.web.server.connections.settling import Late, SettlingConnection
from mockserver.web.server.outcome import FirstRun
from mockserver.web.server.peers.departure import ASKED, WITHOUT_BODY, Departure, Started
from mockserver.web.server.peers.handing_on import without_server
from mockserver.web.server.peers.introduction import FORWARDED, HEADER
from mockserver.web.server.wsgi import Scope

if TYPE_CHECKING:
    from mockserver.web.server.peers.forwarding import Forwarding

#: How many seconds a connection over which a peer has forwarded a request is kept for the next one, even where there
#: are too many. Chosen: longer than the peer keeps it, so that no request meets a connection that is being closed.
_KEPT_S = 60.0
#: The headers that decide how an answer ends, beside its length, or for whom it is.
_NOT_PLAIN = (b"transfer-encoding", b"connection", HEADER)


class Arrival(SettlingConnection):
    """A connection whose requests may have come to a peer first, or are forwarded to one.

    Those of a peer are answered as if they had come here. One for a workspace that is held elsewhere is forwarded
    without a task if a connection to the peer is at hand, and handed over as it stands if the answer is long in coming,
    comes in pieces, or does not come.
    """

    def __init__(self, *arguments: Any, forwarding: Forwarding, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self._forwarding = forwarding
        self._is_of_peer = False
        #: Over which the request that waits was forwarded, and where to.
        self._asked: Departure | None = None
        self._address = ""
        #: The request that waited when the connection was checked last.
        self._checked: Late | None = None

    # ------------------------------------------------------------------ of a peer

    def on_headers_complete(self) -> None:
        self._take_introduction_off()
        super().on_headers_complete()

    def _measure(self) -> None:
        self._take_introduction_off()
        super()._measure()

    def _take_introduction_off(self) -> None:
        """Take off what the peer has added, which counts for no limit."""
        size = self._forwarding.introduction.take_off(self.headers, self.scope)
        self._came -= size
        self._is_of_peer = self._is_of_peer or size > 0

    def _is_plain(self) -> bool:
        return not (FORWARDED in self.scope and self._forwarding.is_call(self.url)) and super()._is_plain()

    def _learn(self, data: bytes) -> None:
        if FORWARDED not in self.scope:  # what a head means does not depend on its bytes then
            super()._learn(data)

    @property
    def is_idle(self) -> bool:
        return super().is_idle and not (self._is_of_peer and monotonic() - self.idle_since < _KEPT_S)

    # ------------------------------------------------------------------ to a peer

    def check(self, now: float, idle_s: float) -> None:
        if self._asked is not None and self._late is self._checked:
            self._give_up()  # the task looks after a peer that says nothing
        self._checked = self._late
        super().check(now, idle_s)

    def connection_lost(self, exc: Exception | None) -> None:
        asked, self._asked = self._asked, None
        if asked is not None:
            asked.abort()
        super().connection_lost(exc)

    def _awaits(self, run: FirstRun, method: str, data: bytes | None = None) -> bool:
        return super()._awaits(run, method, data) or self._forwards(run, method, data)

    def _forwards(self, run: FirstRun, method: str, data: bytes | None) -> bool:
        """Whether a request was forwarded whose workspace is held elsewhere."""
        found = run.found
        if not isinstance(found, HeldElsewhereError) or run is self._given_up:
            return False
        scope: Scope = self.scope  # type: ignore[assignment]  # a dictionary all the same
        if data is None and FORWARDED in scope:
            return False
        asked = self._forwarding.at_hand(found.address)
        if asked is None:
            return False
        if data is None:
            request = self._forwarding.request(scope, self._body or b"")
        else:
            ends = {"client": self.client, "server": self.server, "scheme": self.scheme}
            request = self._forwarding.introduced(data, ends)
        self._wait(run, method, data)
        self._asked, self._address = asked, found.address
        asked.ask(request, method, self._hand_back)
        return True

    def _hand_back(self) -> None:
        """Send the answer of the peer if it has come whole; hand the request over if it will not, or not soon."""
        asked, late = self._asked, self._late
        if asked is None or late is None:
            return
        if asked.is_long:
            self._give_up()
            return
        whole = asked.whole()
        if whole is None:
            return
        head = self._head_of_peer(*whole, late.method)
        if head is None:
            self._give_up()
            return
        self._late = self._asked = None
        asked.skip_rest()
        if isinstance(late.run.found, HeldElsewhereError):
            self._forwarding.holders.confirm(late.run.found)
        self._forwarding.give_back(self._address, asked)
        self._sending.add(self.loop, self.transport, b"".join([*head, whole[1]]))
        self._finish()

    def _head_of_peer(self, started: Started, body: bytes, method: str) -> list[bytes] | None:
        """The head of an answer as the client gets it; None if it is for this server, or not plain."""
        line = STATUS_LINE.get(started.status)
        if line is None or not _ends_by_length(started, body, method):
            return None
        lines = [line, *self._own_lines(), *(b"%s: %s\r\n" % header for header in without_server(started.headers))]
        if not self._keeps:
            lines.append(b"connection: close\r\n")
        return [*lines, b"\r\n"]

    def _give_up(self) -> None:
        asked, self._asked = self._asked, None
        if asked is not None:
            asked.on_event = None
        super()._give_up()
        if asked is not None:
            self.scope[ASKED] = asked  # type: ignore[literal-required]  # ours; its task has not begun yet


def _ends_by_length(started: Started, body: bytes, method: str) -> bool:
    """Whether an answer is for the client, and its head tells how long the body is that has come."""
    if any(name in _NOT_PLAIN for name, _ in started.headers):
        return False
    length = next((value for name, value in started.headers if name == b"content-length"), None)
    has_none = method == "HEAD" or (started.status in WITHOUT_BODY and length is None)
    return has_none or length == b"%d" % len(body)
