"""The same from coroutines, under asyncio and under trio: the product is a task of the loop in which the test waits."""

import asyncio

import pytest
import trio


@pytest.mark.asyncio
async def test_a_code_is_awaited_under_asyncio(brevo, person, async_mockserver):
    product = asyncio.create_task(asyncio.to_thread(brevo.add_sender, **person))
    mail = await async_mockserver.mailbox.latest(to=person["email"], wait=5)

    await asyncio.to_thread(brevo.confirm_sender, await product, mail.otp)

    assert await asyncio.to_thread(brevo.is_active, await product)


@pytest.mark.trio
async def test_a_code_is_awaited_under_trio(brevo, person, async_mockserver):
    async with trio.open_nursery() as nursery:
        nursery.start_soon(trio.to_thread.run_sync, lambda: brevo.add_sender(**person))
        mail = await async_mockserver.mailbox.latest(to=person["email"], wait=5)

    assert mail.otp
    assert await async_mockserver.clock.advance(minutes=20)
