"""Callers: the account, or the anonymous caller, that a request comes from."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, Protocol

from mockserver.core.contract.operation import ALL_SCOPES
from mockserver.core.state.state import Account
from mockserver.core.workspaces.workspace import Workspace


class Visit(NamedTuple):
    #: The URL that leads to the workspace without a key, without a slash at its end.
    root: str = ""
    ip: str = "127.0.0.1"
    user_agent: str = ""


#: Returns the visit of a request; few operations need it.
FindVisit = Callable[[], Visit]


class Caller(NamedTuple):
    """A request's account and workspace, with token scopes."""

    workspace: Workspace
    account: Account
    find_visit: FindVisit = Visit
    #: The scopes of the OAuth token, or None for an API key, which has all scopes.
    scopes: frozenset[str] | None = None
    #: Whether the key is unknown, and opens the account because the server accepts any key.
    is_unknown: bool = False

    @property
    def visit(self) -> Visit:
        return self.find_visit()

    def may(self, scope: str) -> bool:
        """Return whether key or token has a scope; `:write` excludes `:read`."""
        return self.scopes is None or scope in self.scopes or ALL_SCOPES in self.scopes

    def warn(self, warning: str) -> None:
        """Add a journal warning to the request."""
        if self.workspace.answering is not None:
            self.workspace.answering.warn(warning)


class AnonymousCaller(NamedTuple):
    """A caller without key or token, such as browsers or unidentified apps."""

    workspace: Workspace
    visit: Visit = Visit()


class Bearers(Protocol):
    """A finder of access token accounts; supplied by the app."""

    def find(self, token: str, within: Workspace | None) -> tuple[Workspace, Account, frozenset[str]]:
        """Return the open workspace, the account and the scopes of a token, restricted to `within` if given.

        Raises:
            ServiceError: 401: the token is unknown, expired or revoked.
        """
        ...
