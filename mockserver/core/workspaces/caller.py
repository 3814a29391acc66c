"""Who stands behind a request."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, Protocol

from mockserver.core.contract.operation import ALL_SCOPES
from mockserver.core.state.account import Account
from mockserver.core.workspaces.workspace import Workspace


class Visit(NamedTuple):
    """From where a request came, and at which address it found the mock."""

    #: Without a slash at its end; that of the workspace, which is found there without a key.
    root: str = ""
    ip: str = "127.0.0.1"
    user_agent: str = ""


class Caller(NamedTuple):
    """The account behind a request, in its workspace."""

    workspace: Workspace
    account: Account
    visit: Visit = Visit()
    #: What an OAuth token is good for; None: an API key opens everything.
    scopes: frozenset[str] | None = None
    #: Whether the key is nobody's, and opens the account because the server takes any.
    is_unknown: bool = False

    def may(self, scope: str) -> bool:
        """Whether the key or the token is good for a scope; `:write` is not good for `:read`."""
        return self.scopes is None or scope in self.scopes or ALL_SCOPES in self.scopes

    def warn(self, warning: str) -> None:
        """Note in the journal what the caller should know although nothing is refused."""
        if self.workspace.answering is not None:
            self.workspace.answering.warn(warning)

    def now(self) -> Caller:
        """The same, where another thread has put a new state in its place since the key was looked up."""
        account = self.workspace.state.accounts.get(self.account.id, self.account)
        return self if account is self.account else self._replace(account=account)


class AnonymousCaller(NamedTuple):
    """Somebody without a key: a browser, or an app that has yet to say who it is."""

    workspace: Workspace
    visit: Visit = Visit()

    def now(self) -> AnonymousCaller:
        """The same: there is no account that could have been replaced."""
        return self


class Bearers(Protocol):
    """Knows whom an access token lets act; filled in by the app."""

    def find(
        self, token: str, within: Workspace | None, enter: Callable[[Workspace], None]
    ) -> tuple[Workspace, Account, frozenset[str]]:
        """The workspace and the account that a token opens, perhaps within one workspace only, and its scopes.

        `enter` is called with the workspace before its lock is taken, and lets happen what is due there.

        Raises:
            ServiceError: 401; it is none, or is so no longer.
        """
        ...
