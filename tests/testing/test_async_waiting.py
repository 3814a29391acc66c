"""Coroutines wait while what they wait for happens on the same event loop."""

import json
from contextlib import asynccontextmanager

import anyio
import anyio.lowlevel
import pytest
from anyio.abc import SocketAttribute

from mockserver import AsyncMockServer

pytestmark = pytest.mark.anyio


async def ask(workspace, method, path, body):
    """Sends a request as a product does that runs on the same event loop, and returns the status of the answer."""
    root, path = workspace.url.split("/w/")[0], f"/w/{workspace.url.split('/w/')[1]}{path}"
    host, port = root.removeprefix("http://").split(":")
    content = json.dumps(body)
    head = f"{method} {path} HTTP/1.1\r\nhost: {host}\r\napi-key: {workspace.api_key}\r\nconnection: close\r\n"
    head += f"content-type: application/json\r\ncontent-length: {len(content)}\r\n\r\n"
    async with await anyio.connect_tcp(host, int(port)) as stream:
        await stream.send((head + content).encode())
        return int((await stream.receive()).split()[1])


@asynccontextmanager
async def receiving(answer=b"HTTP/1.1 200 OK\r\ncontent-length: 0\r\nconnection: close\r\n\r\n"):
    """A receiver of webhooks on this event loop: its address, and the first lines of the requests that it has got."""
    lines = []

    async def receive(stream):
        async with stream:
            lines.append((await stream.receive()).split(b"\r\n")[0].decode())
            await stream.send(answer)

    async with await anyio.create_tcp_listener(local_host="127.0.0.1") as listener, anyio.create_task_group() as tasks:
        tasks.start_soon(listener.serve, receive)
        yield f"http://127.0.0.1:{listener.extra(SocketAttribute.local_port)}/hook", lines
        tasks.cancel_scope.cancel()


async def test_a_clock_is_advanced_while_a_receiver_on_the_same_loop_takes_the_webhook_calls(async_workspace):
    async with receiving() as (url, lines):
        webhook = {"url": url, "type": "transactional", "events": ["hardBounce"]}
        assert await ask(async_workspace, "POST", "/webhooks", webhook) == 201
        await async_workspace.clock.freeze()
        await async_workspace.trigger("hardBounce")

        await async_workspace.clock.advance(hours=1)

        assert lines == ["POST /hook HTTP/1.1"]
        assert [delivery.state for delivery in await async_workspace.deliveries.all()] == ["delivered"]


async def test_a_mail_is_waited_for_that_a_task_of_the_same_loop_causes(async_workspace):
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(ask, async_workspace, "POST", "/senders", {"name": "News", "email": "new@acme.test"})

        mail = await async_workspace.mailbox.latest(to="new@acme.test", wait=30)

    assert mail.otp is not None


async def test_fifty_calls_wait_at_once(async_workspace):
    codes = []

    async def wait():
        codes.append((await async_workspace.mailbox.latest(to="new@acme.test", wait=30)).otp)

    async with anyio.create_task_group() as tasks:
        for _ in range(50):
            tasks.start_soon(wait)
        await ask(async_workspace, "POST", "/senders", {"name": "News", "email": "new@acme.test"})

    assert (len(codes), len(set(codes))) == (50, 1)


async def test_a_wait_ends_without_what_it_has_waited_for(async_workspace):
    with pytest.raises(LookupError, match=r"no e-mail to nobody@acme.test after 0.05 s; the mailbox is empty"):
        await async_workspace.mailbox.latest(to="nobody@acme.test", wait=0.05)


async def test_a_server_starts_and_stops_while_the_loop_goes_on():
    turns = 0

    async def count():
        nonlocal turns
        while True:
            await anyio.lowlevel.checkpoint()
            turns += 1

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(count)
        async with AsyncMockServer() as server:
            while_it_started, turns = turns, 0
            workspace = await server.workspace("onboarding")
            assert (await workspace.clock.now).tzinfo is not None
            turns = 0
        while_it_stopped = turns
        tasks.cancel_scope.cancel()

    assert while_it_started > 1
    assert while_it_stopped > 1


async def test_calls_and_properties_that_ask_the_server_are_awaited(async_workspace):
    with pytest.raises(TypeError, match="advance takes one of"):
        await async_workspace.clock.advance()
    fault = await async_workspace.faults.add("dns_failure")

    assert (await fault.hits, await fault.active, await async_workspace.clock.frozen) == (0, True, True)


async def test_both_forms_of_a_workspace_are_the_same_workspace(async_workspace):
    blocking = async_workspace.synchronous

    await async_workspace.seed({"accounts": [{"name": "second", "api_keys": ["xkeysib-second"]}]})

    assert (blocking.name, blocking.url) == (async_workspace.name, async_workspace.url)
    assert blocking.asynchronous.url == async_workspace.url
    assert [account.name for account in blocking.accounts] == [account.name for account in async_workspace.accounts]
    assert blocking.key("second") == await async_workspace.key("second")


async def test_a_server_that_was_not_started_says_so():
    server = AsyncMockServer()

    assert repr(server) == "<AsyncMockServer that is not started>"
    with pytest.raises(RuntimeError, match=r"^the server is not started: `async with` starts it, and so does `start`$"):
        _ = server.url
    await server.stop()
