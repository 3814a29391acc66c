"""The decision of a user about an app: the grant that waits for it, and the redirection (RFC 6749, 4.1.2)."""

from __future__ import annotations

from mockserver.core.contract.errors import ACCESS_DENIED, GONE
from mockserver.core.state import reasons
from mockserver.core.state.state import Account
from mockserver.core.workspaces.workspace import Workspace
from mockserver.resources.oauth import model
from mockserver.resources.oauth.apps import App, may_enter
from mockserver.resources.oauth.authorization.request import AuthorizationRequest, extended
from mockserver.resources.oauth.grant import Grant

#: The decisions about a grant, on the consent page and in the address (`mock_consent`).
ACCEPT, REFUSE = "accept", "refuse"


def begin(workspace: Workspace, account: Account, user: str, wanted: AuthorizationRequest) -> Grant:
    """A grant that waits for a user's consent.

    Raises:
        ServiceError: `access_denied`; the app is private, and the user is not of its organization
            (contract/oauth#rules).
    """
    app = wanted.app
    if not may_enter(workspace, app, account):
        reason = f"user {user} belongs to account {account.name}, but the private app belongs to account {app.account}"
        raise ACCESS_DENIED("Only users of the app's own organization can authorize a private app").because(reason)
    return model.ask(
        workspace,
        account,
        app,
        user=user,
        scopes=wanted.scopes,
        redirect_uri=wanted.redirection.redirect_uri,
        app_state=wanted.redirection.state,
        challenge=wanted.challenge,
        nonce=wanted.nonce,
    )


def decide(workspace: Workspace, account: Account, row: Grant, decision: str) -> str:
    """Accept or refuse a grant; the address of the app to which the user is redirected.

    Raises:
        ServiceError: 410 `gone`, the app was removed meanwhile, or its redirect_uri was.
    """
    app = workspace.state.table(App).get(row.client_id)
    if app is None or row.redirect_uri not in app.redirect_uris:
        reason = f"app {row.client_id} no longer has the redirect_uri {reasons.shown(row.redirect_uri)}"
        raise GONE("The app that asked takes nobody back there any more. Start again from the app.").because(reason)
    model.GRANT.fire(workspace, account, row, "consent" if decision == ACCEPT else "refuse")
    if row.code is not None:
        members = {"code": row.code}
    else:
        members = {"error": ACCESS_DENIED.code, "error_description": ACCESS_DENIED.message}
    return extended(row.redirect_uri, members if row.app_state is None else {**members, "state": row.app_state})
