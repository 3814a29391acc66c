"""Control calls to a workspace; base class of the handles."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from mockserver.testing.client import Client

__tracebackhide__ = True  # pytest shows the line of the test instead

Getter = TypeVar("Getter", bound=Callable[..., Any])

#: The getters of all properties that ask the server.
ASKING: set[Callable[..., Any]] = set()


class Link:
    """Makes control calls to one workspace, or without `about` to the whole server."""

    def __init__(self, client: Client, about: Mapping[str, Any] | None = None) -> None:
        self.client = client
        #: The latest description of the workspace by its server: `name`, `scenario`, `accounts` and more.
        self.about: Mapping[str, Any] = about or {}
        self._headers = {"X-Mock-Workspace": str(about["name"])} if about else {}
        self._query = {} if about else {"workspace": "*"}

    def get(self, path: str, /, **query: Any) -> Any:
        return self.json("GET", path, query=query)

    def items(self, path: str, /, **query: Any) -> list[Any]:
        """Return the items of a list answer."""
        return list(self.get(path, **query)["items"])

    def put(self, path: str, body: object = None, **options: Any) -> Any:
        return self.json("PUT", path, body=body, **options)

    def post(self, path: str, body: object = None, **options: Any) -> Any:
        return self.json("POST", path, body=body, **options)

    def delete(self, path: str) -> None:
        self.json("DELETE", path)

    def text(self, path: str, *, accept: str) -> str:
        """Return the text of an answer of the media type `accept`."""
        return self.client.call("GET", f"/_mock{path}", **self._named({"headers": {"Accept": accept}})).text

    def json(self, method: str, path: str, **options: Any) -> Any:
        """Make a control call, and return the JSON value; `options` are those of `Client.call`."""
        return self.client.json(method, f"/_mock{path}", **self._named(options))

    def _named(self, options: dict[str, Any]) -> dict[str, Any]:
        return {
            **options,
            "headers": {**options.get("headers", {}), **self._headers},
            "query": {**options.get("query", {}), **self._query},
        }


class Handle:
    """A part of a workspace; makes control calls through a link.

    Each call raises MockServerError if the server refuses it, with status 404 if what it names does not exist.
    """

    def __init__(self, link: Link) -> None:
        self._link = link


def asks(getter: Getter) -> Getter:
    """Mark the getter of a property that asks the server: coroutines await it."""
    ASKING.add(getter)
    return getter


def given(members: Mapping[str, Any]) -> dict[str, Any]:
    """Return a copy without None values."""
    return {name: value for name, value in members.items() if value is not None}
