"""Control calls to one workspace of a server."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mockserver.testing.description import Description
from mockserver.testing.variants.asynchronous import AsyncClient

__tracebackhide__ = True  # pytest shows the line of the test instead


class Link:
    """Makes control calls to one workspace; without a description of one, to all of the server together."""

    def __init__(self, client: AsyncClient, description: Description | None = None) -> None:
        self.client = client
        self._description = description
        self._headers = {"X-Mock-Workspace": description.name} if description else {}
        self._query = {} if description else {"workspace": "*"}

    async def get(self, path: str, /, **query: Any) -> Any:
        return await self._json("GET", path, query=query)

    async def items(self, path: str, /, **query: Any) -> list[Any]:
        """The items of an answer that is a list."""
        answer = await self.get(path, **query)
        return list(answer["items"])

    async def put(self, path: str, body: object) -> Any:
        return await self._json("PUT", path, body=body)

    async def put_yaml(self, path: str, text: str) -> Any:
        """Put a text of YAML, which the server reads."""
        return await self._json("PUT", path, yaml=text)

    async def post(self, path: str, body: object = None) -> Any:
        return await self._json("POST", path, body=body)

    async def delete(self, path: str) -> None:
        await self._json("DELETE", path)

    async def text(self, path: str, *, accept: str) -> str:
        """The text of an answer that is not JSON, of the media type `accept`."""
        answer = await self.client.call("GET", f"/_mock{path}", **self._named({"headers": {"Accept": accept}}))
        return answer.text

    def renew(self, about: Mapping[str, Any]) -> None:
        """Keep the description of the workspace that a call which has changed it answers."""
        if self._description is not None:
            self._description.about = about

    async def _json(self, method: str, path: str, **options: Any) -> Any:
        return await self.client.json(method, f"/_mock{path}", **self._named(options))

    def _named(self, options: dict[str, Any]) -> dict[str, Any]:
        return {
            **options,
            "headers": {**options.get("headers", {}), **self._headers},
            "query": {**options.get("query", {}), **self._query},
        }
