"""A server in this process, and workspaces whose webhooks lead to a real receiver."""

import socket
import threading
from contextlib import ExitStack, closing

import pytest
from webhook_receiver import PATIENCE, WebhookReceiver

from mockserver import MockServerError

START = "2026-01-15T09:00:00Z"


@pytest.fixture
def peers():
    with ExitStack() as stack:
        yield lambda: stack.enter_context(closing(WebhookReceiver()))


@pytest.fixture
def peer(peers):
    return peers()


@pytest.fixture
def refusing():
    """An address at which nobody listens."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        yield f"http://127.0.0.1:{taken.getsockname()[1]}/hook"


@pytest.fixture
def make_workspace(server):
    """A factory of workspaces with a webhook for each address, told of `delivered` by default, on a frozen clock."""
    made = []

    def make(*urls, frozen=True, events=("delivered",), **members):
        hooks = [{"id": number, "url": url, "events": list(events)} for number, url in enumerate(urls, 1)]
        document = {"clock": {"start": START, "frozen": frozen}, "webhooks": hooks, **members}
        made.append(server.workspace(document))
        return made[-1]

    yield make
    for workspace in made:
        workspace.drop()


@pytest.fixture
def hooked_workspace(make_workspace, peer):
    return make_workspace(peer.url)


@pytest.fixture
def later():
    """Calls a function in a thread; returns a function that waits for the result and returns it."""
    threads = []

    def begin(function, *arguments, **options):
        found = []

        def work():
            try:
                found.append(function(*arguments, **options))
            except MockServerError as error:
                found.append(error)

        thread = threading.Thread(target=work, daemon=True)
        thread.start()
        threads.append(thread)

        def result():
            thread.join(PATIENCE)
            assert not thread.is_alive()
            return found[0]

        return result

    yield begin
    for thread in threads:
        thread.join(PATIENCE)
        assert not thread.is_alive()


@pytest.fixture
def ask(server):
    def send(workspace, method, path, body=None):
        path = workspace.url.removeprefix(server.url) + path
        return server.client.json(method, path, body=body, headers={"api-key": workspace.api_key})

    return send


@pytest.fixture
def await_watcher(server):
    """Waits until so many requests are suspended."""

    def wait(number=1):
        while f"mockserver_watchers {number}.0" not in server.client.call("GET", "/_mock/metrics").text:
            pass

    return wait
