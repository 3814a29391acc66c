"""Single sign-on: tokens that open an account without a password (SPEC 4.5, ledger 2.27 and 2.28)."""

from __future__ import annotations

import string
from dataclasses import dataclass
from datetime import datetime

from mockserver.core import facts
from mockserver.core.caller import Caller
from mockserver.core.contract import Role
from mockserver.core.errors import INVALID_PARAMETER
from mockserver.core.workspace import Workspace
from mockserver.resources.corporate import model

TARGETS = (
    "automation", "email_campaign", "contacts", "landing_pages", "email_transactional", "senders", "sms_campaign",
    "sms_transactional",
)  # fmt: skip


@dataclass(slots=True, eq=False)
class SsoToken:
    """A way into an account without a password; a row of the workspace."""

    token: str
    account: int
    email: str | None
    expires_at: datetime
    target: str | None = None
    url: str | None = None


def admin_token(caller: Caller, email: str) -> str:
    """A token with which an admin user opens the organization.

    Raises:
        ServiceError: 400; nobody of the organization's admins has this address.
    """
    workspace = caller.workspace
    master = workspace.master_of(caller.account)
    family = [
        row
        for row in workspace.accounts.values()
        if row.role in (Role.MASTER, Role.ADMIN) and workspace.master_of(row) is master
    ]
    admins = [user.email for row in family for user in row.users if user.admin]
    if email.lower() not in {admin.lower() for admin in admins}:
        reason = f"{facts.shown(email)} is no admin user around account {caller.account.name}; {facts.there(admins)}"
        raise INVALID_PARAMETER("Invalid email address").because(reason)
    return _token(workspace, caller.account.id, email)


def sub_account_token(
    caller: Caller, sub_account_id: int, *, email: str | None = None, target: str | None = None, url: str | None = None
) -> str:
    """A token with which a user opens a sub-account, at `url`, else at the area that `target` names.

    Raises:
        ServiceError: 400; an unknown sub-account, or an address that is not one of its users.
    """
    row = model.require(caller, sub_account_id)
    users = [user.email for user in caller.workspace.accounts[row.id].users]
    if email is not None and email.lower() not in {user.lower() for user in users}:
        reason = f"{facts.shown(email)} is no user of sub-account {row.id}; {facts.there(users)}"
        raise INVALID_PARAMETER("Invalid email address").because(reason)
    return _token(caller.workspace, row.id, email, target, url)


def _token(
    workspace: Workspace, account: int, email: str | None, target: str | None = None, url: str | None = None
) -> str:
    expires_at = workspace.clock.now() + workspace.behaviour.sso_token.lifetime
    token = workspace.random.secret("sso_token", 34, string.hexdigits[:16])
    workspace.table(SsoToken)[token] = SsoToken(token, account, email, expires_at, target, url)
    return token
