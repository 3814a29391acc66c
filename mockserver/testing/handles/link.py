"""Control calls to one workspace of a server."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from mockserver.testing.client import Client

__tracebackhide__ = True  # pytest shows the line of the test instead

Getter = TypeVar("Getter", bound=Callable[..., Any])

#: The getters of all properties that ask the server.
ASKING: set[Callable[..., Any]] = set()


class Link:
    """Makes control calls to one workspace; without a description of a workspace, to the whole server."""

    def __init__(self, client: Client, about: Mapping[str, Any] | None = None) -> None:
        self.client = client
        #: The latest description of the workspace by its server: `name`, `scenario`, `accounts` and more.
        self.about: Mapping[str, Any] = about or {}
        self._headers = {"X-Mock-Workspace": str(about["name"])} if about else {}
        self._query = {} if about else {"workspace": "*"}

    def get(self, path: str, /, **query: Any) -> Any:
        return self._json("GET", path, query=query)

    def items(self, path: str, /, **query: Any) -> list[Any]:
        """The items of an answer that is a list."""
        return list(self.get(path, **query)["items"])

    def put(self, path: str, body: object) -> Any:
        return self._json("PUT", path, body=body)

    def put_yaml(self, path: str, text: str) -> Any:
        """Put a text of YAML, which the server reads."""
        return self._json("PUT", path, yaml=text)

    def post(self, path: str, body: object = None) -> Any:
        return self._json("POST", path, body=body)

    def delete(self, path: str) -> None:
        self._json("DELETE", path)

    def text(self, path: str, *, accept: str) -> str:
        """The text of an answer that is not JSON, of the media type `accept`."""
        return self.client.call("GET", f"/_mock{path}", **self._named({"headers": {"Accept": accept}})).text

    def _json(self, method: str, path: str, **options: Any) -> Any:
        return self.client.json(method, f"/_mock{path}", **self._named(options))

    def _named(self, options: dict[str, Any]) -> dict[str, Any]:
        return {
            **options,
            "headers": {**options.get("headers", {}), **self._headers},
            "query": {**options.get("query", {}), **self._query},
        }


class Handle:
    """A part of a workspace, which makes control calls by a link."""

    def __init__(self, link: Link) -> None:
        self._link = link


def asks(getter: Getter) -> Getter:
    """Mark the getter of a property as one that asks the server: coroutines await it."""
    ASKING.add(getter)
    return getter


def given(members: Mapping[str, Any]) -> dict[str, Any]:
    """The members whose value is not None."""
    return {name: value for name, value in members.items() if value is not None}
