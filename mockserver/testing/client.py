"""A client of a server's control API: plain HTTP over connections that are kept open."""

from __future__ import annotations

import json
import os
import ssl
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from http.client import (
    BadStatusLine,
    HTTPConnection,
    HTTPException,
    HTTPResponse,
    HTTPSConnection,
    IncompleteRead,
    RemoteDisconnected,
)
from socket import gaierror
from time import monotonic
from typing import TYPE_CHECKING, Any, NamedTuple, Unpack
from urllib.parse import quote, urlencode, urlsplit

from mockserver.settings import without_version
from mockserver.testing.loops import may_wait, present, warn_of_loop

if TYPE_CHECKING:
    from mockserver.testing.arguments import CallOptions

__tracebackhide__ = True  # pytest shows the line of the test instead

#: How long an answer may take, in seconds; twice the 30 seconds that a control call with `wait` may block.
_TIMEOUT_S = 60.0
#: How many characters a message shows of an answer of another program; chosen to fit on a few lines.
_SHOWN = 200
#: How many refused calls are remembered; chosen: far more than the report of a failed test shows.
_REFUSALS = 100
#: The most bytes of an answer. Chosen: twice what the documents of a workspace may take by default.
LONGEST = 512 * 1024 * 1024
#: How long a body may take, in seconds. Chosen: the largest body takes less, except over the slowest networks.
_LONGEST_S = 60.0
#: The most bytes that are read at once.
_PIECE = 1024 * 1024
#: How many characters of a line that is not HTTP a message shows.
_SHOWN_LINE = 60
#: The variable for a file of certificates, in PEM, of authorities that are trusted beside those of the system.
_CA_VARIABLE = "MOCKSERVER_CA"
#: The offered protocols: HTTP/1.1, and before it a name by which a server knows its own client, so that faults of TLS
#: handshakes do not apply.
_PROTOCOLS = ["mockserver-control", "http/1.1"]

#: The trusted authorities: a file, or a context; None: those of MOCKSERVER_CA.
Trust = str | os.PathLike[str] | ssl.SSLContext | None


class MockServerError(Exception):
    """A refused or unanswered control call."""

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

    #: The HTTP status; `call` returns answers from 200 to 399.
    status: int
    text: str


class Refusal(NamedTuple):
    """A refused control call; `str` formats a line."""

    #: The workspace that the call has named; None: it has named no workspace.
    workspace: str | None
    method: str
    path: str
    status: int
    detail: str

    def __str__(self) -> str:
        return f"{self.method} {self.path} {self.status}: {self.detail}"


