"""Single sign-on: tokens for signing in to an account without a password (contract/sso)."""

from __future__ import annotations

import string
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple

from mockserver.core.contract.errors import DOCUMENT_NOT_FOUND, GONE, INVALID_PARAMETER
from mockserver.core.contract.operation import Role
from mockserver.core.state import reasons
from mockserver.core.state.state import Account
from mockserver.core.text.addresses import comparable
from mockserver.core.workspaces.caller import AnonymousCaller, Caller
from mockserver.core.workspaces.workspace import Workspace
from mockserver.resources.activities import model as activities
from mockserver.resources.corporate import model as corporate

TARGETS = (
    "automation", "email_campaign", "contacts", "landing_pages", "email_transactional", "senders", "sms_campaign",
    "sms_transactional",
)  # fmt: skip


@dataclass(slots=True, eq=False)
class SsoToken:
    """A token for signing in to an account without a password; a row of the account."""

    token: str
    #: Whether the token signs in to the organization, as an admin, or to a sub-account.
    corporate: bool
    email: str | None
    expires_at: datetime
    target: str | None = None
    url: str | None = None
    #: Moment of the first use, or None.
    used_at: datetime | None = None


def admin_token(caller: Caller, email: str) -> str:
    """Create a token for an admin user of the organization; return the token."""
    workspace = caller.workspace
    master = workspace.state.master_of(caller.account)
    organization = [
        row
        for row in workspace.state.accounts.values()
        if row.role in (Role.MASTER, Role.ADMIN) and workspace.state.master_of(row) is master
    ]
    admins = [user.email for row in organization for user in row.users if user.admin]
    if comparable(email) not in map(comparable, admins):
        whose = f"the organization of account {caller.account.name}"
        reason = f"{whose} has no admin user {reasons.shown(email)} (it has {reasons.listed(admins)})"
        raise INVALID_PARAMETER("Invalid email address").because(reason)
    return _token(workspace, caller.account, corporate=True, email=email)


def sub_account_token(
    caller: Caller, sub_account_id: int, *, email: str | None = None, target: str | None = None, url: str | None = None
) -> str:
    """Create a token for a user of a sub-account, leading to `url` or the area `target`; return the token."""
    row = corporate.require(caller, sub_account_id)
    account = caller.workspace.state.accounts[row.id]
    users = [user.email for user in account.users]
    if email is not None and comparable(email) not in map(comparable, users):
        reason = f"sub-account {row.id} has no user {reasons.shown(email)} (it has {reasons.listed(users)})"
        raise INVALID_PARAMETER("Invalid email address").because(reason)
    return _token(caller.workspace, account, corporate=False, email=email, target=target, url=url)


def _token(workspace: Workspace, account: Account, **members: Any) -> str:
    expires_at = workspace.state.clock.after(workspace.state.behaviour.sso_token.lifetime)
    token = workspace.state.random.secret("sso_token", 34, string.hexdigits[:16])
    account.table(SsoToken)[token] = SsoToken(token, expires_at=expires_at, **members)
    return token


def find(workspace: Workspace, token: str) -> tuple[Account, SsoToken] | None:
    for account in workspace.state.accounts.values():
        if token in account.table(SsoToken):
            return account, account.table(SsoToken)[token]
    return None


class Landing(NamedTuple):
    """A sign-in with a token: token, account, and the user's e-mail address."""

    token: SsoToken
    account: Account
    user: str

    @property
    def place(self) -> str:
        return self.token.url or self.token.target or "home"


def land(caller: AnonymousCaller, token: str, method: str, *, corporate: bool) -> Landing:
    """Sign in with a token; log an activity. HEAD, which link checkers send, only tells whether it would work."""
    workspace = caller.workspace
    found = find(workspace, token)
    if found is None or found[1].corporate is not corporate:
        why = f"unknown token: workspace {workspace.name} never issued it, or its account was deleted"
        if found is not None:
            why = f"wrong address: the token signs in to {'a sub-account' if corporate else 'an organization'}"
        raise DOCUMENT_NOT_FOUND("There is no such single-sign-on token").because(why)
    account, row = found
    _check_use(workspace, row)
    user = row.email or account.email
    if method == "HEAD":
        return Landing(row, account, user)
    row.used_at = row.used_at or workspace.state.clock.now()
    activities.log(workspace, account, activities.LOGIN, caller.visit, user)
    return Landing(row, account, user)


def _check_use(workspace: Workspace, row: SsoToken) -> None:
    if row.expires_at <= workspace.state.clock.now():
        reason = f"the token expired at {reasons.instant(row.expires_at)}; {reasons.clock(workspace.state.clock)}"
        raise GONE("This single-sign-on token has expired").because(reason)
    if row.used_at is not None and workspace.state.behaviour.sso_token.single_use:
        reason = f"the token was used at {reasons.instant(row.used_at)} (behaviour.sso_token.single_use is true)"
        raise GONE("This single-sign-on token was used already").because(reason)
