"""Where the contract can be replayed: within this process, or against a running server."""

from __future__ import annotations

import urllib.error
import urllib.request
from collections.abc import Mapping

from flask.testing import FlaskClient

from mockserver.app import create_app
from mockserver.replay import Answer, Send
from mockserver.settings import Settings


def within() -> Send:
    """A way to send requests to an application of its own."""
    return through(create_app(Settings(scenario="empty")).test_client())


def through(client: FlaskClient) -> Send:
    """A way to send requests with a test client."""

    def send(method: str, path: str, headers: Mapping[str, str], body: bytes) -> Answer:
        answer = client.open(path, method=method, headers=dict(headers), data=body)
        return Answer(answer.status_code, dict(answer.headers), answer.data)

    return send


def over_http(root: str) -> Send:
    """A way to send requests to the server at this root address; its default world is reset by every case.

    Sending raises OSError where nothing answers.
    """
    direct = urllib.request.build_opener(urllib.request.ProxyHandler({}))

    def send(method: str, path: str, headers: Mapping[str, str], body: bytes) -> Answer:
        request = urllib.request.Request(  # noqa: S310  # the address is the user's own
            root.rstrip("/") + path, data=body or None, headers=dict(headers), method=method
        )
        try:
            answer = direct.open(request, timeout=10)
        except urllib.error.HTTPError as error:
            answer = error
        with answer:
            return Answer(answer.status, dict(answer.headers), answer.read())

    return send
