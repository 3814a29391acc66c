"""A test that waits for a request or an e-mail, over a real socket and in a thread."""

from __future__ import annotations

import threading
from http.client import HTTPConnection
from urllib.parse import urlsplit

import pytest


@pytest.fixture
def live(serve, story):
    """A server with the story as its default workspace: asks, in the thread that calls."""
    root = serve(story)

    def ask(method, path, body=None):
        connection = HTTPConnection(urlsplit(root).netloc, timeout=20)
        headers = {"api-key": "xkeysib-story-acme"} if path.startswith("/v3") else {"Content-Type": "application/json"}
        connection.request(method, path, body, headers)
        answer = connection.getresponse()
        text = answer.read().decode()
        connection.close()
        return text

    return ask


def await_watcher(ask):
    """Wait until one request waits."""
    while "mockserver_watchers 1.0" not in ask("GET", "/_mock/metrics"):
        pass


def test_a_test_can_wait_for_a_request(live):
    found = []
    waiting = threading.Thread(target=lambda: found.append(live("GET", "/_mock/requests?operation=getAccount&wait=20")))
    waiting.start()
    await_watcher(live)
    live("GET", "/v3/senders")
    assert not found
    live("GET", "/v3/account")
    waiting.join(20)

    assert '"count":1' in found[0]
    assert '"operation":"getAccount"' in found[0]


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("POST", "/_mock/reset", "{}"),
        ("PUT", "/_mock/state", '{"accounts": [{"name": "new", "api_keys": ["xkeysib-story-acme"]}]}'),
        ("POST", "/_mock/seed", '{"senders": [{"name": "A", "email": "x@b.test"}]}'),
        ("POST", "/_mock/snapshots/s/restore", None),
    ],
)
@pytest.mark.parametrize("what", ["mailbox?to=a@b.test&wait=20", "requests?operation=createSender&wait=20"])
def test_a_request_that_waits_sees_the_workspace_that_takes_its_place(live, what, method, path, body):
    live("POST", "/_mock/snapshots", '{"name": "s"}')
    found = []
    waiting = threading.Thread(target=lambda: found.append(live("GET", f"/_mock/{what}")))
    waiting.start()
    await_watcher(live)
    live(method, path, body)
    await_watcher(live)
    live("POST", "/v3/senders", '{"name": "A", "email": "a@b.test"}')
    waiting.join(20)

    assert '"count":1' in found[0]
    assert "a@b.test" in found[0]


def test_a_request_that_waits_in_a_thread_sees_the_workspace_that_takes_its_place(make_api, default_workspace, story):
    workspace = default_workspace(make_api(story))
    found = []
    waiting = threading.Thread(target=lambda: found.append(workspace.get("/_mock/mailbox?to=a@b.test&wait=20").json))
    waiting.start()
    while not workspace.api.workspace.watchers:
        pass
    workspace.post("/_mock/reset")
    workspace.new_sender("a@b.test")
    waiting.join(20)

    assert [row["to"] for row in found[0]["items"]] == ["a@b.test"]


def test_waiting_ends_when_the_time_is_up(workspace):
    assert workspace.get("/_mock/requests?wait=0.01").json == {"items": [], "count": 0, "evicted": 0}