class Client:
    """A thread-safe client of one server; ignores proxies of the environment."""

    def __init__(self, url: str, token: str | None = None, trust: Trust = None, public_url: str | None = None) -> None:
        """Prepare calls to a server, without connecting.

        Args:
            url: The root address of the server.
            token: The control token, if the server asks for one.
            trust: For https://, a PEM file of authorities beside those of the system; None: that of MOCKSERVER_CA.
            public_url: The root address that the server writes, if `--public-url` gives it another one.

        Raises:
            ValueError: The address is no http or https URL, or a file of authorities cannot be read.
        """
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise ValueError(f"{url!r} is no address of a server: it begins with http:// or https://")
        self._prefix = without_version(parts.path)
        #: The root address of the server, without a slash at its end.
        self.url: str = f"{parts.scheme}://{parts.netloc}{self._prefix}"
        #: The root address that the server writes.
        self.public_url: str = public_url or self.url
        self._context = None
        if parts.scheme == "https":
            self._context = trust if isinstance(trust, ssl.SSLContext) else trusting(trust)
        self._host, self._port = parts.hostname, parts.port
        #: How long an answer may take, in seconds.
        self.timeout = _TIMEOUT_S
        self._headers = {"Authorization": f"Bearer {token}"} if token else {}
        #: Open connections that are not in use, the most recently used at the right.
        self._idle: deque[HTTPConnection] = deque()
        self._process = os.getpid()
        #: The last control calls that the server has refused, oldest first.
        self.refusals: deque[Refusal] = deque(maxlen=_REFUSALS)

    def __del__(self) -> None:
        if hasattr(self, "_idle"):
            self.close()

    def close(self) -> None:
        """Close idle connections; later calls open new connections."""
        while self._idle:
            self._idle.pop().close()

    def json(self, method: str, path: str, **options: Unpack[CallOptions]) -> Any:
        """Make a control call, and return the JSON value, or None for an empty answer.

        `options` are those of `call`.

        Raises:
            MockServerError: The server refuses the call, or does not answer.
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
        """Make a control call, and return the answer. `path` begins with a slash.

        Members of the query that are None are left out. The body is sent as JSON, or is a YAML text, or None.

        Raises:
            MockServerError: The server refuses the call, or does not answer.
            CalledOffError: The call was cancelled (`Cancellation`).
        """
        if may_wait(method, path, query, body):
            warn_of_loop()
        wanted = {name: value for name, value in (query or {}).items() if value is not None}
        target = f"{self._prefix}{path}?{urlencode(wanted)}" if wanted else f"{self._prefix}{path}"
        content, type_ = _content(body, yaml)
        sent = {**self._headers, **(headers or {}), **type_}
        answer = self._exchange(method, target, content, sent)
        if answer.status >= 400:
            error = _refusal(f"{method} {path}", answer)
            self.refusals.append(Refusal(sent.get("X-Mock-Workspace"), method, path, answer.status, error.detail))
            raise error
        return answer

    def lines(self, path: str, *, timeout: float, headers: Mapping[str, str] | None = None) -> Iterator[bytes]:
        """Yield the lines of an event stream, using a separate connection.

        Raises:
            MockServerError: The server refuses the call, does not answer, or sends nothing for `timeout` seconds.
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

    def _exchange(self, *request: Any) -> Answer:
        """Send a request over an idle connection, retrying on a new connection if the server closed it."""
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
        """Return an unopened connection with a timeout in seconds."""
        timeout = min(self.timeout, timeout)
        if self._context is None:
            return HTTPConnection(self._host, self._port, timeout=timeout)
        return HTTPSConnection(self._host, self._port, timeout=timeout, context=self._context)

    def _take(self) -> HTTPConnection | None:
        if self._process != os.getpid():  # a forked process, whose parent goes on to use the connections
            inherited, self._idle = self._idle, deque()
            self._process = os.getpid()  # only now may other threads take connections
            while inherited:
                inherited.pop().close()
        try:
            return self._idle.pop()
        except IndexError:
            return None


def path_of(*segments: object) -> str:
    """Return the path of percent-encoded segments: `/machines/sender/5`."""
    return "".join(f"/{quote(str(segment), safe='')}" for segment in segments)


def _answered(connection: HTTPConnection, request: Sequence[Any], timeout: float) -> Answer:
    cancellation = present()
    if connection.sock is None:
        connection.connect()
    if connection.sock is not None:  # as it now is
        connection.sock.settimeout(timeout)
    cancellation.enter(connection.sock)
    connection.request(*request)
    answer = connection.getresponse()
    found = Answer(answer.status, body_of(answer).decode(errors="replace"))
    cancellation.leave()
    return found


def _content(body: object, yaml: str | None) -> tuple[bytes | None, dict[str, str]]:
    if yaml is not None:
        return yaml.encode(), {"Content-Type": "application/yaml"}
    if body is None:
        return None, {}
    return json.dumps(body, default=_to_json).encode(), {"Content-Type": "application/json"}


def _to_json(value: object) -> Any:
    if isinstance(value, date):
        return value.isoformat().replace("+00:00", "Z")
    if isinstance(value, Mapping):
        return dict(value)
    raise TypeError(f"{value!r} cannot be sent as JSON")


# ------------------------------------------------------------------ answers of any program


