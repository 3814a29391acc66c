"""Who stands behind a request."""

from __future__ import annotations

from typing import NamedTuple

from mockserver.core.account import Account
from mockserver.core.workspace import Workspace


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

    def now(self) -> Caller:
        """The same, where another thread has put a new state in its place since the key was looked up."""
        account = self.workspace.accounts.get(self.account.id, self.account)
        return self if account is self.account else self._replace(account=account)
