"""What the handles that block are made of: the client itself, and functions that are called where they stand."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, ParamSpec, TypeVar

from mockserver.testing.client import Client as Client
from mockserver.testing.client import Trust

if TYPE_CHECKING:
    from mockserver.testing.variants.asynchronous import AsyncClient

__tracebackhide__ = True  # pytest shows the line of the test instead

Result = TypeVar("Result")
Parameters = ParamSpec("Parameters")


def run(function: Callable[Parameters, Result], *arguments: Parameters.args, **options: Parameters.kwargs) -> Result:
    """The result of a function that takes its time."""
    return function(*arguments, **options)


def finish(function: Callable[[], None]) -> None:
    """Call a method that ends something."""
    function()


def begin(start: Callable[[], None]) -> None:
    """Start a server that was just made."""
    start()


def client_to(url: str, token: str | None, trust: Trust) -> Client:
    """A client in this variant of the server at a root address, with its control token if it asks for one.

    Raises:
        ValueError: the address does not begin with http:// or https://, or names no host; or a file of authorities
            cannot be read.
    """
    return Client(url, token, trust)


def other_variant(client: Client) -> AsyncClient:
    """The same client with coroutines."""
    from mockserver.testing.variants.asynchronous import AsyncClient  # noqa: PLC0415  # needed by asynchronous tests only

    return AsyncClient(client)
