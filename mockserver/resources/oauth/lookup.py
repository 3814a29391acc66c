"""Finding grants by their secrets: a ticket, a code, a refresh token, the id of an access token."""

from __future__ import annotations

from typing import NamedTuple

from mockserver.core.state.state import Account
from mockserver.core.state.tables import Table
from mockserver.core.workspaces.workspace import Workspace
from mockserver.resources.oauth.grant import ACTIVE, PENDING, AccessToken, Grant


class Secrets(Table[str, tuple[int, int]]):
    """The id of an account and of a grant in it, by each secret of the grant."""


class OwnedGrant(NamedTuple):
    """A grant, and the account that it opens."""

    account: Account
    grant: Grant


class IssuedToken(NamedTuple):
    """An access token, the grant that it is of, and the account that it opens."""

    account: Account
    grant: Grant
    token: AccessToken


def learn(workspace: Workspace, account: Account, row: Grant) -> None:
    """Let a grant of an account be found by all its present secrets."""
    workspace.state.record(Secrets).update(dict.fromkeys(row.secrets, (account.id, row.id)))


def forget(workspace: Workspace, *secrets: str | None) -> None:
    """Let no grant be found by these secrets any more."""
    known = workspace.state.record(Secrets)
    for secret in secrets:
        known.pop(secret or "", None)


def find(workspace: Workspace, secret: str) -> OwnedGrant | None:
    """The grant that has this secret, or None: a ticket, a code, a refresh token or the id of an access token."""
    account_id, number = workspace.state.record(Secrets).get(secret, (0, 0))
    account = workspace.state.accounts.get(account_id)
    row = None if account is None else account.table(Grant).get(number)
    return None if account is None or row is None else OwnedGrant(account, row)


def waiting(workspace: Workspace, ticket: str, browser: str) -> OwnedGrant | None:
    """The grant that waits for consent with this ticket from this browser, or None."""
    found = find(workspace, ticket)
    if found is None or found.grant.ticket != ticket or found.grant.browser not in (None, browser):
        return None
    return found if found.grant.state == PENDING else None


def live_token(workspace: Workspace, token_id: str) -> IssuedToken | None:
    """The access token of this id, or None if it is unknown or expired, or its grant is not active."""
    found = find(workspace, token_id)
    token = None if found is None else found.grant.tokens.get(token_id)
    if found is None or token is None or token.expires_at <= workspace.state.clock.now() or found.grant.state != ACTIVE:
        return None
    return IssuedToken(*found, token)
