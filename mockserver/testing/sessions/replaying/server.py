"""A running mock server, asked with Python's standard library."""

from __future__ import annotations

import json
import os
import ssl
from collections.abc import Mapping
from http.client import HTTPConnection, HTTPException, HTTPSConnection
from typing import Any, NamedTuple
from urllib.parse import urlsplit

#: How long a control call may take, in seconds: beyond the 600 that moving a clock may take.
_CONTROL_S = 660.0


class Answer(NamedTuple):
    """What came back."""

    #: None: nothing did.
    status: int | None
    body: Any
    #: The header `Location`.
    location: str = ""


class Unreachable(Exception):
    """The server does not answer, or does not take the workspace."""


class Server:
    """A running mock server; proxies of the environment are not used, and no redirect is followed."""

    def __init__(self, root: str, token: str | None) -> None:
        """Prepare calls to a root address.

        Raises:
            ValueError: the file of MOCKSERVER_CA holds no certificates, or the address is none.
            OSError: that file cannot be read.
        """
        self.root = root.rstrip("/").removesuffix("/v3")
        self._headers = {"Authorization": f"Bearer {token}"} if token else {}
        self._parts = urlsplit(self.root)
        # As the commands do, trust the authorities of a file for a server that speaks TLS.
        self._trusting = ssl.create_default_context(cafile=os.environ.get("MOCKSERVER_CA") or None)

    def control(self, method: str, path: str, body: Any = None, workspace: str | None = None) -> Answer:
        """The answer to a control call; a body that is a text is sent as YAML.

        Raises:
            Unreachable: there is no answer.
        """
        headers = dict(self._headers)
        if workspace is not None:
            headers["X-Mock-Workspace"] = workspace
        content = None
        if body is not None:
            content = (body if isinstance(body, str) else json.dumps(body)).encode()
            headers["Content-Type"] = "application/yaml" if isinstance(body, str) else "application/json"
        answer = self.send(method, f"/_mock{path}", headers, content, _CONTROL_S)
        if answer.status is None:
            raise Unreachable(f"no mock server answers at {self.root}: {answer.body}")
        return answer

    def send(self, method: str, target: str, headers: Mapping[str, str], body: bytes | None, timeout: float) -> Answer:
        """The answer to a request, whatever its status; without an answer, its body is the reason."""
        connection = self._connection(timeout)
        try:
            connection.request(method, f"{self._parts.path}{target}", body, dict(headers))
            answer = connection.getresponse()
            return Answer(answer.status, _value(answer.read()), answer.getheader("Location") or "")
        except (OSError, HTTPException, ValueError) as error:
            return Answer(None, str(error) or type(error).__name__)
        finally:
            connection.close()

    def _connection(self, timeout: float) -> HTTPConnection:
        host, port = self._parts.hostname or "", self._parts.port
        if self._parts.scheme == "https":
            return HTTPSConnection(host, port, timeout=timeout, context=self._trusting)
        return HTTPConnection(host, port, timeout=timeout)


def _value(content: bytes) -> Any:
    try:
        return json.loads(content) if content else None
    except (ValueError, RecursionError):
        return content.decode(errors="replace")
