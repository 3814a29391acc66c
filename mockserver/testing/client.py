"""A client of a server's control API: plain HTTP over connections that are kept open."""

from __future__ import annotations

import json
import os
import ssl
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from http.client import HTTPConnection, HTTPException, HTTPSConnection
from typing import TYPE_CHECKING, Any, NamedTuple, Unpack
from urllib.parse import quote, urlencode, urlsplit

from mockserver.settings import without_version
from mockserver.testing.answers import body_of, unreachable
from mockserver.testing.blocking import may_wait, warn_of_loop
from mockserver.testing.cancellation import present
from mockserver.testing.trust import trusting

if TYPE_CHECKING:
    from mockserver.testing.arguments import CallOptions

__tracebackhide__ = True  # pytest shows the line of the test instead

#: How long an answer may take, in seconds; twice the 30 seconds that a control call with `wait` may block.
_TIMEOUT_S = 60.0
#: How long it may take to connect, in seconds; chosen for a server at the other end of the world that is busy. A call
#: that is cancelled while it connects keeps its thread for so long.
_CONNECT_TIMEOUT_S = 10.0
#: How many characters a message shows of an answer that is none of a mock server; chosen to fit on a few lines.
_SHOWN = 200
#: How many refused calls are remembered; chosen: far more than the report of a failed test shows.
_REFUSALS = 100

#: Whom a client trusts: the authorities of a file, of MOCKSERVER_CA, or of a context.
Trust = str | os.PathLike[str] | ssl.SSLContext | None


class MockServerError(Exception):
    """A server has refused a control call, or has not answered.

    Methods of this package raise this error for whatever goes wrong with a server.
    """

    def __init__(self, status: int | None, detail: str, members: Mapping[str, Any] | None = None) -> None:
        #: The HTTP status of the answer; None if there was no answer.
        self.status = status
        #: What is wrong, in one or a few sentences.
        self.detail = detail
        #: All members of the problem that the server has answered, such as `allowed` where an event does not apply.
        self.members: Mapping[str, Any] = dict(members or {})
        #: Every mistake of a body or a scenario, as `path` (a JSON Pointer) and `message`; empty for other errors.
        self.errors: Sequence[Mapping[str, str]] = tuple(self.members.get("errors", ()))
        super().__init__(detail if status is None else f"{status}: {detail}")


class Answer(NamedTuple):
    """The answer to a control call."""

    #: The HTTP status; `call` gives those from 200 to 399.
    status: int
    text: str


class Request(NamedTuple):
    """What is sent, as `HTTPConnection.request` takes it."""

    method: str
    target: str
    content: bytes | None
    headers: Mapping[str, str]


class Refusal(NamedTuple):
    """A control call that a server has refused; `str` returns a line about it."""

    #: The name of the workspace that the call has named; None: it has named none.
    workspace: str | None
    method: str
    path: str
    status: int
    detail: str

    def __str__(self) -> str:
        return f"{self.method} {self.path} {self.status}: {self.detail}"


