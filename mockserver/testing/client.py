"""The way to a server's control API: plain HTTP over connections that are kept, and errors that can be read."""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Mapping, Sequence
from datetime import date
from http.client import HTTPConnection, HTTPException, HTTPSConnection
from typing import Any, NamedTuple
from urllib.parse import urlencode, urlsplit

from mockserver.settings import without_version

__tracebackhide__ = True  # pytest shows the line of the test instead

#: How long an answer may take, in seconds: longer than the longest `wait`.
_TIMEOUT = 60.0


class MockServerError(Exception):
    """The server has refused a call, or has not answered at all; catching this one is always enough."""

    def __init__(self, status: int | None, detail: str, members: Mapping[str, Any] | None = None) -> None:
        #: The HTTP status; None if there was no answer.
        self.status = status
        #: What is wrong, in a sentence or a few.
        self.detail = detail
        #: All that the problem says, such as `allowed` where an event does not apply.
        self.members: Mapping[str, Any] = dict(members or {})
        #: Every mistake of a body or a scenario: `path`, a JSON Pointer, and `message`.
        self.errors: Sequence[Mapping[str, str]] = tuple(self.members.get("errors", ()))
        super().__init__(detail if status is None else f"{status}: {detail}")


class Answer(NamedTuple):
    """An answer that is a success."""

    status: int
    text: str


class Client:
    """Calls to one server, from any number of threads; proxies of the environment are ignored."""

    def __init__(self, url: str, token: str | None = None) -> None:
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise ValueError(f"{url!r} is no address of a server: it begins with http:// or https://")
        #: The root address, without a slash at its end.
        self._prefix = without_version(parts.path)
        self.url = f"{parts.scheme}://{parts.netloc}{self._prefix}"
        self._kind = HTTPSConnection if parts.scheme == "https" else HTTPConnection
        self._host, self._port = parts.hostname, parts.port
        self._headers = {"Authorization": f"Bearer {token}"} if token else {}
        #: Connections that nobody uses just now, the one used last at the right.
        self._idle: deque[HTTPConnection] = deque()

    def __del__(self) -> None:
        if hasattr(self, "_idle"):
            self.close()

    def close(self) -> None:
        """Close the connections; another call opens a new one."""
        while self._idle:
            self._idle.pop().close()

    def json(self, method: str, path: str, **options: Any) -> Any:
        """What a call answers, read from JSON; None for an empty answer."""
        text = self.call(method, path, **options).text
        return json.loads(text) if text else None

    def call(
        self,
        method: str,
        path: str,
        *,
        query: Mapping[str, Any] | None = None,
        body: object = None,
        headers: Mapping[str, str] | None = None,
    ) -> Answer:
        """The answer to a call; members of the query that are None are left out, and a body is written as JSON.

        Raises:
            MockServerError: the server refuses the call, or does not answer.
        """
        wanted = {name: value for name, value in (query or {}).items() if value is not None}
        target = f"{self._prefix}{path}?{urlencode(wanted)}" if wanted else f"{self._prefix}{path}"
        sent = {**self._headers, **(headers or {})}
        content = None
        if body is not None:
            content = json.dumps(body, default=_written).encode()
            sent["Content-Type"] = "application/json"
        status, text = self._exchange(method, target, content, sent)
        if status >= 400:
            raise _refusal(f"{method} {path}", status, text)
        return Answer(status, text)

    def _exchange(self, method: str, target: str, content: bytes | None, headers: Mapping[str, str]) -> tuple[int, str]:
        """Status and text of an answer; a kept connection that the server has closed meanwhile gives way to another."""
        while True:
            kept = self._take()
            connection = kept or self._kind(self._host, self._port, timeout=_TIMEOUT)
            try:
                connection.request(method, target, content, dict(headers))
                answer = connection.getresponse()
                found = answer.status, answer.read().decode(errors="replace")
            except BaseException as error:
                connection.close()
                if kept is not None and isinstance(error, ConnectionError):
                    continue
                if isinstance(error, (OSError, HTTPException)):
                    said = str(error) or type(error).__name__
                    raise MockServerError(None, f"no mock server answers at {self.url}: {said}") from error
                raise
            self._idle.append(connection)
            return found

    def _take(self) -> HTTPConnection | None:
        try:
            return self._idle.pop()
        except IndexError:
            return None


def _written(value: object) -> Any:
    """What JSON has no form for: moments, and mappings that are no dict."""
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, Mapping):
        return dict(value)
    raise TypeError(f"{value!r} cannot be sent as JSON")


def _refusal(call: str, status: int, text: str) -> MockServerError:
    try:
        problem = json.loads(text)
        detail = problem["detail"]
    except (ValueError, TypeError, KeyError):
        return MockServerError(status, f"{call} gets no answer of a mock server: {text[:200]!r}")
    return MockServerError(status, detail, problem)
