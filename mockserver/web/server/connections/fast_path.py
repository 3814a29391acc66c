"""The fast path: a request that has come whole is answered at once, without a task of the event loop.

It is for plain requests that can be answered without waiting, which is nearly all of them. Everything else, from what
waits to what is not HTTP/1.1, takes the way of a `Connection`; one that turns out to wait is handed over as it stands.
"""

from __future__ import annotations

import asyncio
from functools import lru_cache
from time import monotonic
from typing import Any, Protocol

import httptools
from uvicorn.protocols.http import httptools_impl

from mockserver.web.server.connections.connection import Connection
from mockserver.web.server.connections.heads import Head, Heads
from mockserver.web.server.loop import LARGE_BODY
from mockserver.web.server.outcome import FIRST_RUN, FirstRun
from mockserver.web.server.wsgi import Scope, WsgiAnswer

#: How many bytes of answers wait for the end of a turn at most. Chosen: the answers of some hundred requests.
_MOST = 256 * 1024


class Sending:
    """Answers that are sent together, when all requests that had come are answered.

    To send wakes the client, which takes the system longer than many an answer; one that is awake costs nothing more.
    """

    def __init__(self) -> None:
        self._waiting: list[tuple[asyncio.Transport, bytes]] = []
        self._size = 0

    def add(self, loop: asyncio.AbstractEventLoop, transport: asyncio.Transport, data: bytes) -> None:
        """Send an answer over a connection at the end of the present turn of the loop, or before."""
        if not self._waiting:
            loop.call_soon(self.send)
        self._waiting.append((transport, data))
        self._size += len(data)
        if self._size > _MOST:
            self.send()

    def send(self) -> None:
        """Send all answers that wait, those of each connection in their order."""
        waiting, self._waiting, self._size = self._waiting, [], 0
        for transport, data in waiting:
            if not transport.is_closing():
                transport.write(data)


class Run(Protocol):
    """Runs a request on the event loop."""

    def __call__(self, scope: Scope, body: bytes, head: Head | None = None) -> FirstRun:
        """What comes of a request with this scope and body, and with this head if it is known."""
        ...


#: How many headers of answers are remembered as bytes. Chosen: constants, and the numbers of a few accounts; where all
#: are as long as headers of answers can be, they take some megabytes.
_REMEMBERED = 512
#: The statuses of answers that need not say how long their body is, as they have none.
_WITHOUT_BODY = (204, 304)
#: The headers beside the length that decide how an answer ends.
_FRAMING = (b"transfer-encoding", b"connection")


