"""Grants: what a user, or an app's own account, lets an app do, from the question to its end (SPEC 5.2)."""

from __future__ import annotations

import hmac
from base64 import urlsafe_b64encode
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from hashlib import sha256
from typing import Any, NamedTuple

from mockserver.core.state.account import Account
from mockserver.core.state.tables import Table
from mockserver.core.time.state_machine import ABSENT, StateMachine
from mockserver.core.workspaces.lifecycle import Lifecycle
from mockserver.core.workspaces.workspace import Workspace
from mockserver.resources.oauth.apps import App

PENDING, CODE_ISSUED, ACTIVE, EXPIRED, REVOKED = "pending_consent", "code_issued", "active", "expired", "revoked"

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
#: Ledger 5; a question waits as long (proposed).
CODE_LIFETIME = timedelta(minutes=10)
#: SPEC 8.
ACCESS_LIFETIME, REFRESH_LIFETIME = timedelta(hours=1), timedelta(days=30)
#: How many grants that are over a workspace keeps, the last ones.
KEPT_SETTLED = 1_000
#: How many rotated refresh tokens a grant remembers, the last ones: to come with one again ends it.
KEPT_SPENT = 100
#: The longest state and nonce that an app may send along, in characters (proposed): a grant keeps both.
LONGEST_STATE = 8_192


class Access(NamedTuple):
    """An access token: its id, what it is good for, and from when till when."""

    id: str
    scopes: tuple[str, ...]
    issued_at: datetime
    expires_at: datetime


class Challenge(NamedTuple):
    """What an app has to know the answer to, to get tokens for a code (RFC 7636)."""

    value: str
    method: str = "plain"

    def is_met_by(self, verifier: str) -> bool:
        """Whether the verifier is the one that the challenge was made of."""
        made = verifier.encode()
        if self.method == "S256":
            made = urlsafe_b64encode(sha256(made).digest()).rstrip(b"=")
        return hmac.compare_digest(made, self.value.encode())


@dataclass(slots=True, eq=False)
class Grant:
    """One grant; a row of the account that it opens."""

    id: int
    client_id: str
    scopes: tuple[str, ...]
    created_at: datetime
    #: When its state ends by itself.
    expires_at: datetime
    state: str = PENDING
    #: None: the app's own.
    user: str | None = None
    redirect_uri: str | None = None
    #: What the app wants back with the code.
    app_state: str | None = None
    nonce: str | None = None
    challenge: Challenge | None = None
    #: Lets the browser that was asked answer.
    ticket: str | None = None
    #: The token by which that browser is known (`web.csrf`); None: any browser can answer.
    browser: str | None = None
    code: str | None = None
    refresh_token: str | None = None
    refresh_expires_at: datetime | None = None
    #: Refresh tokens that newer ones have replaced.
    spent: list[str] = field(default_factory=list)
    tokens: dict[str, Access] = field(default_factory=dict)

    @property
    def secrets(self) -> list[str]:
        """All by which it can be found."""
        named = (self.ticket, self.code, self.refresh_token)
        return [*filter(None, named), *self.spent, *self.tokens]


class Secrets(Table):
    """Where the grant of a ticket, a code, a token is: in which account, under which id."""


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


def learn(workspace: Workspace, account: Account, row: Grant) -> None:
    """Let a grant be found by its secrets."""
    workspace.state.record(Secrets).update(dict.fromkeys(row.secrets, (account.id, row.id)))


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


def forget(workspace: Workspace, *secrets: str | None) -> None:
    """Let no grant be found by these secrets any more."""
    known = workspace.state.record(Secrets)
    for secret in secrets:
        known.pop(secret or "", None)


# ---------------------------------------------------------------------- finding


def find(workspace: Workspace, secret: str) -> tuple[Account, Grant] | None:
    """The grant that a ticket, a code, a refresh token or the id of an access token is of."""
    home, number = workspace.state.record(Secrets).get(secret, (0, 0))
    account = workspace.state.accounts.get(home)
    row = None if account is None else account.table(Grant).get(number)
    return None if account is None or row is None else (account, row)


def waiting(workspace: Workspace, ticket: str, browser: str) -> tuple[Account, Grant] | None:
    """The grant that waits for the answer to this ticket, from the browser that was asked."""
    found = find(workspace, ticket)
    if found is None or found[1].ticket != ticket or found[1].browser not in (None, browser):
        return None
    return found if found[1].state == PENDING else None


def access(workspace: Workspace, token_id: str) -> tuple[Account, Grant, Access] | None:
    """The access token of this id, as long as it works."""
    found = find(workspace, token_id)
    token = None if found is None else found[1].tokens.get(token_id)
    if found is None or token is None or token.expires_at <= workspace.state.clock.now() or found[1].state != ACTIVE:
        return None
    return (*found, token)
