"""Callers with an access token: the check of its signature, its workspace and its grant."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import Any

from mockserver.core.contract.errors import UNAUTHORIZED, ServiceError
from mockserver.core.state import reasons
from mockserver.core.state.state import Account
from mockserver.core.workspaces.store import Store
from mockserver.core.workspaces.workspace import Workspace
from mockserver.resources.oauth.tokens.signing import BadSignature, Signer, unverified


class Bearer:
    """Finds the account that an access token opens, in the workspace that the token names."""

    def __init__(self, store: Store, signer: Signer) -> None:
        self._store = store
        self._signer = signer

    def find(
        self, token: str, within: Workspace | None, enter: Callable[[Workspace], None]
    ) -> tuple[Workspace, Account, frozenset[str]]:
        """The workspace and the account that a token opens, and its scopes.

        Raises:
            ServiceError: 401 `unauthorized` (contract/errors#statuses: proposed); 421, another replica has signed it.
        """
        from mockserver.resources.oauth.tokens import claims  # noqa: PLC0415  # with it come the rows of OAuth

        try:
            said = self._signer.read(token)
        except BadSignature as error:
            if within is None and (other := self._other_replica(token)):
                raise self._store.replica.misdirected("the access token", other) from error
            raise _refused(f"not signed by this server ({reasons.shown(error)})") from error
        if claims.WORKSPACE not in said:
            raise _refused("it is an ID token")
        name = str(said[claims.WORKSPACE])
        workspace = self._store.get(name)
        if workspace is None:
            raise _refused(f"workspace {reasons.shown(name)} no longer exists")
        if within is not None and within is not workspace:
            raise _refused(f"it belongs to workspace {name}, but the request is for workspace {within.name}")
        enter(workspace)
        with workspace.lock:
            found = claims.live_token(workspace, said)
        if found is None:
            raise _refused(_why_over(said, workspace))
        return workspace, found.account, frozenset(found.token.scopes)

    def _other_replica(self, token: str) -> str | None:
        """The other replica that a token names, which would have signed it, or None if it names none."""
        from mockserver.resources.oauth.tokens import claims  # noqa: PLC0415  # with it come the rows of OAuth

        replica = self._store.replica
        return replica.other_of_token(unverified(token).get(claims.REPLICA)) if replica.name else None


def _why_over(said: Mapping[str, Any], workspace: Workspace) -> str:
    """Why an access token does not work in its workspace, as a text for the journal."""
    ended = datetime.fromtimestamp(said["exp"], UTC)
    if ended <= workspace.state.clock.now():
        return f"it expired at {reasons.instant(ended)}; {reasons.clock(workspace.state.clock)}"
    return f"the token or its grant was revoked, its account deleted, or workspace {workspace.name} reset"


def _refused(why: str) -> ServiceError:
    return UNAUTHORIZED("Invalid access token").because(f"invalid access token: {why}")
