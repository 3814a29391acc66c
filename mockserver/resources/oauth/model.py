"""OAuth grants: their secrets and tokens, and their life from authorization request to expiry (contract/oauth)."""

from __future__ import annotations

import hmac
from base64 import urlsafe_b64encode
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from hashlib import sha256
from typing import Any, NamedTuple

from mockserver.core.state.state import Account
from mockserver.core.state.tables import Table
from mockserver.core.time.state_machine import ABSENT, StateMachine
from mockserver.core.traffic.causes import Changed
from mockserver.core.workspaces.lifecycle import Lifecycle
from mockserver.core.workspaces.workspace import Workspace
from mockserver.resources.oauth.apps import App

PENDING, CODE_ISSUED, ACTIVE, EXPIRED, REVOKED = "pending_consent", "code_issued", "active", "expired", "revoked"
MACHINE = StateMachine(
    "oauth_grant",
    ("authorize", ABSENT, PENDING),
    # Client credentials need no consent.
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
#: Lifetime of a code (contract/oauth#rules), and of a grant without consent (proposed).
CODE_LIFETIME = timedelta(minutes=10)
#: Lifetimes of tokens (contract/oauth#rules).
ACCESS_LIFETIME, REFRESH_LIFETIME = timedelta(hours=1), timedelta(days=30)
#: Maximum length of `state` and `nonce` in characters (proposed): a grant stores both.
LONGEST_STATE = 8_192
#: Number of ended grants that a workspace keeps to explain refused codes; chosen far above the needs of a test.
KEPT_ENDED = 1_000
#: Number of replaced refresh tokens that a grant keeps to detect reuse; chosen far above the needs of a test.
KEPT_SPENT = 100


class AccessToken(NamedTuple):
    """An access token: id, scopes and validity period."""

    id: str
    scopes: tuple[str, ...]
    issued_at: datetime
    expires_at: datetime


class Challenge(NamedTuple):
    """A PKCE code challenge, which a code verifier must match (RFC 7636)."""

    value: str
    method: str = "plain"

    def is_met_by(self, verifier: str) -> bool:
        made = verifier.encode()
        if self.method == "S256":
            made = urlsafe_b64encode(sha256(made).digest()).rstrip(b"=")
        return hmac.compare_digest(made, self.value.encode())


@dataclass(slots=True, eq=False)
class Grant:
    """A permission that a user, or the app's account, gives to an app; a row of the authorized account."""

    id: int
    client_id: str
    scopes: tuple[str, ...]
    created_at: datetime
    #: End of the present state.
    expires_at: datetime
    state: str = PENDING
    #: E-mail address of the signed-in user; None for client credentials.
    user: str | None = None
    redirect_uri: str | None = None
    #: The `state` of the app's request, returned with the code.
    app_state: str | None = None
    nonce: str | None = None
    challenge: Challenge | None = None
    #: Secret of the consent page, sent with the user's decision.
    ticket: str | None = None
    #: CSRF token of the browser (`web.csrf`); None: accept any browser.
    browser: str | None = None
    code: str | None = None
    refresh_token: str | None = None
    refresh_expires_at: datetime | None = None
    #: Replaced refresh tokens; of an ended grant, its last one, which a refusal explains.
    spent: list[str] = field(default_factory=list)
    tokens: dict[str, AccessToken] = field(default_factory=dict)

    @property
    def secrets(self) -> list[str]:
        named = (self.ticket, self.code, self.refresh_token)
        return [*filter(None, named), *(self.spent if self.state == ACTIVE else ()), *self.tokens]


class Secrets(Table[str, tuple[int, int]]):
    """Account id and grant id by secret."""


class OwnedGrant(NamedTuple):
    """A grant with its account."""

    account: Account
    grant: Grant


class IssuedToken(NamedTuple):
    """An access token with its grant and account."""

    account: Account
    grant: Grant
    token: AccessToken


def index_secrets(workspace: Workspace, account: Account, row: Grant) -> None:
    workspace.state.record(Secrets).update(dict.fromkeys(row.secrets, (account.id, row.id)))


def forget_secrets(workspace: Workspace, *secrets: str | None) -> None:
    known = workspace.state.record(Secrets)
    for secret in secrets:
        known.pop(secret or "", None)


def find(workspace: Workspace, secret: str) -> OwnedGrant | None:
    """Return the grant with a ticket, code, refresh token or access token id, or None."""
    account_id, number = workspace.state.record(Secrets).get(secret, (0, 0))
    account = workspace.state.accounts.get(account_id)
    row = None if account is None else account.table(Grant).get(number)
    return None if account is None or row is None else OwnedGrant(account, row)


def find_pending(workspace: Workspace, ticket: str, browser: str) -> OwnedGrant | None:
    """Return the grant that waits for consent with a ticket from a browser, or None."""
    found = find(workspace, ticket)
    if found is None or found.grant.ticket != ticket or found.grant.browser not in (None, browser):
        return None
    return found if found.grant.state == PENDING else None


def find_token(workspace: Workspace, token_id: str) -> IssuedToken | None:
    found = find(workspace, token_id)
    token = None if found is None else found.grant.tokens.get(token_id)
    if found is None or token is None or token.expires_at <= workspace.state.clock.now() or found.grant.state != ACTIVE:
        return None
    return IssuedToken(*found, token)


def token_claims(row: Grant, token: AccessToken) -> dict[str, Any]:
    """Return the claims of an access token that do not depend on the workspace's address."""
    return {
        "sub": row.user or row.client_id,
        "client_id": row.client_id,
        "iat": int(token.issued_at.timestamp()),
        "exp": int(token.expires_at.timestamp()),
        "jti": token.id,
        "scope": " ".join(token.scopes),
    }


def token_of_claims(workspace: Workspace, claims: Mapping[str, Any]) -> IssuedToken | None:
    """Return the access token with these claims, or None if unknown, expired or revoked.

    Compares all claims, not only the id: after a reset, a workspace draws the same ids for other grants.
    """
    found = find_token(workspace, str(claims.get("jti")))
    return found if found and token_claims(found.grant, found.token).items() <= dict(claims).items() else None


class Ended(dict[tuple[int, int], None]):
    """Account ids and grant ids of ended grants, oldest first."""


def _reveal(row: Grant) -> dict[str, Any]:
    return {
        "client_id": row.client_id,
        "user": row.user,
        "scopes": list(row.scopes),
        "code": row.code,
        "refresh_token": row.refresh_token,
        "expires_at": row.expires_at,
    }


GRANT = Lifecycle(MACHINE, Grant, key="id", parse=int, reveal=_reveal)


def begin(workspace: Workspace, account: Account, app: App, **members: Any) -> Grant:
    """Create a grant with these members: pending consent, or active for client credentials."""
    now = workspace.state.clock.now()
    row = Grant(workspace.state.next_id("oauth_grant"), app.client_id, created_at=now, expires_at=now, **members)
    lifetime = CODE_LIFETIME if row.state == PENDING else ACCESS_LIFETIME
    set_expiry(workspace, account, row, workspace.state.clock.after(lifetime))
    GRANT.begin(workspace, account, row)
    index_secrets(workspace, account, row)
    return row


def set_expiry(workspace: Workspace, account: Account, row: Grant, moment: datetime) -> None:
    """Set the moment at which the present state of a grant expires."""
    row.expires_at = moment
    workspace.set_timer(moment, account, MACHINE.name, row.id, "expire")


@GRANT.on("consent")
def _issue_code(workspace: Workspace, account: Account, row: Grant) -> None:
    forget_secrets(workspace, row.ticket)
    row.ticket = row.browser = None
    row.code = workspace.state.random.secret("oauth_code", 43)
    set_expiry(workspace, account, row, workspace.state.clock.after(CODE_LIFETIME))
    index_secrets(workspace, account, row)


@GRANT.on("exchange")
def _issue_refresh_token(workspace: Workspace, account: Account, row: Grant) -> None:
    # The code stays in the index: a second use of it revokes the grant.
    row.refresh_token = workspace.state.random.secret("oauth_refresh_token", 64)
    row.refresh_expires_at = workspace.state.clock.after(REFRESH_LIFETIME)
    set_expiry(workspace, account, row, row.refresh_expires_at)
    index_secrets(workspace, account, row)


@GRANT.on("refresh")
def _rotate(workspace: Workspace, account: Account, row: Grant) -> None:
    if row.refresh_token is not None and workspace.state.behaviour.oauth_rotate_refresh:
        forget_secrets(workspace, *row.spent[: 1 - KEPT_SPENT])
        row.spent = [*row.spent[1 - KEPT_SPENT :], row.refresh_token]
        _issue_refresh_token(workspace, account, row)


@GRANT.on("refuse", "expire", "revoke")
def _end(workspace: Workspace, account: Account, row: Grant) -> None:
    """Remove all secrets of a grant except its code, which a refusal explains."""
    workspace.state.timers.cancel(MACHINE.name, row.id)
    forget_secrets(workspace, *(secret for secret in (*row.secrets, *row.spent) if secret != row.code))
    row.spent = [] if row.refresh_token is None else [row.refresh_token]
    row.ticket = row.browser = row.refresh_token = row.refresh_expires_at = None
    row.tokens.clear()
    keep_ended(workspace, account, row)


def keep_ended(workspace: Workspace, account: Account, row: Grant) -> None:
    """Keep an ended grant, and evict the oldest ended grants beyond `KEPT_ENDED`."""
    ended = workspace.state.record(Ended)
    ended[account.id, row.id] = None
    while len(ended) > KEPT_ENDED:
        account_id, number = next(iter(ended))
        del ended[account_id, number]
        owner = workspace.state.accounts.get(account_id)
        gone = None if owner is None else owner.table(Grant).pop(number, None)
        if gone is not None:
            forget_secrets(workspace, gone.code)


def remove_apps(workspace: Workspace, *apps: App) -> None:
    """Remove apps after revoking all their grants, app by app."""
    given: dict[str, list[tuple[Account, Grant]]] = {app.client_id: [] for app in apps}
    for account, row in GRANT.instances(workspace) if apps else ():
        if row.client_id in given:
            given[row.client_id].append((account, row))
    for name, grants in given.items():
        for account, row in grants:
            if GRANT.applies(row, "revoke"):
                GRANT.fire(workspace, account, row, "revoke")
        del workspace.state.table(App)[name]


def remove_apps_of_sub_account(workspace: Workspace, change: Changed) -> None:
    """Remove the apps of a deleted sub-account, and the secrets of its grants; a listener (contract/corporate)."""
    account = workspace.state.accounts[int(change.key)]
    remove_apps(workspace, *(row for row in workspace.state.table(App).values() if row.account == account.name))
    forget_secrets(workspace, *(secret for row in account.rows_of(Grant).values() for secret in row.secrets))