class Client:
    """A client of one server, which threads may share; proxies of the environment are ignored."""

    def __init__(self, url: str, token: str | None = None, trust: Trust = None) -> None:
        """Prepare calls to the server at a root address, with its control token if it asks for one.

        `trust` says what is trusted where the address begins with https://: the authorities of a file in PEM, beside
        those of the system; None: those of MOCKSERVER_CA.

        Raises:
            ValueError: the address does not begin with http:// or https://, or names no host; or a file of authorities
                cannot be read.
        """
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise ValueError(f"{url!r} is no address of a server: it begins with http:// or https://")
        self._prefix = without_version(parts.path)
        #: The root address of the server, without a slash at its end.
        self.url: str = f"{parts.scheme}://{parts.netloc}{self._prefix}"
        self._context = None if parts.scheme == "http" else _context(trust)
        self._host, self._port = parts.hostname, parts.port
        #: How long an answer may take, in seconds.
        self.timeout = _TIMEOUT_S
        self._headers = {"Authorization": f"Bearer {token}"} if token else {}
        #: Connections that are open and not in use, the one used last at the right.
        self._idle: deque[HTTPConnection] = deque()
        self._process = os.getpid()
        #: The last control calls that the server has refused, oldest first.
        self.refusals: deque[Refusal] = deque(maxlen=_REFUSALS)

    def __del__(self) -> None:
        if hasattr(self, "_idle"):
            self.close()

    def close(self) -> None:
        """Close the connections that are not in use; a later call opens a new one."""
        while self._idle:
            self._idle.pop().close()

    def json(self, method: str, path: str, **options: Unpack[CallOptions]) -> Any:
        """The value of the JSON answer to a control call, or None if the answer is empty.

        `options` are those of `call`.

        Raises:
            MockServerError: the server refuses the call, or does not answer.
        """
        answer = self.call(method, path, **options)
        try:
            if answer.status < 300:
                return json.loads(answer.text) if answer.text else None
        except (ValueError, RecursionError) as error:
            raise _other_program(f"{method} {path}", answer) from error
        raise _other_program(f"{method} {path}", answer)

    def call(
        self,
        method: str,
        path: str,
        *,
        query: Mapping[str, Any] | None = None,
        body: object = None,
        yaml: str | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> Answer:
        """The answer to a control call. `path` begins with a slash.

        Members of the query that are None are left out. The body is sent as JSON, or is a text of YAML; None is no
        body.

        Raises:
            MockServerError: the server refuses the call, or does not answer.
            CalledOffError: the call was cancelled (`Cancellation`).
        """
        if may_wait(method, path, query, body):
            warn_of_loop()
        wanted = {name: value for name, value in (query or {}).items() if value is not None}
        target = f"{self._prefix}{path}?{urlencode(wanted)}" if wanted else f"{self._prefix}{path}"
        content, type_ = _content(body, yaml)
        sent = {**self._headers, **(headers or {}), **type_}
        status, text = self._exchange(Request(method, target, content, sent))
        if status >= 400:
            error = _refusal(f"{method} {path}", Answer(status, text))
            self.refusals.append(Refusal(sent.get("X-Mock-Workspace"), method, path, status, error.detail))
            raise error
        return Answer(status, text)

    def lines(self, path: str, *, timeout: float, headers: Mapping[str, str] | None = None) -> Iterator[bytes]:
        """Yield the lines of an answer that goes on, a stream of events, over a connection of its own.

        Raises:
            MockServerError: The server refuses the call, or does not answer, or sends nothing for `timeout` seconds.
        """
        connection = self.new_connection()
        try:
            connection.connect()
            connection.sock.settimeout(timeout)
            connection.request("GET", f"{self._prefix}{path}", headers={**self._headers, **(headers or {})})
            answer = connection.getresponse()
            if answer.status >= 400:
                raise _refusal(f"GET {path}", Answer(answer.status, body_of(answer).decode(errors="replace")))
            if answer.headers.get_content_type() != "text/event-stream":
                raise MockServerError(None, f"no mock server answers at {self.url}: its answer is not a stream")
            yield from answer
        except (OSError, HTTPException) as error:
            raise MockServerError(None, unreachable(self.url, error)) from error
        finally:
            connection.close()

    def _exchange(self, request: Request) -> tuple[int, str]:
        """The status and the text of an answer.

        A connection that was kept may have been closed by the server meanwhile; then the call is made on another one.
        """
        while True:
            kept = self._take()
            connection = kept or self.new_connection()
            try:
                found = _answered(connection, request, self.timeout)
            except BaseException as error:
                connection.close()
                if kept is not None and isinstance(error, ConnectionError):
                    continue
                if isinstance(error, (OSError, HTTPException)):
                    raise MockServerError(None, unreachable(self.url, error)) from error
                raise
            self._idle.append(connection)
            return found

    def new_connection(self, timeout: float = 10.0) -> HTTPConnection:
        """Return a connection to the server that is not open yet, and that waits so many seconds at most."""
        timeout = min(self.timeout, timeout)
        if self._context is None:
            return HTTPConnection(self._host, self._port, timeout=timeout)
        return HTTPSConnection(self._host, self._port, timeout=timeout, context=self._context)

    def _take(self) -> HTTPConnection | None:
        if self._process != os.getpid():  # the connections are those of the process that was forked, and goes on
            inherited, self._idle = self._idle, deque()
            self._process = os.getpid()  # only now may other threads take from what is there
            while inherited:
                inherited.pop().close()
        try:
            return self._idle.pop()
        except IndexError:
            return None


def _context(trust: Trust) -> ssl.SSLContext:
    return trust if isinstance(trust, ssl.SSLContext) else trusting(trust)


def _answered(connection: HTTPConnection, request: Request, timeout: float) -> tuple[int, str]:
    """The status and the text of the answer to a request on a connection, which may be one that is not open yet."""
    cancellation = present()
    if connection.sock is None:
        connection.connect()
    if connection.sock is not None:  # as it now is
        connection.sock.settimeout(timeout)
    cancellation.enter(connection.sock)
    connection.request(*request)
    answer = connection.getresponse()
    found = answer.status, body_of(answer).decode(errors="replace")
    cancellation.leave()
    return found


def _content(body: object, yaml: str | None) -> tuple[bytes | None, dict[str, str]]:
    """The bytes of a body, and the header that says what they are; None and no header for no body."""
    if yaml is not None:
        return yaml.encode(), {"Content-Type": "application/yaml"}
    if body is None:
        return None, {}
    return json.dumps(body, default=_to_json).encode(), {"Content-Type": "application/json"}


def _to_json(value: object) -> Any:
    """The JSON value for a date, a moment, or a mapping that is no dict."""
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, Mapping):
        return dict(value)
    raise TypeError(f"{value!r} cannot be sent as JSON")


def _refusal(call: str, answer: Answer) -> MockServerError:
    try:
        problem = json.loads(answer.text)
        detail = problem["detail"]
    except (ValueError, TypeError, KeyError, RecursionError):
        return _other_program(call, answer)
    return MockServerError(answer.status, detail, problem) if isinstance(detail, str) else _other_program(call, answer)


def _other_program(call: str, answer: Answer) -> MockServerError:
    """The error for an answer that no mock server gives."""
    return MockServerError(answer.status, f"{call} gets no answer of a mock server: {answer.text[:_SHOWN]!r}")


def path_segment(text: object) -> str:
    """A value as one percent-encoded segment of a path."""
    return quote(str(text), safe="")
