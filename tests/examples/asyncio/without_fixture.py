"""A program under trio, without pytest. Under asyncio it is the same, with asyncio.run(main())."""

import trio

from mockserver import AsyncMockServer


async def main():
    async with AsyncMockServer() as server, await server.workspace("onboarding") as acme:
        await acme.clock.advance(minutes=16)
        print(acme.url)
        print(await acme.clock.now)


trio.run(main)
