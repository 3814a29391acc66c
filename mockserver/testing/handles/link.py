"""Control calls to one workspace of a server, and its description by the server."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from mockserver.testing.client import Client
from mockserver.testing.records.reading import read_all
from mockserver.testing.records.workspace import Account

__tracebackhide__ = True  # pytest shows the line of the test instead

Getter = TypeVar("Getter", bound=Callable[..., Any])

#: The getters of all properties that ask the server.
ASKING: set[Callable[..., Any]] = set()


class Description:
    """The latest description of a workspace by its server."""

    def __init__(self, about: Mapping[str, Any]) -> None:
        #: `name`, `scenario`, `accounts` and more, as the server has answered.
        self.about = about
        self.name = str(about["name"])

    @property
    def scenario(self) -> str:
        return str(self.about["scenario"])

    @property
    def accounts(self) -> list[Account]:
        return read_all(Account, self.about["accounts"])

    @property
    def keys(self) -> dict[str, str | None]:
        """The API key of each account by the account's name; None for an account without a key."""
        return {account.name: account.api_key for account in self.accounts}

    def key(self, account: str) -> str:
        """The API key of an account.

        Raises:
            LookupError: there is no such account, or the account has no key.
        """
        keys = self.keys
        found = keys.get(account)
        if found is None:
            reason = "has no key" if account in keys else f"is not among {', '.join(keys)}"
            raise LookupError(f"the account {account!r} {reason}")
        return found


class Link:
    """Makes control calls to one workspace; without a description of one, to the whole server."""

    def __init__(self, client: Client, description: Description | None = None) -> None:
        self.client = client
        self._description = description
        self._headers = {"X-Mock-Workspace": description.name} if description else {}
        self._query = {} if description else {"workspace": "*"}

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

    def renew(self, about: Mapping[str, Any]) -> None:
        """Replace the description of the workspace, after a call that has changed it."""
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
