"""Who stands behind a request."""

from __future__ import annotations

from typing import NamedTuple

from mockserver.core.account import Account
from mockserver.core.workspace import Workspace


class Caller(NamedTuple):
    """The account behind a request, in its workspace."""

    workspace: Workspace
    account: Account
