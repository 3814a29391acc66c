"""The operations of single sign-on: tokens, and where they are used (contract/sso)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from werkzeug.wrappers import Request

from mockserver.core.contract import errors
from mockserver.core.contract.operation import MASTER_ONLY, MASTER_OR_ADMIN, Audience, documented_error, proposed_error
from mockserver.core.lazy import lazy
from mockserver.core.state import reasons
from mockserver.core.traffic.exchange import Reply
from mockserver.core.workspaces.caller import AnonymousCaller, Caller
from mockserver.web.endpoints.operations import Operations
from mockserver.web.pages.page import page
from mockserver.web.schemas.evidence import OPENAPI

if TYPE_CHECKING:
    from mockserver.resources.sso import model, schemas
else:
    model, schemas = lazy(__package__, "model", "schemas")

SSO = Operations("corporate", "specification 4.5", page="sso")


@SSO.operation(
    "createAdminSsoToken", "POST", "/v3/corporate/ssoToken",
    summary="SSO token for the admin account",
    adds=True,
    body=schemas.AdminSso,
    answer=schemas.SsoTokenOut,
    errors=(
        documented_error(errors.INVALID_PARAMETER, "bad e-mail, or not that of an admin user", OPENAPI),
        proposed_error(errors.MISSING_PARAMETER, "email is absent", "contract/errors#codes"),
        documented_error(errors.PERMISSION_DENIED, "the caller is neither master nor admin", "specification 4.5"),
    ),
    roles=MASTER_OR_ADMIN,
)  # fmt: skip
def create_admin_sso_token(caller: Caller, body: dict[str, str]) -> dict[str, str]:
    return {"token": model.admin_token(caller, body["email"])}


@SSO.operation(
    "createSubAccountSsoToken", "POST", "/v3/corporate/subAccount/ssoToken",
    summary="SSO token for a sub-account",
    adds=True,
    body=schemas.SubAccountSso,
    answer=schemas.SsoTokenOut,
    errors=(
        documented_error(errors.INVALID_PARAMETER, "unknown sub-account, user or target", OPENAPI),
        proposed_error(errors.MISSING_PARAMETER, "id is absent", "contract/errors#codes"),
        documented_error(errors.PERMISSION_DENIED, "the caller is not a master account", "specification 4.5"),
    ),
    roles=MASTER_ONLY,
)  # fmt: skip
def create_sub_account_sso_token(caller: Caller, body: dict[str, Any]) -> dict[str, str]:
    return {"token": model.sub_account_token(caller, body.pop("id"), **body)}


_LANDING_ERRORS = (
    proposed_error(
        errors.DOCUMENT_NOT_FOUND,
        "unknown, for the other address, or its account is gone",
        "contract/sso#ssoCorporateLogin",
    ),
    proposed_error(errors.GONE, "expired, or used where it works once only", "contract/sso#ssoCorporateLogin"),
)


@SSO.operation(
    "ssoCorporateLogin", "GET", "/account/login/corporate/sso/{token}",
    summary="Sign in to an organization with a token",
    audience=Audience.PAGE,
    params=schemas.TokenPath,
    errors=_LANDING_ERRORS,
)  # fmt: skip
def land_in_organization(caller: AnonymousCaller, request: Request, token: str) -> Reply:
    return _landed(caller, model.land(caller, token, request.method, corporate=True), "organization")


@SSO.operation(
    "ssoSubAccountLogin", "GET", "/account/login/sub-account/sso/{token}",
    summary="Sign in to a sub-account with a token",
    audience=Audience.PAGE,
    params=schemas.TokenPath,
    errors=_LANDING_ERRORS,
)  # fmt: skip
def land_in_sub_account(caller: AnonymousCaller, request: Request, token: str) -> Reply:
    return _landed(caller, model.land(caller, token, request.method, corporate=False), "sub-account")


def _landed(caller: AnonymousCaller, landing: model.Landing, kind: str) -> Reply:
    url = landing.token.url
    return page(
        "landing.html", caller,
        user=landing.user,
        kind=kind,
        account=landing.account.company_name or landing.account.name,
        number=landing.account.id,
        place=landing.place,
        # An address of another scheme could run something.
        link=url if url and urlsplit(url).scheme in ("http", "https") else None,
        until=reasons.instant(landing.token.expires_at),
        single_use=caller.workspace.state.behaviour.sso_token.single_use,
    )  # fmt: skip
