"""Grants, found by what only their apps and browsers know: a ticket, a code, a refresh token, an access token's id."""

from __future__ import annotations

from typing import NamedTuple

from mockserver.core.state.account import Account
from mockserver.core.state.tables import Table
from mockserver.core.workspaces.workspace import Workspace
from mockserver.resources.oauth.grant import ACTIVE, PENDING, AccessToken, Grant


class Secrets(Table):
    """Where the grant of a ticket, a code, a token is: in which account, under which id."""


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
    """Let a grant be found by its secrets."""
    workspace.state.record(Secrets).update(dict.fromkeys(row.secrets, (account.id, row.id)))


def forget(workspace: Workspace, *secrets: str | None) -> None:
    """Let no grant be found by these secrets any more."""
    known = workspace.state.record(Secrets)
    for secret in secrets:
        known.pop(secret or "", None)


def find(workspace: Workspace, secret: str) -> OwnedGrant | None:
    """The grant that a ticket, a code, a refresh token or the id of an access token is of."""
    home, number = workspace.state.record(Secrets).get(secret, (0, 0))
    account = workspace.state.accounts.get(home)
    row = None if account is None else account.table(Grant).get(number)
    return None if account is None or row is None else OwnedGrant(account, row)


def waiting(workspace: Workspace, ticket: str, browser: str) -> OwnedGrant | None:
    """The grant that waits for the answer to this ticket, from the browser that was asked."""
    found = find(workspace, ticket)
    if found is None or found.grant.ticket != ticket or found.grant.browser not in (None, browser):
        return None
    return found if found.grant.state == PENDING else None


def live_token(workspace: Workspace, token_id: str) -> IssuedToken | None:
    """The access token of this id, as long as it works."""
    found = find(workspace, token_id)
    token = None if found is None else found.grant.tokens.get(token_id)
    if found is None or token is None or token.expires_at <= workspace.state.clock.now() or found.grant.state != ACTIVE:
        return None
    return IssuedToken(*found, token)
