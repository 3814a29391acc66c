"""The life of a grant, from the question to its end (contract/oauth)."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

from mockserver.core.state.state import Account
from mockserver.core.time.state_machine import ABSENT, StateMachine
from mockserver.core.workspaces.lifecycle import Lifecycle
from mockserver.core.workspaces.workspace import Workspace
from mockserver.resources.oauth.apps import App
from mockserver.resources.oauth.grant import ACTIVE, CODE_ISSUED, EXPIRED, PENDING, REVOKED, Grant
from mockserver.resources.oauth.lookup import forget, learn

MACHINE = StateMachine(
    "oauth_grant",
    ("authorize", ABSENT, PENDING),
    # A grant of an app to itself needs no consent.
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
#: How long a code is valid (contract/oauth#rules), and how long a grant waits for consent (proposed).
CODE_LIFETIME = timedelta(minutes=10)
#: How long tokens are valid (contract/oauth#rules).
ACCESS_LIFETIME, REFRESH_LIFETIME = timedelta(hours=1), timedelta(days=30)
#: How many ended grants a workspace keeps, the last ones, to say why their codes do not work; chosen far above what a
#: test ends.
KEPT_ENDED = 1_000
#: How many replaced refresh tokens a grant keeps, the last ones, as the use of one ends the grant; chosen far above how
#: often a test refreshes.
KEPT_SPENT = 100


class Ended(dict[tuple[int, int], None]):
    """The ids of the accounts and of the grants in them that have ended, in the order of their ends."""


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


# ---------------------------------------------------------------------- new grants


def ask(workspace: Workspace, account: Account, app: App, *, user: str, **wanted: Any) -> Grant:
    """A grant that waits for its user's consent."""
    return begin(workspace, account, app, user=user, ticket=workspace.state.random.secret("oauth_ticket", 43), **wanted)


def begin(workspace: Workspace, account: Account, app: App, **members: Any) -> Grant:
    """A new grant with these members; it waits for consent, or is active if an app has it for itself."""
    now = workspace.state.clock.now()
    row = Grant(workspace.state.next_id("oauth_grant"), app.client_id, created_at=now, expires_at=now, **members)
    lifetime = CODE_LIFETIME if row.state == PENDING else ACCESS_LIFETIME
    keep_until(workspace, account, row, workspace.state.clock.after(lifetime))
    GRANT.begin(workspace, account, row)
    learn(workspace, account, row)
    return row


def keep_until(workspace: Workspace, account: Account, row: Grant, moment: datetime) -> None:
    """Let a grant's present state end by itself at a moment."""
    row.expires_at = moment
    workspace.set_timer(moment, account, MACHINE.name, row.id, "expire")


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
    # The code can still be found: a second use of it ends the grant.
    _renew(workspace, account, row)


@GRANT.on("refresh")
def _rotate(workspace: Workspace, account: Account, row: Grant) -> None:
    if row.refresh_token is not None and workspace.state.behaviour.oauth_rotate_refresh:
        forget(workspace, *row.spent[: 1 - KEPT_SPENT])
        row.spent = [*row.spent[1 - KEPT_SPENT :], row.refresh_token]
        _renew(workspace, account, row)


def _renew(workspace: Workspace, account: Account, row: Grant) -> None:
    """Give the grant a new refresh token, which is valid for the whole lifetime again."""
    row.refresh_token = workspace.state.random.secret("oauth_refresh_token", 64)
    row.refresh_expires_at = workspace.state.clock.after(REFRESH_LIFETIME)
    keep_until(workspace, account, row, row.refresh_expires_at)
    learn(workspace, account, row)


@GRANT.on("refuse", "expire", "revoke")
def _end(workspace: Workspace, account: Account, row: Grant) -> None:
    """End all secrets of a grant; its code can still be found, so that a refusal can say why it does not work."""
    workspace.state.timers.cancel(MACHINE.name, row.id)
    forget(workspace, *(secret for secret in row.secrets if secret != row.code))
    row.ticket = row.browser = row.refresh_token = row.refresh_expires_at = None
    row.spent.clear()
    row.tokens.clear()
    keep_ended(workspace, account, row)


def keep_ended(workspace: Workspace, account: Account, row: Grant) -> None:
    """Keep an ended grant, and remove the oldest ended ones of which the workspace has too many."""
    ended = workspace.state.record(Ended)
    ended[account.id, row.id] = None
    while len(ended) > KEPT_ENDED:
        account_id, number = next(iter(ended))
        del ended[account_id, number]
        owner = workspace.state.accounts.get(account_id)
        gone = None if owner is None else owner.table(Grant).pop(number, None)
        if gone is not None:
            forget(workspace, gone.code)
