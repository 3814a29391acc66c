"""The life of a grant, from the question to its end (contract/oauth)."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

from mockserver.core.state.account import Account
from mockserver.core.time.state_machine import ABSENT, StateMachine
from mockserver.core.workspaces.lifecycle import Lifecycle
from mockserver.core.workspaces.workspace import Workspace
from mockserver.resources.oauth.apps import App
from mockserver.resources.oauth.grant import ACTIVE, CODE_ISSUED, EXPIRED, PENDING, REVOKED, Grant
from mockserver.resources.oauth.lookup import forget, learn

MACHINE = StateMachine(
    "oauth_grant",
    ("authorize", ABSENT, PENDING),
    # An app for itself: nobody is asked.
    ("authorize", ABSENT, ACTIVE),
    ("consent", PENDING, CODE_ISSUED),
    ("refuse", PENDING, REVOKED),
    ("exchange", CODE_ISSUED, ACTIVE),
    ("refresh", ACTIVE, ACTIVE),
    ("expire", PENDING, EXPIRED),
    ("expire", CODE_ISSUED, EXPIRED),
    ("expire", ACTIVE, EXPIRED),
    ("revoke", PENDING, REVOKED),
    ("revoke", CODE_ISSUED, REVOKED),
    ("revoke", ACTIVE, REVOKED),
    timed=frozenset({"expire"}),
)
#: How long a code lives (contract/oauth#rules); a question waits as long (proposed).
CODE_LIFETIME = timedelta(minutes=10)
#: How long tokens live (contract/oauth#rules).
ACCESS_LIFETIME, REFRESH_LIFETIME = timedelta(hours=1), timedelta(days=30)
#: How many grants that are over a workspace keeps, the last ones.
KEPT_SETTLED = 1_000
#: How many rotated refresh tokens a grant remembers, the last ones: to come with one again ends it.
KEPT_SPENT = 100


class Settled(dict[tuple[int, int], None]):
    """The grants that are over, in the order of their ends."""


def _revealed(row: Grant) -> dict[str, Any]:
    return {
        "client_id": row.client_id,
        "user": row.user,
        "scopes": list(row.scopes),
        "code": row.code,
        "refresh_token": row.refresh_token,
        "expires_at": row.expires_at,
    }


GRANT = Lifecycle(MACHINE, Grant, key="id", parse=int, reveal=_revealed)


# ---------------------------------------------------------------------- beginnings


def ask(workspace: Workspace, account: Account, app: App, *, user: str, **wanted: Any) -> Grant:
    """A grant that waits for its user's consent."""
    return begin(workspace, account, app, user=user, ticket=workspace.state.random.secret("oauth_ticket", 43), **wanted)


def begin(workspace: Workspace, account: Account, app: App, **facts: Any) -> Grant:
    """A new grant, which waits for consent or, of an app to itself, is active."""
    now = workspace.state.clock.now()
    row = Grant(workspace.state.next_id("oauth_grant"), app.client_id, created_at=now, expires_at=now, **facts)
    lifetime = CODE_LIFETIME if row.state == PENDING else ACCESS_LIFETIME
    keep_until(workspace, account, row, workspace.state.clock.after(lifetime))
    GRANT.begin(workspace, account, row)
    learn(workspace, account, row)
    return row


def keep_until(workspace: Workspace, account: Account, row: Grant, moment: datetime) -> None:
    """Let a grant's present state end by itself at a moment."""
    row.expires_at = moment
    workspace.state.timers.set(moment, account.id, MACHINE.name, row.id, "expire")


# ---------------------------------------------------------------------- events


@GRANT.on("consent")
def _give_code(workspace: Workspace, account: Account, row: Grant) -> None:
    forget(workspace, row.ticket)
    row.ticket = row.browser = None
    row.code = workspace.state.random.secret("oauth_code", 43)
    keep_until(workspace, account, row, workspace.state.clock.after(CODE_LIFETIME))
    learn(workspace, account, row)


@GRANT.on("exchange")
def _open(workspace: Workspace, account: Account, row: Grant) -> None:
    # The code stays known: whoever comes with it again ends the grant.
    _renew(workspace, account, row)


@GRANT.on("refresh")
def _rotate(workspace: Workspace, account: Account, row: Grant) -> None:
    if row.refresh_token is not None and workspace.state.behaviour.oauth_rotate_refresh:
        forget(workspace, *row.spent[: 1 - KEPT_SPENT])
        row.spent = [*row.spent[1 - KEPT_SPENT :], row.refresh_token]
        _renew(workspace, account, row)


def _renew(workspace: Workspace, account: Account, row: Grant) -> None:
    """Give the grant a new refresh token, with a life of its own."""
    row.refresh_token = workspace.state.random.secret("oauth_refresh_token", 64)
    row.refresh_expires_at = workspace.state.clock.after(REFRESH_LIFETIME)
    keep_until(workspace, account, row, row.refresh_expires_at)
    learn(workspace, account, row)


@GRANT.on("refuse", "expire", "revoke")
def _end(workspace: Workspace, account: Account, row: Grant) -> None:
    """Let nothing of the grant work any more; a code stays known, so that it is told why it does not."""
    workspace.state.timers.cancel(MACHINE.name, row.id)
    forget(workspace, *(secret for secret in row.secrets if secret != row.code))
    row.ticket = row.browser = row.refresh_token = row.refresh_expires_at = None
    row.spent.clear()
    row.tokens.clear()
    settle(workspace, account, row)


def settle(workspace: Workspace, account: Account, row: Grant) -> None:
    """Keep the last grants that are over, and let older ones go."""
    settled = workspace.state.record(Settled)
    settled[account.id, row.id] = None
    while len(settled) > KEPT_SETTLED:
        home, number = next(iter(settled))
        del settled[home, number]
        owner = workspace.state.accounts.get(home)
        gone = None if owner is None else owner.table(Grant).pop(number, None)
        if gone is not None:
            forget(workspace, gone.code)
