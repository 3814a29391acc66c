"""What the coroutines are made of: the client that blocks, called in threads, so that the event loop goes on."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any, ParamSpec, TypeVar, Unpack

from mockserver.testing.arguments import CallOptions
from mockserver.testing.cancellation import Cancellation
from mockserver.testing.client import Answer, Client, Trust
from mockserver.testing.variants.library import library

__tracebackhide__ = True  # pytest shows the line of the test instead

Result = TypeVar("Result")
Parameters = ParamSpec("Parameters")


class AsyncClient:
    """A client of one server for asynchronous code, which tasks may share, under asyncio and under trio.

    A call that is cancelled ends at once, and its connection is closed.
    """

    def __init__(self, client: Client) -> None:
        #: The same client with calls that block.
        self.blocking = client
        #: The root address of the server, without a slash at its end.
        self.url = client.url

    def close(self) -> None:
        """Close the connections that are not in use; a later call opens a new one."""
        self.blocking.close()

    async def json(self, method: str, path: str, **options: Unpack[CallOptions]) -> Any:
        """The value of the JSON answer to a control call, or None if the answer is empty.

        `options` are those of `Client.call`.

        Raises:
            MockServerError: the server refuses the call, or does not answer.
        """
        return await _cancellable(partial(self.blocking.json, method, path, **options))

    async def call(self, method: str, path: str, **options: Unpack[CallOptions]) -> Answer:
        """The answer to a control call. `path` begins with a slash; `options` are those of `Client.call`.

        Raises:
            MockServerError: the server refuses the call, or does not answer.
        """
        return await _cancellable(partial(self.blocking.call, method, path, **options))


async def _cancellable(call: Callable[..., Result]) -> Result:
    """The result of a call of the client that blocks, which is made in a thread."""
    cancellation = Cancellation()
    try:
        return await library().in_thread(partial(call, cancellation=cancellation))
    except BaseException:
        cancellation.cancel()  # without effect where the call itself has failed
        raise


async def run(
    function: Callable[Parameters, Result], *arguments: Parameters.args, **options: Parameters.kwargs
) -> Result:
    """The result of a function that takes its time, called in a thread; it goes on where the caller is cancelled."""
    return await library().in_thread(partial(function, *arguments, **options))


async def finish(function: Callable[[], Awaitable[None]]) -> None:
    """Await a method that ends something, to its end where the caller is cancelled."""
    await library().shielded(function)


def begin(start: Callable[[], Awaitable[None]]) -> None:
    """Leave a server that was just made as it is: only a coroutine can start it."""


def client_to(url: str, token: str | None, trust: Trust) -> AsyncClient:
    """A client in this variant of the server at a root address, with its control token if it asks for one.

    Raises:
        ValueError: the address does not begin with http:// or https://, or names no host; or a file of authorities
            cannot be read.
    """
    return AsyncClient(Client(url, token, trust))


def other_variant(client: AsyncClient) -> Client:
    """The same client with calls that block."""
    return client.blocking