def body_of(answer: HTTPResponse) -> bytes:
    """Read the body of an answer.

    Raises:
        HTTPException: The body is cut off, has more than 512 MiB, or takes more than a minute or two.
        OSError: The connection is lost, or times out.
    """
    found = bytearray()
    deadline = monotonic() + _LONGEST_S
    # Each read asks for as many bytes as were read so far: a slow server is noticed, and a large body takes few steps.
    while piece := answer.read(min(len(found) + 1, _PIECE)):
        found += piece
        if len(found) > LONGEST or monotonic() > deadline:
            answer.close()
            raise HTTPException("its answer does not end")
    if answer.length:
        raise IncompleteRead(bytes(found), answer.length)
    return bytes(found)


def _refusal(call: str, answer: Answer) -> MockServerError:
    try:
        problem = json.loads(answer.text)
        detail = problem["detail"]
    except (ValueError, TypeError, KeyError, RecursionError):
        return _other_program(call, answer)
    return MockServerError(answer.status, detail, problem) if isinstance(detail, str) else _other_program(call, answer)


def _other_program(call: str, answer: Answer) -> MockServerError:
    return MockServerError(answer.status, f"{call} gets no answer of a mock server: {answer.text[:_SHOWN]!r}")


def unreachable(url: str, error: Exception) -> str:
    if isinstance(error, ConnectionRefusedError):
        return f"no server at {url}; start one with `mockserver serve`"
    advice = ""
    if isinstance(error, ssl.SSLCertVerificationError):
        advice = f"; `mockserver ca` prints what is to be trusted, and {_CA_VARIABLE} names the file that holds it"
    return f"no mock server answers at {url}: {_why(url, error)}{advice}"


def _why(url: str, error: Exception) -> str:
    for kind, why in (
        (gaierror, f"the host name {urlsplit(url).hostname!r} is unknown"),
        (TimeoutError, "it did not answer in time"),
        (ssl.SSLCertVerificationError, "its certificate is not trusted"),
        (ssl.SSLError, "it does not speak TLS there; its address may begin with http://"),
        (ConnectionResetError, "it closed the connection without an answer"),  # RemoteDisconnected is one
    ):
        if isinstance(error, kind):
            return why
    return getattr(error, "strerror", None) or reason(error)


def reason(error: Exception) -> str:
    if isinstance(error, BadStatusLine) and not isinstance(error, RemoteDisconnected):
        return f"it does not speak HTTP, and begins with {str(error).strip()[:_SHOWN_LINE]!r}"
    return " ".join(str(error).split()) or type(error).__name__


# ------------------------------------------------------------------ trust


def trusting(ca: str | os.PathLike[str] | None = None) -> ssl.SSLContext:
    """Return a context trusting the system's authorities plus a file of authorities.

    Args:
        ca: The file, in PEM; None: the file of MOCKSERVER_CA, if the variable is set.

    Raises:
        ValueError: The file cannot be read, or holds no certificates.
    """
    found = _offering(ssl.create_default_context())
    called, file = ("ca", os.fspath(ca)) if ca is not None else (_CA_VARIABLE, os.environ.get(_CA_VARIABLE))
    if file:
        try:
            found.load_verify_locations(cafile=file)
        except ssl.SSLError as error:
            raise ValueError(f"{called}: {file} holds no certificate in PEM") from error
        except (OSError, ValueError) as error:
            raise ValueError(f"{called}: cannot read {file}: {getattr(error, 'strerror', None) or error}") from error
    return found


def trusting_only(pem: str) -> ssl.SSLContext:
    """Return a context trusting one authority only."""
    return _offering(ssl.create_default_context(cadata=pem))


def unchecked() -> ssl.SSLContext:
    """Return a context accepting every certificate, for local servers."""
    found = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    found.check_hostname, found.verify_mode = False, ssl.CERT_NONE
    return _offering(found)


def _offering(context: ssl.SSLContext) -> ssl.SSLContext:
    context.set_alpn_protocols(_PROTOCOLS)
    return context
