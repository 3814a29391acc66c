"""Who stands behind a request."""

from __future__ import annotations

from typing import NamedTuple

from mockserver.core.account import Account
from mockserver.core.workspace import Workspace


class Caller(NamedTuple):
    """The account behind a request, in its workspace."""

    workspace: Workspace
    account: Account

    def now(self) -> Caller:
        """The same, where another thread has put a new state in its place since the key was looked up."""
        account = self.workspace.accounts.get(self.account.id, self.account)
        return self if account is self.account else self._replace(account=account)
