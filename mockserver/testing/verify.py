"""Functions that send the requests of a replay: to an application in this process, or to a running server."""

from __future__ import annotations

import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from flask.testing import FlaskClient

from mockserver.app import create_app
from mockserver.evidence.replay import ReceivedAnswer, Send
from mockserver.settings import Settings
from mockserver.testing.client import Client, MockServerError


def in_process() -> Send:
    """A function that sends requests to a new application in this process."""
    return with_test_client(create_app(Settings(scenario="empty")).test_client())


def with_test_client(client: FlaskClient) -> Send:
    """A function that sends requests with a test client of Flask."""

    def send(method: str, path: str, headers: Mapping[str, str], body: bytes) -> ReceivedAnswer:
        answer = client.open(path, method=method, headers=dict(headers), data=body)
        return ReceivedAnswer(answer.status_code, dict(answer.headers), answer.data)

    return send


@contextmanager
def over_http(root: str, token: str | None = None) -> Iterator[Send]:
    """A function that sends requests to the server at the root address `root`.

    They go to a workspace made for this alone, which is dropped at the end and is left out of the server's coverage.

    Raises:
        MockServerError: the workspace cannot be made, for example without the control token.
        OSError: nothing answers at the address, at the start or while requests are sent.
    """
    direct = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    with_token = {"authorization": f"Bearer {token}"} if token else {}

    def ask(method: str, path: str, headers: Mapping[str, str], body: bytes) -> ReceivedAnswer:
        request = urllib.request.Request(  # noqa: S310  # the address is the user's own
            root + path, data=body or None, headers=dict(headers), method=method
        )
        # In seconds; chosen far above the milliseconds that an exchange of a fixture takes.
        with direct.open(request, timeout=10) as answer:
            return ReceivedAnswer(answer.status, dict(answer.headers), answer.read())

    def send(method: str, path: str, headers: Mapping[str, str], body: bytes) -> ReceivedAnswer:
        extra = with_token if path.startswith("/_mock") else {}
        try:
            return ask(method, f"/w/{name}{path}", {**extra, **headers}, body)
        except urllib.error.HTTPError as error:
            with error:
                return ReceivedAnswer(error.status or 0, dict(error.headers), error.read())

    control = Client(root, token)
    made = control.json("POST", "/_mock/workspaces", body={"scenario": "empty", "counted": False})
    try:
        name = made["name"]
    except (TypeError, LookupError) as error:
        raise MockServerError(None, f"no mock server answers at {root}: it makes no workspaces") from error
    try:
        yield send
    finally:
        control.json("DELETE", f"/_mock/workspaces/{name}")
