"""Tasks of asyncio read through a gate, which every 429 closes for as long as its header says."""

import asyncio
import os
import random
import time
from contextlib import asynccontextmanager, nullcontext

import httpx

#: By way: how many connections there are at most, how many tasks read how many addresses, and at how many at a time.
WAYS = {
    "all at once": (100, 30, 30, 100),
    "a pool of three": (3, 30, 30, 100),
    "a pool of one": (1, 10, 10, 100),
    "a semaphore": (100, 30, 30, 4),
    "workers": (100, 5, 60, 100),
    "workers with a pool of two": (2, 6, 60, 100),
    "a client for each request": (0, 6, 24, 100),
}


async def read_all(url, seed, connections, tasks, number, at_once):
    waiting = [f"contacts/contact{found}@list.test" for found in random.Random(seed).sample(range(120), number)]
    turns, until = asyncio.Semaphore(at_once), 0.0
    limits = httpx.Limits(max_connections=connections or None)
    async with httpx.AsyncClient(timeout=20, limits=limits, trust_env=False) as shared:

        @asynccontextmanager
        async def client():
            async with nullcontext(shared) if connections else httpx.AsyncClient(timeout=20, trust_env=False) as found:
                yield found

        async def work():
            nonlocal until
            while waiting:
                path = waiting.pop()
                async with turns, client() as found:
                    while (left := until - time.monotonic()) > 0:  # noqa: ASYNC110  # another task may close it anew
                        await asyncio.sleep(left)
                    answer = await found.get(f"{url}/v3/{path}", headers={"api-key": "any"})
                    if answer.status_code == 429:
                        until = time.monotonic() + float(answer.headers["x-sib-ratelimit-reset"])
                        waiting.append(path)

        await asyncio.gather(*(work() for _ in range(tasks)))


def main(url, seed, way):
    asyncio.run(read_all(url, seed, *WAYS[way]))


if __name__ == "__main__":
    for name in WAYS:
        main(os.environ["MOCKSERVER_URL"], int(os.environ.get("SEED", "0")), name)
