"""Single sign-on: tokens that open an account without a password (contract/sso)."""

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
    """A token that opens an account without a password; a row of that account."""

    token: str
    #: Whether the token opens the organization, as an admin's does, or a sub-account.
    corporate: bool
    email: str | None
    expires_at: datetime
    target: str | None = None
    url: str | None = None
    #: When the token was first used; None: never.
    used_at: datetime | None = None


def admin_token(caller: Caller, email: str) -> str:
    """Make a token with which an admin user opens the organization; returns it.

    Raises:
        ServiceError: 400; no admin user of the organization has this address.
    """
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
    """Make a token with which a user opens a sub-account, at `url`, else at the area that `target` names; returns it.

    Raises:
        ServiceError: 400; the sub-account is unknown, or no user of it has this address.
    """
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
    """A token with the account that it opens, or None if the workspace has no such token."""
    for account in workspace.state.accounts.values():
        if token in account.table(SsoToken):
            return account, account.table(SsoToken)[token]
    return None


class Landing(NamedTuple):
    """What a sign-in with a token comes to: the token, the account that it opened, and the user's e-mail address."""

    token: SsoToken
    account: Account
    user: str

    @property
    def place(self) -> str:
        """The address or the area that the user sees first."""
        return self.token.url or self.token.target or "home"


def land(caller: AnonymousCaller, token: str, *, corporate: bool) -> Landing:
    """Sign in with a token, which adds an entry to the account's activity log.

    Raises:
        ServiceError: 404 `document_not_found` if the token is unknown, its account is deleted, or it is for the other
            address; 410 `gone` if it has expired, or was used and works once only.
    """
    workspace = caller.workspace
    found = find(workspace, token)
    if found is None or found[1].corporate is not corporate:
        why = f"unknown token: workspace {workspace.name} never issued it, or its account was deleted"
        if found is not None:
            why = f"wrong address: the token signs in to {'a sub-account' if corporate else 'an organization'}"
        raise DOCUMENT_NOT_FOUND("There is no such single-sign-on token").because(why)
    account, row = found
    _check_use(workspace, row)
    row.used_at = row.used_at or workspace.state.clock.now()
    user = row.email or account.email
    activities.log(workspace, account, activities.LOGIN, caller.visit, user)
    return Landing(row, account, user)


def _check_use(workspace: Workspace, row: SsoToken) -> None:
    """Check that a token can be used now.

    Raises:
        ServiceError: 410; it has expired, or was used and works once only.
    """
    if row.expires_at <= workspace.state.clock.now():
        reason = f"the token expired at {reasons.instant(row.expires_at)}; {reasons.clock(workspace.state.clock)}"
        raise GONE("This single-sign-on token has expired").because(reason)
    if row.used_at is not None and workspace.state.behaviour.sso_token.single_use:
        reason = f"the token was used at {reasons.instant(row.used_at)} (behaviour.sso_token.single_use is true)"
        raise GONE("This single-sign-on token was used already").because(reason)
