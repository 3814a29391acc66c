"""One workspace of a server as its handles reach it: every call names it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from urllib.parse import quote

from mockserver.testing.client import Answer, Client

__tracebackhide__ = True  # pytest shows the line of the test instead


class Link:
    """The way to one workspace, or with `everywhere` to what all workspaces of a server have in common."""

    def __init__(self, client: Client, about: Mapping[str, Any], *, everywhere: bool = False) -> None:
        self.client = client
        #: The workspace as the server has described it last.
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
        """An answer that is not JSON."""
        return self._call("GET", path, headers={"Accept": accept}).text

    def renew(self, about: Mapping[str, Any]) -> None:
        """Take in how a call that has changed the workspace describes it."""
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


def part(text: object) -> str:
    """A text as one part of a path."""
    return quote(str(text), safe="")
