"""The bridge between the event loop and the application, without a server."""

import asyncio
import threading
import time
from functools import partial
from types import FrameType, SimpleNamespace

import pytest
from event_loop import leaves, on_loop

from mockserver.control.server import documents
from mockserver.core.waiting import Watchers
from mockserver.web.server.bridge import Bridge
from mockserver.web.server.loop import LARGE_BODY, LARGE_LIST, LOOP, leave
from mockserver.web.server.runner import Runner
from mockserver.web.server.waiting import SUSPENDED

SCOPE = {
    "type": "http", "method": "POST", "raw_path": b"/", "query_string": b"", "http_version": "1.1", "scheme": "http",
    "server": None, "client": None, "headers": [],
}  # fmt: skip


def run(coroutine):
    """Run a coroutine on an event loop of this thread, as a server does."""
    with on_loop():
        return asyncio.run(coroutine)


def ask(app, body=b""):
    """What a bridge answers for an application, to a POST with a body."""
    sent = []

    async def receive():
        return {"type": "http.request", "body": body}

    async def send(message):
        sent.append(message)

    async def answered():
        bridge = Bridge(Runner(app, None), 10**9, 10**9)
        await bridge(SCOPE, receive, send)
        bridge.close()

    run(answered())
    return sent[-1]["body"].decode()


def whereabouts(environ, start_response):
    """Answers with the thread that it runs in."""
    start_response("200 OK", [])
    return [threading.current_thread().name.encode()]


def leaving(environ, start_response):
    leave()
    return whereabouts(environ, start_response)


HERE = threading.current_thread().name


@pytest.mark.parametrize(
    ("app", "size", "thread"),
    [
        (whereabouts, 0, HERE), (whereabouts, LARGE_BODY, HERE), (whereabouts, LARGE_BODY + 1, "long_0"),
        (leaving, 0, "long_0"),
    ],
)  # fmt: skip
def test_a_request_with_a_large_body_or_that_leaves_the_loop_is_run_in_a_thread(app, size, thread):
    assert ask(app, b"x" * size) == thread


def test_a_request_that_leaves_the_loop_is_run_again_from_its_beginning_with_its_body():
    seen = []

    def app(environ, start_response):
        seen.append((LOOP in environ, environ["wsgi.input"].read()))
        return leaving(environ, start_response)

    ask(app, b"all of it")

    assert seen == [(True, b"all of it"), (False, b"all of it")]


def test_a_request_that_leaves_the_loop_leaves_nothing_to_the_collector(left_behind):
    left = left_behind(lambda: ask(leaving))

    assert {one.f_code.co_name for one in left if isinstance(one, FrameType)} == set()


async def steps_until_heard():
    """Let the loop take more steps than a bridge needs until it has heard that a client has left."""
    for _ in range(20):
        await asyncio.sleep(0)


@pytest.mark.parametrize(
    ("method", "stays", "is_run"),
    [
        pytest.param("GET", False, False, id="one that changes nothing"),
        pytest.param("GET", True, True, id="one whose answer a peer has sent meanwhile"),
        pytest.param("POST", False, True, id="one that changes something"),
    ],
)
def test_a_request_that_changes_nothing_is_not_run_when_its_client_has_left(method, stays, is_run):
    busy, ran = threading.Barrier(3), []

    def app(environ, start_response):
        environ[SUSPENDED].stays = stays
        leave()
        if environ["REQUEST_METHOD"] == "PUT":
            busy.wait(20)
            busy.wait(20)
        ran.append(environ["REQUEST_METHOD"])
        return whereabouts(environ, start_response)

    async def receive(messages):
        return messages.pop(0) if messages else await asyncio.Event().wait()

    async def send(message):
        pass

    async def everybody():
        bridge = Bridge(Runner(app, None), 10**9, 10**9)

        def ask(method, *messages):
            messages = [{"type": "http.request", "body": b""}, *messages]
            return asyncio.ensure_future(bridge({**SCOPE, "method": method}, partial(receive, messages), send))

        working = [ask("PUT"), ask("PUT")]
        await asyncio.to_thread(busy.wait, 20)
        left = ask(method, {"type": "http.disconnect"})
        await steps_until_heard()
        assert left.done() != is_run
        await asyncio.to_thread(busy.wait, 20)
        await asyncio.gather(left, *working)
        bridge.close()

    run(everybody())

    assert (method in ran) == is_run


