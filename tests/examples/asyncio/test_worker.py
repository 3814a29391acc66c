"""Tests of a product whose parts are tasks of one event loop: it asks the API, and receives its webhooks."""

import asyncio

import httpx
import pytest

pytestmark = pytest.mark.asyncio


async def add_sender(workspace, email):
    """The product: it asks the API without blocking the loop."""
    async with httpx.AsyncClient(trust_env=False, headers={"api-key": workspace.api_key}) as client:
        answer = await client.post(f"{workspace.url}/senders", json={"name": "News", "email": email})
        answer.raise_for_status()


async def test_a_sender_gets_its_code(async_mockserver):
    product = asyncio.create_task(add_sender(async_mockserver, "new@acme.test"))

    mail = await async_mockserver.mailbox.latest(to="new@acme.test", wait=3)

    assert mail.otp is not None
    await product


@pytest.mark.mockserver(scenario="empty")
async def test_a_webhook_call_is_received_on_the_same_loop(async_mockserver):
    received = asyncio.Queue()

    async def receive(reader, writer):
        head = await reader.readuntil(b"\r\n\r\n")
        received.put_nowait(head.decode().splitlines()[0])
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
        writer.close()
        await writer.wait_closed()

    async with await asyncio.start_server(receive, "127.0.0.1", 0) as receiver:
        port = receiver.sockets[0].getsockname()[1]
        webhook = {"url": f"http://127.0.0.1:{port}/hook", "type": "transactional", "events": ["hardBounce"]}
        await async_mockserver.seed({"webhooks": [webhook]})
        await async_mockserver.trigger("hardBounce")

        await async_mockserver.clock.advance(hours=1)

    assert received.get_nowait() == "POST /hook HTTP/1.1"
    assert [delivery.state for delivery in await async_mockserver.deliveries.all()] == ["delivered"]
