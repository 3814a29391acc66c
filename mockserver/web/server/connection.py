"""HTTP connections with limits, a fast path, and tasks for slow requests.

The fast path answers a plain request in the step in which its last byte comes, without a task of the event loop. All
other requests are tasks: those that come in pieces, wait, stream or are pipelined. A request that waits becomes a task.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from enum import Enum
from time import monotonic, time
from typing import Any, NamedTuple

import httptools
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol, RequestResponseCycle

from mockserver.core.traffic.exchange import ClientConnection
from mockserver.settings import Settings
from mockserver.web.server.http1 import (
    Sending,
    answer_bytes,
    fault_of_bytes,
    fault_of_head,
    last_bytes,
    origin_form,
    same_framing,
)
from mockserver.web.server.limits import Admission
from mockserver.web.server.loop import LARGE_BODY
from mockserver.web.server.runner import FIRST_RUN, FirstRun
from mockserver.web.server.wire import TRANSPORT
from mockserver.web.server.wsgi import CONNECTION, Heads, Refusal, Scope, WsgiAnswer, environ_of

#: How many requests of one connection may wait for their answers before no more requests are parsed. Chosen: clients
#: that pipeline at all send some ten.
_PIPELINED = 100
#: How many bytes of a connection with that many requests are kept before it is read no further. Chosen: uvloop hands
#: over up to so many in one go.
_HELD = 256 * 1024
#: How many bytes are parsed in one go: some 900 requests, of the shortest there are. Chosen: most need one go.
_SLICE = 16 * 1024
#: How many seconds after a refusal a connection is still read, and the bytes thrown away, so that the client reads the
#: answer. Chosen: the round trips of a slow network, and little enough to hold a connection for.
LINGER_S = 2.0

_LOG = logging.getLogger(__name__)


class Part(Enum):
    HEAD = "head"
    BODY = "body"


class Parts(NamedTuple):
    settings: Settings
    refusal: Refusal
    admission: Admission
    #: Runs the request of a WSGI environment on the event loop.
    run: Callable[[dict[str, Any]], FirstRun]
    heads: Heads
    sending: Sending


class Connection(HttpToolsProtocol):
    """Uvicorn's HTTP protocol within limits, with a fast path.

    A client may pipeline: send more requests before the first is answered. Uvicorn would then stop reading, not see the
    client leave, and tell only the last of the requests, so that a request that hangs would hang for ever.
    """

    def __init__(self, *arguments: Any, parts: Parts, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self._parts = parts
        #: The connection as the journal knows it.
        self.life = ClientConnection(time())
        self._unanswered: list[RequestResponseCycle] = []
        #: Bytes that are not parsed yet, as too many requests wait for their answers.
        self._held = bytearray()
        #: The part of a request that is coming in, or None between requests and after a refusal.
        self._part: Part | None = None
        #: How many bytes of the head have come, or since the last piece of the body.
        self._came = 0
        #: How many bytes are being parsed.
        self._parsing = 0
        #: Since when the part is waited for, on the monotonic clock; 0 if it has just begun.
        self._since = 0.0
        #: Since when the connection is idle, on the monotonic clock: the loop's own time has milliseconds only, in
        #: which many connections become idle.
        self.idle_since = monotonic()
        #: How many bytes of answers the client has not read yet, and since when it has read nothing.
        self.unread = 0
        self.unread_since = self.idle_since
        #: The transport below TLS, or None if the connection is plain.
        self.carrier: asyncio.Transport | None = None
        self._is_refused = False
        #: Whether the parser is being given a head whose request has begun already.
        self._is_resuming = False
        self.url = b""
        #: The body of the last request if it has no task, or None.
        self._body: bytes | None = None
        #: Whether that request is complete, its method, and whether the connection is kept after it.
        self._is_complete, self._method, self._keeps = False, "", True
        #: The result of the request that is being parsed, if it was run before.
        self._begun: FirstRun | None = None

    # ------------------------------------------------------------------ what comes in

    def data_received(self, data: bytes) -> None:
        if self._unanswered:
            self._forget_answered()
        is_busy = self._part is not None or self._unanswered or self._held or self._is_refused or self.flow.write_paused
        known = None if is_busy else self._parts.heads.find(data)
        if known is None or known[0].origin != (self.server, self.scheme):
            self._receive(data)
            return
        # The fast path of a head that was parsed before.
        head, body = known
        self._keeps = head.keeps
        run = self._parts.run(head.environ_of(self.client, body, self.life))
        if run.answer is None or not self._send(run.answer, head.method):
            self._begun = run
            self._receive(data)
            self._begun = None

    def _receive(self, data: bytes) -> None:
        if self._is_refused:
            return
        if self._held or self._is_full():
            self._hold(data)
        elif len(data) <= _SLICE:
            self._parse(data)
        else:
            self._parse_slices(memoryview(data))

    def _parse_slices(self, data: memoryview) -> None:
        for start in range(0, len(data), _SLICE):
            if self._is_refused or self.transport.is_closing():
                return
            if self._is_full():
                self._hold(bytes(data[start:]))
                return
            self._parse(data[start : start + _SLICE])

    def _parse(self, data: bytes | memoryview) -> None:
        is_new = self._part is None
        self._parsing = len(data)
        self._feed(data)
        if self._part is not None and not self._is_refused:
            self._measure()
        if self._body is None:
            return
        if not self._is_complete or self._is_refused or isinstance(data, memoryview):
            self._continue_as_task()  # there is more to come
        elif self._answer(self._body) and is_new:
            self._learn(data)

    def _feed(self, data: bytes | memoryview) -> None:
        while not self._is_refused:
            try:
                self.parser.feed_data(data)
            except httptools.HttpParserUpgrade as offer:
                if not self._is_refused:
                    self._ignore_upgrade()
                data = memoryview(data)[offer.args[0] :]
            except httptools.HttpParserError as error:
                self._refuse_invalid(fault_of_bytes(error))
            else:
                return

    def _ignore_upgrade(self) -> None:
        """Ignore an offered protocol upgrade, as RFC 9110, 7.8 allows.

        The parser expects the other protocol behind such a head. A new parser is given a head with the same framing but
        without the offer, so that it reads the body of the request and all requests after it.
        """
        url, self._is_resuming = self.url, True  # the parser adds to the URL
        self.parser = httptools.HttpRequestParser(self)
        self.parser.set_dangerous_leniencies(lenient_data_after_close=True)  # as uvicorn does
        self.parser.feed_data(same_framing(self.scope["headers"]))
        self.url, self._is_resuming = url, False

    def _measure(self) -> None:
        self._came += self._parsing
        if not self._since:
            self._since = monotonic()
        most = self._parts.settings.head_limit
        if self._came <= most:
            return
        if self._part is Part.HEAD:
            self._refuse_head()
        else:
            self.refuse(431, f"More than {most} bytes came between two pieces of the body, or after them")

    def _refuse_invalid(self, fault: str) -> None:
        host = self.client[0] if self.client else "an unknown client"
        _LOG.warning("Invalid HTTP request from %s: %s", host, fault)
        self.refuse(400, f"Invalid HTTP request: {fault}")

    def _refuse_head(self) -> None:
        self.refuse(
            431, f"The line of the request and its headers have more than {self._parts.settings.head_limit} bytes"
        )

    def _is_full(self) -> bool:
        if len(self._unanswered) >= _PIPELINED:
            self._forget_answered()
        return len(self._unanswered) >= _PIPELINED

    def _forget_answered(self) -> None:
        self._unanswered = [cycle for cycle in self._unanswered if not cycle.response_complete]

    def _hold(self, data: bytes) -> None:
        self._held += data
        if len(self._held) > _HELD:
            self.flow.pause_reading()

    def _parse_held(self) -> None:
        if self._held and not self.transport.is_closing():
            held, self._held = self._held, bytearray()
            self.flow.resume_reading()
            self._parse_slices(memoryview(held))

    # ------------------------------------------------------------------ what the parser sees

    def on_message_begin(self) -> None:
        if self._is_resuming:
            return
        self._continue_as_task()  # pipelined: the next request may be refused, and the answer to this one tells so
        super().on_message_begin()
        self._part, self._came, self._since = Part.HEAD, -self._parsing, 0.0
        self.scope[TRANSPORT] = self.transport  # type: ignore[literal-required]  # ours
        self.scope[CONNECTION] = self.life  # type: ignore[literal-required]  # ours

    def on_headers_complete(self) -> None:
        if self._is_refused or self._is_resuming:
            return
        settings = self._parts.settings
        if len(self.headers) > settings.headers_limit:
            self.refuse(431, f"The request has more than {settings.headers_limit} headers")
        elif self._came + self._parsing + _SLICE > settings.head_limit and self._head_size() > settings.head_limit:
            self._refuse_head()
        elif fault := fault_of_head(self.parser, self.headers):
            self._refuse_invalid(fault)
        else:
            self.url = origin_form(self.url)
            self._accept()
            self._part, self._came, self._since = Part.BODY, -self._parsing, 0.0
            # A trailer, behind a body in pieces, is no header of the request (RFC 9110, 6.5.1).
            self.headers = []

    def _accept(self) -> None:
        """Prepare the fast path for the request whose head has come, or start a task."""
        if not self._is_plain():
            self._start_task()
            return
        target = httptools.parse_url(self.url)
        self._method = self.parser.get_method().decode("ascii")
        self._keeps = self.parser.should_keep_alive()
        self._body, self._is_complete = b"", False
        scope: Scope = self.scope  # type: ignore[assignment]  # a dictionary all the same
        scope.update(method=self._method, raw_path=target.path, query_string=target.query or b"")

    def _is_plain(self) -> bool:
        """Return whether a request may take the fast path, if its body comes soon."""
        self._forget_answered()
        return (
            not self._unanswered
            and self.url.startswith(b"/")
            and not self.expect_100_continue
            and not self.flow.write_paused
            and self.parser.get_http_version() == "1.1"
        )

    def _start_task(self) -> None:
        """Start a task for the request whose head has come, or queue it behind earlier requests."""
        super().on_headers_complete()
        self._forget_answered()
        self._unanswered.append(self.cycle)
        if 1 < len(self._unanswered) < _PIPELINED:
            self.flow.resume_reading()

    def _head_size(self) -> int:
        return len(self.url) + sum(len(name) + len(value) + 4 for name, value in self.headers)

    def on_body(self, body: bytes) -> None:
        if self._is_refused:
            return
        self._came = -self._parsing
        if self._body is None:
            super().on_body(body)
            return
        self._body += body
        if len(self._body) > LARGE_BODY:
            self._continue_as_task()

    def on_message_complete(self) -> None:
        if self._is_refused or self.parser.should_upgrade():  # then the body is still to come
            return
        self._part = None
        if self._body is None:
            super().on_message_complete()
        else:
            self._is_complete = True

    # ------------------------------------------------------------------ the fast path

    def _answer(self, body: bytes) -> bool:
        """Answer the complete request and return True, or start a task and return False."""
        scope: Scope = self.scope  # type: ignore[assignment]  # a dictionary all the same
        run, self._begun = self._begun or self._parts.run(environ_of(scope, body)), None
        if run.answer is not None and self._send(run.answer, self._method):
            return True
        scope[FIRST_RUN] = run
        self._continue_as_task()
        return False

    def _continue_as_task(self) -> None:
        body, self._body = self._body, None
        if body is None or self._is_refused:
            return
        self._start_task()
        # The parser may be at the next request already, and trailers are no headers of this one.
        self.cycle.keep_alive, self.cycle.waiting_for_100_continue = self._keeps, False
        self.scope["method"], self.scope["http_version"] = self._method, "1.1"
        super().on_body(body)  # it was counted when it came
        if self._is_complete:
            super().on_message_complete()

    def _learn(self, data: bytes) -> None:
        """Cache the head of an answered request that comes repeatedly."""
        heads = self._parts.heads
        if not heads.comes_again(data):
            return
        headers = dict(self.scope["headers"])
        if b"transfer-encoding" not in headers:
            length = int(headers.get(b"content-length", b"0"))
            heads.add(data, self.scope, length, keeps=self._keeps)  # type: ignore[arg-type]  # as above

    def _send(self, answer: WsgiAnswer, method: str) -> bool:
        """Send an answer in one piece, and prepare for the next request. Return False if its head tells no length."""
        data = answer_bytes(answer, method, self.server_state.default_headers, keeps=self._keeps)
        if data is None:
            return False
        sending = self._parts.sending
        sending.add(self.loop, self.transport, data)
        self._body = None
        self.idle_since = monotonic()
        if not self._keeps:
            self._is_refused = True  # later bytes are not read
            sending.send()
            self.transport.close()
        return True

    # ------------------------------------------------------------------ what tasks answer, and refusals

    def on_response_complete(self) -> None:
        """Start the next pipelined request; unlike uvicorn, leave it to `check` to close an idle connection."""
        if self.transport.is_closing():
            return
        self.idle_since = monotonic()
        self.flow.resume_reading()
        if self.pipeline:
            self._start_asgi_task(*self.pipeline.pop())
        elif self._part is Part.BODY and self.cycle.response_complete:
            # The request was answered without the rest of its body.
            self._linger()
        if self._held:
            self.loop.call_soon(self._parse_held)

    def refuse(self, status: int, message: str) -> None:
        """Answer the incoming request with an error, and stop reading the connection.

        If earlier requests of the connection wait for their answers, these are sent, and the error is not.
        """
        self._parts.sending.send()
        if self._is_complete:
            self._continue_as_task()
        if self._is_refused or self.transport.is_closing():
            return
        self._is_refused = True
        earlier = [cycle for cycle in self._unanswered if not cycle.response_complete]
        current = earlier.pop() if self._part is Part.BODY and earlier else None
        if earlier:
            # The last of the earlier requests closes the connection when it is answered.
            earlier[-1].keep_alive = False
            return
        if current is None or not current.response_started:
            self.transport.write(self._error_bytes(status, message))
        self._linger()

    def _error_bytes(self, status: int, message: str) -> bytes:
        path = self.url.partition(b"?")[0].decode("latin-1")
        return last_bytes(self._parts.refusal(path, status, message), self.server_state.default_headers)

    def _linger(self) -> None:
        """Close the connection after the client had time to read.

        Bytes that a client sends to a closed connection would reset it, and the answer would be lost.
        """
        self._is_refused = True
        self._part = None
        self._held.clear()
        self._leave()
        if self.transport.is_closing():
            return
        if not self.transport.can_write_eof():
            self.transport.close()  # a TLS connection is still read for `LINGER_S`, until the client closes it, too
            return
        self.transport.write_eof()
        self.flow.resume_reading()
        self.loop.call_later(LINGER_S, self.transport.abort)

    # ------------------------------------------------------------------ limits

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as uvicorn's own
        self._parts.sending.send()  # to make room, another connection may be closed whose answer is queued
        super().connection_made(transport)
        refused = self._parts.admission.refusal(self, self.connections)
        if refused is not None:
            self._is_refused = True
            transport.write(self._error_bytes(503, refused))
            transport.close()

    @property
    def is_idle(self) -> bool:
        return self._part is None and self._first_unanswered is None

    @property
    def is_waiting(self) -> bool:
        """Whether only an incomplete request is unanswered."""
        own = self.cycle if self._part is Part.BODY else None
        return self._part is not None and self._first_unanswered is own

    @property
    def _first_unanswered(self) -> RequestResponseCycle | None:
        """The oldest unanswered request, perhaps incomplete, or None."""
        return next((cycle for cycle in self._unanswered if not cycle.response_complete), None)

    def check(self, now: float, idle_s: float) -> None:
        """Enforce time limits; called several times a second.

        Refuse a request that takes too long to come in, close a connection that is idle for more than `idle_s` seconds,
        and update `unread` and `unread_since`. `now` is on the monotonic clock.
        """
        unread, self.unread = self.unread, self.transport.get_write_buffer_size()
        if self.carrier is not None:
            self.unread += self.carrier.get_write_buffer_size()
        if self.unread < unread or not self.unread:
            self.unread_since = now
        if self._part is not None:
            self._check_part(self._part, now)
        elif now - self.idle_since > idle_s and self.is_idle:
            self.transport.close()

    def _check_part(self, part: Part, now: float) -> None:
        if self.flow.read_paused or not self.is_waiting:
            self._since = now  # the request waits for the server, not the other way round
            return
        settings = self._parts.settings
        allowed = settings.head_timeout if part is Part.HEAD else settings.body_timeout
        if now - self._since > allowed:
            self.refuse(408, f"The {part.value} of the request was not complete within {allowed:g} seconds")

    # ------------------------------------------------------------------ the end

    def shutdown(self) -> None:
        self._parts.sending.send()
        super().shutdown()

    def connection_lost(self, exc: Exception | None) -> None:
        self._leave()
        super().connection_lost(exc)

    def _leave(self) -> None:
        for cycle in self._unanswered:
            cycle.disconnected = not cycle.response_complete
            cycle.waiting_for_100_continue = False  # nothing can be written any more
            cycle.message_event.set()
        self._unanswered.clear()
