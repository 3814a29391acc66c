"""Whom an access token lets act: the token's signature, its workspace, and the grant behind it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import Any

from mockserver.core.contract.errors import UNAUTHORIZED, ServiceError
from mockserver.core.state import reasons
from mockserver.core.state.account import Account
from mockserver.core.workspaces.store import Store
from mockserver.core.workspaces.workspace import Workspace
from mockserver.resources.oauth.tokens import claims
from mockserver.resources.oauth.tokens.signing import BadSignature, Signer


class Bearer:
    """Finds the account behind a token in whatever workspace it is of (`core.caller.Bearers`)."""

    def __init__(self, store: Store, signer: Signer) -> None:
        self._store = store
        self._signer = signer

    def find(
        self, token: str, within: Workspace | None, enter: Callable[[Workspace], None]
    ) -> tuple[Workspace, Account, frozenset[str]]:
        """The workspace and the account that a token opens, and its scopes.

        Raises:
            ServiceError: 401 `unauthorized` (contract/errors#statuses: proposed).
        """
        try:
            said = self._signer.read(token)
        except BadSignature as error:
            raise _refused(f"it was not signed by this server: {reasons.shown(error)}") from error
        if claims.WORKSPACE not in said:
            raise _refused("it is a token about a user, and no access token")
        name = str(said[claims.WORKSPACE])
        workspace = self._store.get(name)
        if workspace is None:
            raise _refused(f"it is of workspace {reasons.shown(name)}, which is gone")
        if within is not None and within is not workspace:
            raise _refused(f"it is of workspace {name}, and the request is for workspace {within.name}")
        enter(workspace)
        with workspace.lock:
            found = claims.live_token(workspace, said)
        if found is None:
            raise _refused(_why_over(said, workspace))
        return workspace, found.account, frozenset(found.token.scopes)


def _why_over(said: Mapping[str, Any], workspace: Workspace) -> str:
    """Why a token of a workspace does not work there."""
    ended = datetime.fromtimestamp(said["exp"], UTC)
    if ended <= workspace.state.clock.now():
        return f"it has expired at {reasons.instant(ended)}; {reasons.clock(workspace.state.clock)}"
    return f"it, its grant or its account was revoked or deleted, or workspace {workspace.name} has another state now"


def _refused(why: str) -> ServiceError:
    return UNAUTHORIZED("Invalid access token").because(f"the access token is not good: {why}")
