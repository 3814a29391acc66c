# Written by .ci/synchronous.py out of asynchronous/link.py, where it is to be changed.
"""Control calls to one workspace of a server."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mockserver.testing.description import Description
from mockserver.testing.variants.synchronous import Client

__tracebackhide__ = True  # pytest shows the line of the test instead


class Link:
    """Makes control calls to one workspace; without a description of one, to all of the server together."""

    def __init__(self, client: Client, description: Description | None = None) -> None:
        self.client = client
        self._description = description
        self._headers = {"X-Mock-Workspace": description.name} if description else {}
        self._query = {} if description else {"workspace": "*"}

    def get(self, path: str, /, **query: Any) -> Any:
        return self._json("GET", path, query=query)

    def items(self, path: str, /, **query: Any) -> list[Any]:
        """The items of an answer that is a list."""
        answer = self.get(path, **query)
        return list(answer["items"])

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
        answer = self.client.call("GET", f"/_mock{path}", **self._named({"headers": {"Accept": accept}}))
        return answer.text

    def renew(self, about: Mapping[str, Any]) -> None:
        """Keep the description of the workspace that a call which has changed it answers."""
        if self._description is not None:
            self._description.about = about

    def _json(self, method: str, path: str, **options: Any) -> Any:
        return self.client.json(method, f"/_mock{path}", **self._named(options))

    def _named(self, options: dict[str, Any]) -> dict[str, Any]:
        return {
            **options,
            "headers": {**options.get("headers", {}), **self._headers},
            "query": {**options.get("query", {}), **self._query},
        }
