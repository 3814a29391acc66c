"""The operations of master accounts, contract/corporate."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mockserver.core.contract import errors
from mockserver.core.contract.operation import MASTER_ONLY, Mark, chosen_error, documented_error, proposed_error
from mockserver.core.lazy import lazy
from mockserver.core.workspaces.caller import Caller
from mockserver.web.endpoints.operations import Operations
from mockserver.web.schemas.evidence import OPENAPI

if TYPE_CHECKING:
    from mockserver.resources.corporate import model, plans, schemas
else:
    model, plans, schemas = lazy(__package__, "model", "plans", "schemas")

CORPORATE = Operations("corporate", "specification 4.5", roles=MASTER_ONLY)

_NOT_MASTER = proposed_error(errors.PERMISSION_DENIED, "the caller is not a master account", "contract/corporate#roles")
_NOT_MASTER_DOCUMENTED = documented_error(
    errors.PERMISSION_DENIED, "the caller is not a master account", "specification 4.5"
)
_BAD_PLAN = proposed_error(
    errors.INVALID_PARAMETER,
    "a value that the solution does not know, an unknown id",
    "contract/corporate#updateSubAccountPlan",
)
_PLAN_RANGE = proposed_error(
    errors.OUT_OF_RANGE, "an amount below the lowest, or below what is used", "contract/corporate#updateSubAccountPlan"
)
_SHORT = proposed_error(
    errors.NOT_ENOUGH_CREDITS, "the master's pool holds too little", "contract/corporate#updateSubAccountPlan"
)
_INSUFFICIENT = chosen_error(errors.INSUFFICIENT_CREDITS, "sentences", Mark.PROPOSED)


@CORPORATE.operation(
    "listSubAccounts", "GET", "/v3/corporate/subAccount",
    summary="List sub-accounts",
    query=schemas.SubAccountPage,
    answer=schemas.SubAccounts,
    errors=(
        proposed_error(errors.MISSING_PARAMETER, "offset or limit is absent"),
        proposed_error(errors.INVALID_PARAMETER, "offset or limit is not an integer"),
        proposed_error(errors.OUT_OF_RANGE, "limit below 1, offset below 0", "contract/values"),
        _NOT_MASTER,
    ),
)  # fmt: skip
def list_sub_accounts(caller: Caller, query: dict[str, int]) -> dict[str, Any]:
    return model.page(caller, query["offset"], query["limit"])


@CORPORATE.operation(
    "createSubAccount", "POST", "/v3/corporate/subAccount",
    summary="Create a sub-account",
    adds=True,
    status=201,
    body=schemas.NewSubAccount,
    answer=schemas.SubAccountCreated,
    errors=(
        documented_error(errors.MISSING_PARAMETER, "companyName or email is absent", OPENAPI),
        proposed_error(errors.INVALID_PARAMETER, "bad e-mail, unknown language, time zone or group"),
        _NOT_MASTER,
    ),
)  # fmt: skip
def create_sub_account(caller: Caller, body: dict[str, Any]) -> dict[str, int]:
    return {"id": model.create(caller, body)}


@CORPORATE.operation(
    "getSubAccount", "GET", "/v3/corporate/subAccount/{id}",
    summary="Read a sub-account",
    source="specification 4.5 and 2.8, contract/corporate#getSubAccount",
    params=schemas.SubAccountPath,
    answer=schemas.SubAccountDetail,
    errors=(
        documented_error(errors.INVALID_PARAMETER, "bad or unknown id; there is no 404 here", OPENAPI),
        _NOT_MASTER,
    ),
)  # fmt: skip
def get_sub_account(caller: Caller, sub_account_id: int) -> dict[str, Any]:
    return model.detail(caller, model.require(caller, sub_account_id))


@CORPORATE.operation(
    "deleteSubAccount", "DELETE", "/v3/corporate/subAccount/{id}",
    summary="Delete a sub-account",
    sweeps=True,
    status=204,
    params=schemas.DeletedSubAccountPath,
    errors=(
        documented_error(errors.MISSING_PARAMETER, "id is no number", OPENAPI),
        documented_error(errors.DOCUMENT_NOT_FOUND, "unknown id", OPENAPI),
        _NOT_MASTER,
    ),
)  # fmt: skip
def delete_sub_account(caller: Caller, sub_account_id: int) -> None:
    model.delete(caller, sub_account_id)


@CORPORATE.operation(
    "updateSubAccountPlan", "PUT", "/v3/corporate/subAccount/{id}/plan",
    summary="Update one sub-account's plan",
    status=204,
    params=schemas.SubAccountPath,
    body=schemas.PlanChange,
    body_required=True,
    errors=(_BAD_PLAN, _PLAN_RANGE, _SHORT, _INSUFFICIENT, _NOT_MASTER_DOCUMENTED),
    notes=("The update says credits.email where the read model says credits.emails.",),
)  # fmt: skip
def update_sub_account_plan(caller: Caller, sub_account_id: int, body: dict[str, Any]) -> None:
    plans.change_plan(caller, sub_account_id, body["change"])


@CORPORATE.operation(
    "updateSubAccountsPlan", "PUT", "/v3/corporate/subAccounts/plan",
    summary="Update several sub-accounts' plans",
    adds=True,
    sweeps=True,
    status=202,
    body=schemas.PlansChange,
    body_required=True,
    errors=(
        _BAD_PLAN, _PLAN_RANGE, _SHORT, _INSUFFICIENT,
        proposed_error(errors.MISSING_PARAMETER, "subAccountIds is absent or empty"),
        _NOT_MASTER_DOCUMENTED,
    ),
    notes=("202 has no body; the change is applied after behaviour.bulk_plan, to all or to none.",),
)  # fmt: skip
def update_sub_accounts_plan(caller: Caller, body: dict[str, Any]) -> None:
    plans.change_plans(caller, body["subAccountIds"], body["change"])


@CORPORATE.operation(
    "getMasterAccount", "GET", "/v3/corporate/masterAccount",
    summary="Read the master account",
    answer=schemas.MasterOut,
    errors=(_NOT_MASTER,),
)  # fmt: skip
def get_master_account(caller: Caller) -> dict[str, Any]:
    return model.master_details(caller)


@CORPORATE.operation(
    "createSubAccountKey", "POST", "/v3/corporate/subAccount/key",
    summary="Create an API key for a sub-account",
    adds=True,
    status=201,
    body=schemas.NewKey,
    answer=schemas.KeyCreated,
    errors=(
        documented_error(errors.INVALID_PARAMETER, "id is not a positive number, or unknown", OPENAPI),
        proposed_error(errors.MISSING_PARAMETER, "id or name is absent"),
        _NOT_MASTER,
    ),
)  # fmt: skip
def create_sub_account_key(caller: Caller, body: dict[str, Any]) -> dict[str, str]:
    return {"status": "success", "key": model.create_key(caller, body["id"])}