def test_a_request_that_runs_already_when_its_client_leaves_is_carried_out():
    begun, go, sent = threading.Event(), threading.Event(), []

    def app(environ, start_response):
        leave()
        begun.set()
        assert go.wait(20)
        return whereabouts(environ, start_response)

    async def messages(left):
        yield {"type": "http.request", "body": b""}
        await left.wait()
        yield {"type": "http.disconnect"}

    async def send(message):
        sent.append(message)

    async def answered():
        bridge, left = Bridge(Runner(app, None), 10**9, 10**9), asyncio.Event()
        asked = asyncio.ensure_future(bridge({**SCOPE, "method": "GET"}, messages(left).__anext__, send))
        assert await asyncio.to_thread(begun.wait, 20)
        left.set()
        await steps_until_heard()
        go.set()
        await asked
        bridge.close()

    run(answered())

    assert sent[0]["status"] == 200


def test_under_an_ordinary_wsgi_server_no_request_leaves_the_loop(api):
    assert api.put("/_mock/state", json={"description": "x" * LARGE_BODY}).status_code == 200


def test_other_requests_run_between_waiting_requests_that_one_change_wakes():
    workspace, ran = SimpleNamespace(watchers=Watchers()), []

    def app(environ, start_response):
        suspended = environ[SUSPENDED]
        if suspended.workspace is None:
            suspended.workspace, suspended.deadline, suspended.waiting = workspace, time.monotonic() + 20, True
        else:
            ran.append("one who waits")
        return whereabouts(environ, start_response)

    async def receive(first):
        if first:
            return {"type": "http.request", "body": first.pop()}
        return await asyncio.Event().wait()

    async def send(message):
        pass

    async def everybody():
        bridge = Bridge(Runner(app, None), 10**9, 10**9)
        waiting = [asyncio.ensure_future(bridge(SCOPE, partial(receive, [b""]), send)) for _ in range(20)]
        while len(workspace.watchers) < len(waiting):  # noqa: ASYNC110  # there is no event for it
            await asyncio.sleep(0)
        workspace.watchers.tell()
        while len(ran) < 2 * len(waiting):
            await asyncio.sleep(0)
            ran.append("another")
        await asyncio.gather(*waiting)
        bridge.close()

    run(everybody())

    assert "another" in ran[ran.index("one who waits") + 1 :][:2]


def stays(api, path):
    """Whether a request is answered on the loop."""
    return not leaves(api, "GET", path)


@pytest.mark.parametrize(
    "path",
    ["/_mock/machines/sender", "/_mock/oauth/apps", "/_mock/faults", "/_mock/workspaces", "/_mock/workspaces/default"],
)
def test_a_long_list_is_written_in_a_thread(make_api, path):
    def many(count):
        senders = [{"name": "A", "email": f"a{number}@b.test"} for number in range(count)]
        apps = [{"client_id": f"c{number}", "client_secret": "s"} for number in range(count)]
        accounts = [{"name": "a", "senders": senders}, *({"name": f"n{number}"} for number in range(count - 1))]
        return make_api({"accounts": accounts, "oauth_apps": apps, "faults": [{"fault": "unavailable"}] * count})

    assert (stays(many(LARGE_LIST), path), stays(many(LARGE_LIST + 1), path)) == (True, False)


@pytest.mark.parametrize(
    "path",
    [
        "openapi.json", "openapi.yaml", "control.json", "docs/ledger.md", "docs/contract/senders.md",
        "docs/openapi.json", "docs/control.json",
    ],
)  # fmt: skip
def test_a_document_is_made_in_a_thread_and_sent_by_the_loop(api, path):
    for make in (documents.api_document, documents.api_yaml, documents.control_document, documents.rendered):
        make.cache_clear()

    assert not stays(api, f"/_mock/{path}")
    assert api.get(f"/_mock/{path}").status_code == 200
    assert stays(api, f"/_mock/{path}")
