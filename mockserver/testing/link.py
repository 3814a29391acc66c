"""Control calls to one workspace of a server."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from urllib.parse import quote

from mockserver.testing.client import Answer, Client

__tracebackhide__ = True  # pytest shows the line of the test instead


class Link:
    """Makes control calls to one workspace; with `everywhere`, to all workspaces of the server together."""

    def __init__(self, client: Client, about: Mapping[str, Any], *, everywhere: bool = False) -> None:
        self.client = client
        #: The latest description of the workspace by the server: `name`, `scenario`, `accounts` and more.
        self.about = about
        self._headers = {} if everywhere else {"X-Mock-Workspace": str(about["name"])}
        self._query = {"workspace": "*"} if everywhere else {}

    def get(self, path: str, **query: Any) -> Any:
        return self._json("GET", path, query=query)

    def put(self, path: str, body: object) -> Any:
        return self._json("PUT", path, body=body)

    def post(self, path: str, body: object = None) -> Any:
        return self._json("POST", path, body=body)

    def delete(self, path: str) -> None:
        self._json("DELETE", path)

    def text(self, path: str, *, accept: str) -> str:
        """The text of an answer that is not JSON, of the media type `accept`."""
        return self._call("GET", path, headers={"Accept": accept}).text

    def renew(self, about: Mapping[str, Any]) -> None:
        """Keep the description of the workspace that a call which has changed it answers."""
        self.about = about

    def _json(self, method: str, path: str, **options: Any) -> Any:
        return self.client.json(method, f"/_mock{path}", **self._named(options))

    def _call(self, method: str, path: str, **options: Any) -> Answer:
        return self.client.call(method, f"/_mock{path}", **self._named(options))

    def _named(self, options: dict[str, Any]) -> dict[str, Any]:
        return {
            **options,
            "headers": {**options.get("headers", {}), **self._headers},
            "query": {**options.get("query", {}), **self._query},
        }


def path_segment(text: object) -> str:
    """A value as one percent-encoded segment of a path."""
    return quote(str(text), safe="")
