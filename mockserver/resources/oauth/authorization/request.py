"""The authorization request of an app, and the redirection that answers it (RFC 6749, 4.1.1, 4.1.2; RFC 7636, 4.3)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import NamedTuple
from urllib.parse import urlencode

from mockserver.core.contract.errors import INVALID_CLIENT, INVALID_REQUEST, INVALID_SCOPE, UNSUPPORTED_RESPONSE_TYPE
from mockserver.core.state import reasons
from mockserver.core.workspaces.workspace import Workspace
from mockserver.resources.oauth import scopes
from mockserver.resources.oauth.apps import App
from mockserver.resources.oauth.grant import LONGEST_STATE, Challenge

#: The characters and the length of a challenge (RFC 7636, 4.2).
_CHALLENGE = re.compile(r"[A-Za-z0-9._~-]{43,128}")
_METHODS = ("plain", "S256")


class Redirection(NamedTuple):
    """The app of an authorization request, and the address to which its user is redirected."""

    app: App
    redirect_uri: str
    state: str | None

    def with_answer(self, **members: str) -> str:
        """The address with the members of an answer, and with the `state` that the app has sent."""
        own = members if self.state is None else {**members, "state": self.state}
        return extended(self.redirect_uri, own)


class AuthorizationRequest(NamedTuple):
    """An authorization request of an app, after all checks."""

    redirection: Redirection
    scopes: tuple[str, ...]
    challenge: Challenge | None = None
    nonce: str | None = None

    @property
    def app(self) -> App:
        """The app that has sent the request."""
        return self.redirection.app


def extended(uri: str, members: Mapping[str, str]) -> str:
    """An address with more members in its query, behind those that it has."""
    # Not by urlsplit and urlunsplit, which change some addresses: myapp:///callback loses its slashes.
    _, mark, query = uri.partition("?")
    joint = "?" if not mark else "&" if query and not query.endswith("&") else ""
    return f"{uri}{joint}{urlencode(members)}"


def redirection(workspace: Workspace, query: Mapping[str, str]) -> Redirection:
    """The app of an authorization request, with a redirect_uri that it has registered.

    Raises:
        ServiceError: `invalid_client` or `invalid_request`, which only a page can tell.
    """
    app = workspace.state.table(App).get(query.get("client_id", ""))
    if app is None:
        known = reasons.listed(workspace.state.table(App))
        given = reasons.shown(query.get("client_id", ""))
        reason = f"unknown client_id {given} in workspace {workspace.name} (known: {known})"
        raise INVALID_CLIENT("There is no app with this client_id", status=400).because(reason)
    uri = query.get("redirect_uri", "")
    if uri not in app.redirect_uris:
        reason = f"unregistered redirect_uri {reasons.shown(uri)} (registered: {reasons.listed(app.redirect_uris)})"
        raise INVALID_REQUEST(f"{app.name} has not registered this redirect_uri").because(reason)
    return Redirection(app, uri, query.get("state"))


def authorization_request(found: Redirection, query: Mapping[str, str]) -> AuthorizationRequest:
    """The authorization request of the app of a redirection.

    Raises:
        ServiceError: one of the errors of RFC 6749, 4.1.2.1, with which the user is redirected to the app.
    """
    _check_kept(query)
    response_type = query.get("response_type", "code")
    if response_type != "code":
        raise UNSUPPORTED_RESPONSE_TYPE("response_type must be code").because(
            f"response_type is {reasons.shown(response_type)}, expected code"
        )
    wanted = scopes.split(query.get("scope", ""))
    if not wanted:
        raise INVALID_SCOPE("scope must name what the app asks for").because("missing parameter `scope` in the query")
    if more := scopes.beyond(wanted, found.app.scopes):
        reason = f"app {found.app.client_id} may ask for {reasons.listed(found.app.scopes)}"
        raise INVALID_SCOPE(f"The app may not ask for {reasons.listed(more)}").because(reason)
    return AuthorizationRequest(found, wanted, _challenge(found.app, query), query.get("nonce"))


def _check_kept(query: Mapping[str, str]) -> None:
    """Refuse a state and a nonce that are too long for a grant to keep."""
    for name in ("state", "nonce"):
        if (length := len(query.get(name, ""))) > LONGEST_STATE:
            refused = INVALID_REQUEST(f"{name} has more than {LONGEST_STATE:,} characters")
            raise refused.because(f"{name} has {length:,} characters, expected at most {LONGEST_STATE:,}")


def _challenge(app: App, query: Mapping[str, str]) -> Challenge | None:
    value, method = query.get("code_challenge"), query.get("code_challenge_method")
    if value is None:
        if method is not None or app.public:
            raise INVALID_REQUEST("code_challenge is missing").because(
                "code_challenge_method is given without it"
                if method is not None
                else f"public app {app.client_id} requires it"
            )
        return None
    if not _CHALLENGE.fullmatch(value) or method not in (None, *_METHODS):
        given = f"code_challenge has {len(value)} characters, code_challenge_method is {reasons.shown(method)}"
        reason = f"{given}; expected 43 to 128 letters, digits, '-', '.', '_' or '~', and S256 or plain"
        raise INVALID_REQUEST("code_challenge or code_challenge_method is not one of RFC 7636").because(reason)
    return Challenge(value, method or "plain")
