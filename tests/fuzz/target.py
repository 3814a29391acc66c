"""What a session speaks to: one application without a socket, called as the server's bridge calls it."""

from __future__ import annotations

import io
import json
import sys
from dataclasses import dataclass
from typing import Any
from urllib.parse import unquote_to_bytes

from fuzz.drafts import Sent

from mockserver import Settings, create_app
from mockserver.web.server.waiting import SUSPENDED, SuspendedRequest

#: How many bytes a body may have.
BODY_LIMIT = 1024 * 1024


@dataclass(frozen=True, slots=True)
class Answer:
    """What came back."""

    status: int
    headers: dict[str, str]
    body: bytes

    def json(self) -> Any:
        """The value of the body; None if that is no JSON."""
        try:
            return json.loads(self.body)
        except ValueError:
            return None


class Target:
    """An application whose limits are small, so that they are reached; nothing leaves it but to loopback."""

    def __init__(self, scenario: str | dict[str, Any], keys: str) -> None:
        self.app = create_app(
            Settings(
                scenario=scenario,
                keys=keys,
                egress="loopback",
                workspaces_limit=8,
                journal_limit=200,
                mailbox_limit=20,
                snapshots_limit=4,
                deliveries_limit=50,
                rows_limit=3_000,
                body_limit=BODY_LIMIT,
            )
        )

    @property
    def workspaces(self) -> Any:
        return self.app.store.loaded()

    def send(self, sent: Sent) -> Answer:
        """The answer; a request that waits is answered by what it would say when its time is up."""
        started: list[Any] = []

        def start_response(status: str, headers: list[tuple[str, str]], exc_info: Any = None) -> Any:
            started[:] = [int(status[:3]), {name.lower(): value for name, value in headers}]
            return io.BytesIO().write

        chunks = self.app(_environ(sent), start_response)
        try:
            body = b"".join(chunks)
        finally:
            if hasattr(chunks, "close"):
                chunks.close()
        return Answer(started[0], started[1], body)

    def get(self, path: str, **headers: str) -> Answer:
        return self.send(Sent("GET", path, "", headers, b""))

    def close(self) -> None:
        self.app.effects.close()


def _environ(sent: Sent) -> dict[str, Any]:
    """The WSGI environment of a request, PEP 3333, as the bridge makes it."""
    found: dict[str, Any] = {
        "REQUEST_METHOD": sent.method,
        "SCRIPT_NAME": "",
        "PATH_INFO": unquote_to_bytes(sent.path).decode("latin-1"),
        "QUERY_STRING": sent.query,
        "REQUEST_URI": sent.path,
        "SERVER_NAME": "127.0.0.1",
        "SERVER_PORT": "8003",
        "SERVER_PROTOCOL": "HTTP/1.1",
        "REMOTE_ADDR": "127.0.0.1",
        "HTTP_HOST": "localhost:8003",
        "CONTENT_LENGTH": str(len(sent.body)),
        "wsgi.version": (1, 0),
        "wsgi.url_scheme": "http",
        "wsgi.input": io.BytesIO(sent.body),
        "wsgi.errors": sys.stderr,
        "wsgi.multithread": False,
        "wsgi.multiprocess": False,
        "wsgi.run_once": False,
        "wsgi.input_terminated": True,
        SUSPENDED: SuspendedRequest(),
    }
    for name, value in sent.headers.items():
        key = name.upper().replace("-", "_")
        found[key if key == "CONTENT_TYPE" else f"HTTP_{key}"] = value.encode().decode("latin-1")
    return found
