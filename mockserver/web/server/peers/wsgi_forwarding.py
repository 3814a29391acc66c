"""Forwarding requests to peers under an ordinary WSGI server, where each of them holds a thread."""

from __future__ import annotations

import errno
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from http import HTTPStatus
from http.client import HTTPException, HTTPResponse
from time import sleep
from typing import TYPE_CHECKING, Any
from wsgiref.util import is_hop_by_hop

from mockserver.core.workspaces.keeping import HeldElsewhereError
from mockserver.web.server.peers.blocking_departure import BlockingDeparture, Silence
from mockserver.web.server.peers.handing_on import NOT_THERE, UNANSWERED, HandingOn, InVain, pauses, without_server
from mockserver.web.server.peers.introduction import NOT_HELD, RESET
from mockserver.web.server.peers.trust import told
from mockserver.web.server.peers.wsgi_request import WsgiRequest, take_introduction_off
from mockserver.web.server.waiting import SUSPENDED
from mockserver.web.server.wsgi import WsgiAnswer

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIApplication, WSGIEnvironment

#: How many bytes of an answer are handed back at once, at most.
_PIECE = 64 * 1024


class WsgiForwarding(HandingOn):
    """A WSGI application around another one, whose requests for workspaces held elsewhere are forwarded.

    Requests that come by the bridge are left to that.
    """

    def __init__(self, app: WSGIApplication, body_limit: int, *arguments: Any, **options: Any) -> None:
        """Around `app`, which refuses bodies of more than `body_limit` bytes."""
        super().__init__(*arguments, **options)
        self._app, self._body_limit = app, body_limit

    def __call__(self, environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        """The answer to a request, as PEP 3333 has it.

        Raises:
            ConnectionResetError: the client is to get no answer; servers take it for a client that has left.
        """
        if SUSPENDED in environ:
            return self._app(environ, start_response)
        if not take_introduction_off(environ, self.introduction):
            return self._run(WsgiRequest(environ, self._body_limit), start_response)
        request = WsgiRequest(environ, self._body_limit)
        call = self._call(environ["PATH_INFO"].encode("latin-1"))
        if call is not None:
            return _start(self._answered(call, request.body), start_response)
        try:
            return self._app(request.environ(), self._start_once(start_response))
        except HeldElsewhereError:
            return _start(self._not_held(), start_response)
        except ConnectionResetError:  # a fault wants no answer
            return _start(self.introduction.answer(RESET), start_response)

    def _start_once(self, start_response: StartResponse) -> StartResponse:
        """Begins an answer to a peer that has to connect again, as nobody knows when this server ends a connection."""

        def start(status: str, headers: list[tuple[str, str]], exc_info: Any = None) -> Callable[[bytes], object]:
            return start_response(status, [*headers, self.introduction.once()], exc_info)

        return start

    def _run(self, request: WsgiRequest, start_response: StartResponse) -> Iterable[bytes]:
        """The answer to a request that has come from a client."""
        tries = pauses()
        while True:
            try:
                return self._app(request.environ(), start_response)
            except HeldElsewhereError as error:
                elsewhere = error.with_traceback(None)  # its frames refer to the request
            if not request.is_complete:
                raise ConnectionResetError(errno.ECONNRESET, "the client has left before all of its body had come")
            found = self._forward(elsewhere, request, start_response)
            if not isinstance(found, InVain):
                return found
            pause = next(tries, None)
            if not found.is_undone or pause is None:
                return _start(self._refused(elsewhere, request.scope, found), start_response)
            sleep(pause)

    def _forward(
        self, elsewhere: HeldElsewhereError, request: WsgiRequest, start_response: StartResponse
    ) -> Iterable[bytes] | InVain:
        """The answer of the server that holds the workspace of a request, or what has come of asking it."""
        silence = Silence(elsewhere.address, self._trust, partial(self.holders.is_held, elsewhere))
        try:
            departure = BlockingDeparture(elsewhere.address, self._trust, silence.is_final)
        except OSError as error:
            self.holders.doubt(elsewhere)
            return InVain(is_undone=True, why=told(error))
        scope = request.scope
        try:
            answer = departure.ask(self.request(scope, request.body), scope["method"])
        except (OSError, HTTPException):
            departure.close()
            return UNANSWERED
        return self._handed_back(elsewhere, answer, departure, start_response)

    def _handed_back(
        self,
        elsewhere: HeldElsewhereError,
        answer: HTTPResponse,
        departure: BlockingDeparture,
        start_response: StartResponse,
    ) -> Iterable[bytes] | InVain:
        """The answer of a peer for the client, or what it says to this server."""
        headers = [(name.encode("latin-1"), value.encode("latin-1")) for name, value in answer.getheaders()]
        word = self.introduction.word(answer.status, headers)
        if word is None:
            self.holders.confirm(elsewhere)
            kept = ((name.decode("latin-1"), value.decode("latin-1")) for name, value in without_server(headers))
            passed = [(name, value) for name, value in kept if not is_hop_by_hop(name)]
            start_response(f"{answer.status} {answer.reason}", passed)
            return _Body(answer, departure)
        departure.close()
        if word == NOT_HELD:
            self.holders.doubt(elsewhere)
            return NOT_THERE
        raise ConnectionResetError(errno.ECONNRESET, "a fault was injected where the workspace is held")


class _Body:
    """The body of a peer's answer, piece by piece as it comes; closing it ends the connection to the peer."""

    def __init__(self, answer: HTTPResponse, departure: BlockingDeparture) -> None:
        self._answer, self._departure = answer, departure

    def __iter__(self) -> Iterator[bytes]:
        """The pieces.

        Raises:
            ConnectionResetError: the answer breaks off, and is to break off for the client.
        """
        try:
            while some := self._answer.read1(_PIECE):
                yield some
        except (OSError, HTTPException) as error:
            raise _broken_off() from error
        if self._answer.length:
            raise _broken_off()

    def close(self) -> None:
        self._answer.close()
        self._departure.close()


def _broken_off() -> ConnectionResetError:
    return ConnectionResetError(errno.ECONNRESET, "the answer of the peer has broken off")


def _start(answer: WsgiAnswer, start_response: StartResponse) -> Iterable[bytes]:
    """A whole answer."""
    start_response(f"{answer.status} {HTTPStatus(answer.status).phrase}", answer.headers)
    return [answer.content]
