"""What a server has told of a workspace."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

from mockserver.testing.records.reading import read_all
from mockserver.testing.records.workspace import Account

__tracebackhide__ = True  # pytest shows the line of the test instead


class Description:
    """The latest description of a workspace by its server, which both variants of the workspace share."""

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
        """The API key of each account by the account's name; None: it has none."""
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


class Leaving(Protocol):
    """A function that is called just before a workspace is reset or dropped, while its coverage can still be read."""

    def __call__(self, name: str, *, for_good: bool) -> None:
        """Take the name of the workspace, and whether it is dropped; if not, it is reset."""
        ...
