"""The request with which an app sends a user here, and the way back (RFC 6749, 4.1.1 and 4.1.2; RFC 7636, 4.3)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import NamedTuple
from urllib.parse import urlencode

from mockserver.core.contract.errors import (
    ACCESS_DENIED,
    GONE,
    INVALID_CLIENT,
    INVALID_REQUEST,
    INVALID_SCOPE,
    UNSUPPORTED_RESPONSE_TYPE,
)
from mockserver.core.state import reasons
from mockserver.core.state.account import Account
from mockserver.core.workspaces.workspace import Workspace
from mockserver.resources.oauth import model, scopes
from mockserver.resources.oauth.apps import App, may_enter
from mockserver.resources.oauth.model import Challenge, Grant

#: RFC 7636, 4.1 and 4.2.
_CHALLENGE = re.compile(r"[A-Za-z0-9._~-]{43,128}")
_METHODS = ("plain", "S256")
#: The answers to the question for consent, on the page and in the address.
ACCEPT, REFUSE = "accept", "refuse"


class Ends(NamedTuple):
    """Who asks, and where the answer goes."""

    app: App
    redirect_uri: str
    state: str | None

    def back(self, **members: str) -> str:
        """The way back, with an answer and what the app has sent along."""
        own = members if self.state is None else {**members, "state": self.state}
        return extended(self.redirect_uri, own)


class Asked(NamedTuple):
    """What an app asks for."""

    ends: Ends
    scopes: tuple[str, ...]
    challenge: Challenge | None = None
    nonce: str | None = None


def extended(uri: str, members: Mapping[str, str]) -> str:
    """An address with more members in its query, behind those that it has."""
    # Taken apart and put together again, an address may be another one: myapp:///callback loses its slashes.
    _, mark, query = uri.partition("?")
    joint = "?" if not mark else "&" if query and not query.endswith("&") else ""
    return f"{uri}{joint}{urlencode(members)}"


def ends(workspace: Workspace, query: Mapping[str, str]) -> Ends:
    """Who asks, and where the answer goes; a user is never sent to an address that is not registered.

    Raises:
        ServiceError: `invalid_client` or `invalid_request`, which only a page can tell.
    """
    app = workspace.state.table(App).get(query.get("client_id", ""))
    if app is None:
        known = reasons.listed(workspace.state.table(App))
        reason = f"{reasons.shown(query.get('client_id', ''))} is no client_id of workspace {workspace.name}; {known}"
        raise INVALID_CLIENT("There is no app with this client_id", status=400).because(reason)
    uri = query.get("redirect_uri", "")
    if uri not in app.redirect_uris:
        reason = f"redirect_uri is {reasons.shown(uri)}; registered: {reasons.listed(app.redirect_uris)}"
        raise INVALID_REQUEST(f"{app.name} has not registered this redirect_uri").because(reason)
    return Ends(app, uri, query.get("state"))


def asked(found: Ends, query: Mapping[str, str]) -> Asked:
    """What is asked for.

    Raises:
        ServiceError: one of the errors of RFC 6749, 4.1.2.1, which the app is told.
    """
    _check_kept(query)
    kind = query.get("response_type", "code")
    if kind != "code":
        raise UNSUPPORTED_RESPONSE_TYPE("response_type must be code").because(
            f"response_type is {reasons.shown(kind)}; this server gives codes only"
        )
    wanted = scopes.split(query.get("scope", ""))
    if not wanted:
        raise INVALID_SCOPE("scope must name what the app asks for").because("the request names no scope")
    if more := scopes.beyond(wanted, found.app.scopes):
        reason = f"the app {found.app.client_id} has {reasons.listed(found.app.scopes)}"
        raise INVALID_SCOPE(f"The app may not ask for {reasons.listed(more)}").because(reason)
    return Asked(found, wanted, _challenge(found.app, query), query.get("nonce"))


def _check_kept(query: Mapping[str, str]) -> None:
    """Refuse what a grant would keep, and is too long for it."""
    for name in ("state", "nonce"):
        if (length := len(query.get(name, ""))) > model.LONGEST_STATE:
            refused = INVALID_REQUEST(f"{name} has more than {model.LONGEST_STATE:,} characters")
            raise refused.because(f"{name} has {length:,} characters")


def _challenge(app: App, query: Mapping[str, str]) -> Challenge | None:
    value, method = query.get("code_challenge"), query.get("code_challenge_method")
    if value is None:
        if method is not None or app.public:
            raise INVALID_REQUEST("code_challenge is missing").because(
                "code_challenge_method needs it" if method is not None else f"{app.client_id} is a public app"
            )
        return None
    if not _CHALLENGE.fullmatch(value) or method not in (None, *_METHODS):
        reason = f"code_challenge has {len(value)} characters, code_challenge_method is {reasons.shown(method)}"
        raise INVALID_REQUEST("code_challenge or code_challenge_method is not one of RFC 7636").because(reason)
    return Challenge(value, method or "plain")


def begin(workspace: Workspace, account: Account, user: str, wanted: Asked) -> Grant:
    """A grant that waits for a user's consent.

    Raises:
        ServiceError: `access_denied`; the app is private, and the user is not of its organization (SPEC 5.2).
    """
    app = wanted.ends.app
    if not may_enter(workspace, app, account):
        reason = f"{user} is a user of account {account.name}, and the app is of account {app.account}"
        raise ACCESS_DENIED("Only users of the app's own organization can authorize a private app").because(reason)
    return model.ask(
        workspace,
        account,
        app,
        user=user,
        scopes=wanted.scopes,
        redirect_uri=wanted.ends.redirect_uri,
        app_state=wanted.ends.state,
        challenge=wanted.challenge,
        nonce=wanted.nonce,
    )


def decide(workspace: Workspace, account: Account, row: Grant, decision: str) -> str:
    """Carry out a user's answer; gives the way back.

    Raises:
        ServiceError: 410 `gone`; since the question the app has gone, or takes its users back elsewhere.
    """
    app = workspace.state.table(App).get(row.client_id)
    if app is None or row.redirect_uri not in app.redirect_uris:
        reason = f"{reasons.shown(row.redirect_uri)} is no redirect_uri of the app {row.client_id} any more"
        raise GONE("The app that asked takes nobody back there any more. Start again from the app.").because(reason)
    model.GRANT.fire(workspace, account, row, "consent" if decision == ACCEPT else "refuse")
    if row.code is not None:
        members = {"code": row.code}
    else:
        members = {"error": ACCESS_DENIED.code, "error_description": ACCESS_DENIED.message}
    return extended(row.redirect_uri, members if row.app_state is None else {**members, "state": row.app_state})
