"""The sub-accounts of a master: creation, look-up, API keys and deletion (contract/corporate)."""

from __future__ import annotations

from typing import Any

from mockserver.core.contract.errors import DOCUMENT_NOT_FOUND, INVALID_PARAMETER
from mockserver.core.contract.operation import Role
from mockserver.core.state import reasons
from mockserver.core.state.state import Account, User
from mockserver.core.workspaces.caller import Caller
from mockserver.core.workspaces.workspace import Workspace
from mockserver.resources.activities import model as activities
from mockserver.resources.corporate import bulk as bulks
from mockserver.resources.corporate import pool
from mockserver.resources.corporate.lifecycle import SUB_ACCOUNT_PLAN, UNASSIGNED
from mockserver.resources.corporate.pool import Groups, SubAccount


def get(caller: Caller, sub_account_id: int) -> SubAccount | None:
    """The sub-account of the caller with this id, or None."""
    return caller.account.table(SubAccount).get(sub_account_id)


def require(caller: Caller, sub_account_id: int) -> SubAccount:
    """The sub-account of the caller with this id.

    Raises:
        ServiceError: 400, as the read, key and token operations document for an unknown one
        (contract/corporate#getSubAccount and contract/sso#createSubAccountSsoToken).
    """
    row = get(caller, sub_account_id)
    if row is None:
        raise INVALID_PARAMETER("Invalid sub-account id.").because(_unknown(caller, sub_account_id))
    return row


def _unknown(caller: Caller, sub_account_id: int) -> str:
    other = caller.workspace.state.accounts.get(sub_account_id)
    if other is not None and other.role is not Role.SUB_ACCOUNT:
        return f"account {sub_account_id} ({other.name}) is not a sub-account: its role is {other.role}"
    return reasons.absent(caller.workspace.state, caller.account, "sub-account", SubAccount, sub_account_id)


def create(caller: Caller, body: dict[str, Any]) -> int:
    """Create a sub-account without a plan; returns its id.

    Raises:
        ServiceError: 400; a group is not one of the master's.
    """
    workspace, master = caller.workspace, caller.account
    group_ids = list(dict.fromkeys(body.get("groupIds", ())))
    groups = master.record(Groups)
    for group_id in group_ids:
        if group_id not in groups:
            reason = f"account {master.name} has no group {reasons.shown(group_id)} (it has {reasons.listed(groups)})"
            raise INVALID_PARAMETER(f"groupIds: {group_id} is not a group of the account").because(reason)
    number = workspace.state.next_id("account")
    workspace.state.add_account(
        Account(
            id=number,
            name=workspace.state.free_name(f"sub-{number}"),
            email=body["email"],
            created_at=workspace.state.clock.now(),
            organization_id=workspace.state.random.digits("organization", 24),
            user_id=workspace.state.next_id("user"),
            role=Role.SUB_ACCOUNT,
            of=master.name,
            company_name=body["companyName"],
            language=body.get("language"),
            users=[User(body["email"], admin=True)],
        )
    )
    row = SubAccount(number, UNASSIGNED, timezone=body.get("timezone"), group_ids=group_ids)
    SUB_ACCOUNT_PLAN.begin(workspace, master, row)
    return number


def delete(caller: Caller, sub_account_id: int) -> None:
    """Remove a sub-account with its data and its keys; what it has not used goes back to the pool.

    Raises:
        ServiceError: 404; the caller has no such sub-account.
    """
    row = get(caller, sub_account_id)
    if row is None:
        refused = DOCUMENT_NOT_FOUND(f"Sub-account {sub_account_id} was not found")
        raise refused.because(_unknown(caller, sub_account_id))
    SUB_ACCOUNT_PLAN.fire(caller.workspace, caller.account, row, "delete")


@SUB_ACCOUNT_PLAN.on("delete")
def _remove(workspace: Workspace, master: Account, row: SubAccount) -> None:
    bulks.forget(master, row.id)
    pool.release(workspace, master, row)
    workspace.remove_account(workspace.state.accounts[row.id])


def create_key(caller: Caller, sub_account_id: int) -> str:
    """Create an API key of a sub-account; returns the key.

    Raises:
        ServiceError: 400; the caller has no such sub-account.
    """
    row = require(caller, sub_account_id)
    key = caller.workspace.state.draw_api_key()
    caller.workspace.add_key(caller.workspace.state.accounts[row.id], key)
    activities.log(caller.workspace, caller.account, activities.KEY_CREATED, caller.visit)
    return key
