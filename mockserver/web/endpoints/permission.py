"""What a caller may call: by the account's role, and by the token's scopes."""

from __future__ import annotations

from mockserver.core.contract.errors import ACCOUNT_UNDER_VALIDATION, PERMISSION_DENIED
from mockserver.core.contract.operation import Operation, Role
from mockserver.core.state import reasons
from mockserver.core.workspaces.caller import Caller

#: What an account that is under validation cannot do: send, and make campaigns (proposed, contract/account#validation).
_SENDING = frozenset({
    "sendTransacEmail", "sendTestTemplate", "createEmailCampaign", "sendEmailCampaignNow", "sendTestEmail",
    "sendTransacSms", "sendAsyncTransactionalSms", "createSmsCampaign", "sendSmsCampaignNow", "sendTestSms",
    "sendWhatsappMessage", "createWhatsAppCampaign",
})  # fmt: skip


def check_validated(caller: Caller, operation: str | None) -> None:
    """Refuse to send anything for an account that is under validation.

    Raises:
        ServiceError: 403 `account_under_validation`; the operation sends, or makes a campaign.
    """
    if caller.account.under_validation and operation in _SENDING:
        reason = f"account {caller.account.name} is under validation (`under_validation` in the scenario)"
        raise ACCOUNT_UNDER_VALIDATION().because(f"{reason}, so {operation} is refused")


def check_role(caller: Caller, operation: Operation, roles: frozenset[Role]) -> None:
    """Refuse an account whose role is none of those that may call the operation.

    Raises:
        ServiceError: 403 `permission_denied`; the operation is for other roles.
    """
    if caller.account.role not in roles:
        account, needed = caller.account, " or ".join(sorted(roles))
        reason = f"{operation.id} requires the role {needed}; account {account.name} has the role {account.role}"
        raise PERMISSION_DENIED().because(reason)


def check_scope(caller: Caller, operation: Operation, scopes: frozenset[str]) -> None:
    """Refuse a token with scopes that do not have that of the operation.

    Raises:
        ServiceError: 403 `permission_denied` (contract/oauth: proposed); the token lacks the scope.
    """
    if not caller.may(operation.needs):
        has = reasons.listed(sorted(scopes))
        raise PERMISSION_DENIED().because(f"{operation.id} requires the scope {operation.needs}; the token has {has}")