class FastConnection(Connection):
    """A connection whose plain requests are answered in the step in which their last byte comes."""

    def __init__(self, *arguments: Any, run: Run, heads: Heads, sending: Sending, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self._run = run
        self._heads = heads
        self._sending = sending
        #: The body of the request that has come last and has no task, or None if there is no such request.
        self._body: bytes | None = None
        #: Whether that request is complete, by which method it calls, and whether the connection is kept after it.
        self._is_complete, self._method, self._keeps = False, "", True
        #: The headers that the server adds, and their lines.
        self._own_headers: list[tuple[bytes, bytes]] = []
        self._own: list[bytes] = []
        #: What has come of the request that is being parsed, if it was run before.
        self._begun: FirstRun | None = None

    # ------------------------------------------------------------------ others who close connections

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as uvicorn's own
        self._sending.send()  # to make room, another connection may be closed that has nothing to do but this
        super().connection_made(transport)

    def shutdown(self) -> None:
        self._sending.send()
        super().shutdown()

    # ------------------------------------------------------------------ what comes in

    def data_received(self, data: bytes) -> None:
        known = self._heads.find(data) if self._is_at_rest() else None
        if known is None:
            super().data_received(data)
            return
        head, body = known
        if head.origin != (self.server, self.scheme):
            super().data_received(data)
            return
        self._keeps = head.keeps
        run = self._run({"client": self.client}, body, head)
        answer = run.answer
        if answer is not None and self._send(answer, head.method):
            self._finish()
        else:
            self._begun = run
            super().data_received(data)
            self._begun = None

    def _is_at_rest(self) -> bool:
        """Whether the next byte begins a request that may be answered at once."""
        if self._unanswered:
            self._forget_answered()
        return not (
            self._part is not None or self._unanswered or self._held or self._is_refused or self.flow.write_paused
        )

    def _parse(self, data: bytes | memoryview) -> None:
        is_new = self._part is None
        super()._parse(data)
        if self._body is None:
            return
        if not self._is_complete or self._is_refused or isinstance(data, memoryview):
            self._hand_over()  # there is more to come
        elif self._answer(self._body) and is_new:
            self._learn(data)

    def on_message_begin(self) -> None:
        if not self._is_resuming:
            self._hand_over()  # it is not alone: the next one may be refused, which the answer to this one is to tell
        super().on_message_begin()

    def _accept(self) -> None:
        if not self._is_plain():
            super()._accept()
            return
        target = httptools.parse_url(self.url)
        self._method = self.parser.get_method().decode("ascii")
        self._keeps = self.parser.should_keep_alive()
        self._body, self._is_complete = b"", False
        scope: Scope = self.scope  # type: ignore[assignment]  # a dictionary all the same
        scope.update(method=self._method, raw_path=target.path, query_string=target.query or b"")

    def _is_plain(self) -> bool:
        """Whether the request whose head has come may be answered at once, if its body comes soon."""
        self._forget_answered()
        return (
            not self._unanswered
            and self.url.startswith(b"/")
            and not self.expect_100_continue
            and not self.flow.write_paused
            and self.parser.get_http_version() == "1.1"
        )

    def on_body(self, body: bytes) -> None:
        if self._body is None or self._is_refused:
            super().on_body(body)
            return
        self._came = -self._parsing
        self._body += body
        if len(self._body) > LARGE_BODY:
            self._hand_over()

    def on_message_complete(self) -> None:
        if self._body is None or self._is_refused:
            super().on_message_complete()
        elif not self.parser.should_upgrade():  # else the body is still to come
            self._part, self._is_complete = None, True

    def refuse(self, status: int, message: str) -> None:
        self._sending.send()
        if self._is_complete:
            self._hand_over()
        super().refuse(status, message)

    def _answer(self, body: bytes) -> bool:
        """Answer the request that has come, or start a task for it if that has to wait; whether there is no task."""
        scope: Scope = self.scope  # type: ignore[assignment]  # a dictionary all the same
        run, self._begun = self._begun or self._run(scope, body), None
        answer = run.answer
        if answer is not None and self._send(answer, self._method):
            self._finish()
        else:
            scope[FIRST_RUN] = run
            self._hand_over()
            return False
        return True

    def _hand_over(self) -> None:
        """Start a task for the request that has come last, if it has none, with as much of its body as has come."""
        body, self._body = self._body, None
        if body is None or self._is_refused:
            return
        super()._accept()
        # The parser may be at the next request already, and trailers are no headers of this one.
        self.cycle.keep_alive, self.cycle.waiting_for_100_continue = self._keeps, False
        self.scope["method"], self.scope["http_version"] = self._method, "1.1"
        httptools_impl.HttpToolsProtocol.on_body(self, body)  # it was counted when it came
        if self._is_complete:
            super().on_message_complete()

    def _learn(self, data: bytes) -> None:
        """Remember the head of the request that was alone in these bytes, and was answered, if it has come before."""
        if not self._heads.comes_again(data):
            return
        headers = dict(self.scope["headers"])
        if b"transfer-encoding" not in headers:
            length = int(headers.get(b"content-length", b"0"))
            self._heads.add(data, self.scope, length, keeps=self._keeps)  # type: ignore[arg-type]  # as above

    # ------------------------------------------------------------------ what goes out

    def _send(self, answer: WsgiAnswer, method: str) -> bool:
        """Send an answer in one piece; False if it is not to be sent so, as its head does not tell its length."""
        head = self._head(answer, method)
        if head is None:
            return False
        if not self._keeps:
            head.append(b"connection: close\r\n")
        head.append(b"\r\n")
        if method != "HEAD":
            head.append(answer.content)
        self._sending.add(self.loop, self.transport, b"".join(head))
        return True

    def _head(self, answer: WsgiAnswer, method: str) -> list[bytes] | None:
        """The lines of an answer's head, or None if an answer with this head ends otherwise than by its length."""
        if ("Content-Length", str(len(answer.content))) not in answer.headers and not _has_no_body(answer, method):
            return None
        lines = [httptools_impl.STATUS_LINE.get(answer.status), *self._own_lines(), *map(_line, answer.headers)]
        return lines if all(lines) else None  # type: ignore[return-value]  # there is no None then

    def _own_lines(self) -> list[bytes]:
        """The lines of the headers that the server adds; it makes them anew every second."""
        headers = self.server_state.default_headers
        if headers is not self._own_headers:
            self._own_headers, self._own = headers, [_line_of(*header) for header in headers]
        return self._own

    def _finish(self) -> None:
        """Be ready for the next request, or close the connection if there is to be none."""
        self._body = None
        self.idle_since = monotonic()
        if not self._keeps:
            self._is_refused = True  # what has come behind the request is not read
            self._sending.send()
            self.transport.close()


def _has_no_body(answer: WsgiAnswer, method: str) -> bool:
    """Whether an answer, whose head tells another length than that of its body or none, ends with its head."""
    is_told = any(name == "Content-Length" for name, _ in answer.headers)
    return method == "HEAD" if is_told else answer.status in _WITHOUT_BODY and not answer.content


@lru_cache(maxsize=_REMEMBERED)
def _line(header: tuple[str, str]) -> bytes | None:
    """A header as a line of a head, or None if it is malformed or decides how the answer ends."""
    name, value = header
    raw_name = _raw_name(name)
    if raw_name is None:
        return None
    try:
        raw_value = value.encode("latin-1")
    except UnicodeEncodeError:
        return None
    is_plain = value.isascii() and value.isprintable()  # cheaper than the pattern, which allows more
    return _line_of(raw_name, raw_value) if is_plain or not httptools_impl.HEADER_VALUE_RE.search(raw_value) else None


@lru_cache(maxsize=_REMEMBERED)
def _raw_name(name: str) -> bytes | None:
    """The name of a header as bytes, or None if it is malformed or that of one that decides how the answer ends."""
    try:
        raw_name = name.lower().encode("latin-1")
    except UnicodeEncodeError:
        return None
    return None if raw_name in _FRAMING or httptools_impl.HEADER_RE.search(raw_name) else raw_name


def _line_of(name: bytes, value: bytes) -> bytes:
    return name + b": " + value + b"\r\n"
