"""Authorization requests of apps, users who sign in, and their decisions (RFC 6749, 4.1; RFC 7636, 4.3)."""

from __future__ import annotations

import hmac
import re
from collections.abc import Iterator, Mapping
from typing import NamedTuple
from urllib.parse import urlencode

from mockserver.core.contract import errors
from mockserver.core.state import reasons
from mockserver.core.state.state import Account, User
from mockserver.core.text.addresses import equals_address
from mockserver.core.workspaces.caller import AnonymousCaller
from mockserver.core.workspaces.workspace import Workspace
from mockserver.resources.activities import model as activities
from mockserver.resources.oauth import model
from mockserver.resources.oauth.apps import App, access_check
from mockserver.resources.oauth.discovery import split_scopes, uncovered_scopes
from mockserver.resources.oauth.model import LONGEST_STATE, Challenge, Grant

#: Characters and length of a code challenge (RFC 7636, 4.2).
_CHALLENGE = re.compile(r"[A-Za-z0-9._~-]{43,128}")
_METHODS = ("plain", "S256")
#: Decisions about a grant, on the consent page and in the address (`mock_consent`).
ACCEPT, REFUSE = "accept", "refuse"


class Redirection(NamedTuple):
    """The redirection to an app that ends an authorization request."""

    app: App
    redirect_uri: str
    state: str | None

    def with_answer(self, **members: str) -> str:
        """Return the address with the members of an answer and the `state` of the app's request."""
        own = members if self.state is None else {**members, "state": self.state}
        return add_query(self.redirect_uri, own)


class AuthorizationRequest(NamedTuple):
    """A valid authorization request of an app."""

    redirection: Redirection
    scopes: tuple[str, ...]
    challenge: Challenge | None = None
    nonce: str | None = None

    @property
    def app(self) -> App:
        return self.redirection.app


def add_query(uri: str, members: Mapping[str, str]) -> str:
    # urlsplit and urlunsplit change some addresses: myapp:///callback loses its slashes.
    _, mark, query = uri.partition("?")
    separator = "?" if not mark else "&" if query and not query.endswith("&") else ""
    return f"{uri}{separator}{urlencode(members)}"


def redirection(workspace: Workspace, query: Mapping[str, str]) -> Redirection:
    """Return the redirection of an authorization request, to a registered redirect_uri."""
    app = workspace.state.table(App).get(query.get("client_id", ""))
    if app is None:
        known = reasons.listed(workspace.state.table(App))
        given = reasons.shown(query.get("client_id", ""))
        reason = f"unknown client_id {given} in workspace {workspace.name} (known: {known})"
        raise errors.INVALID_CLIENT("There is no app with this client_id", status=400).because(reason)
    uri = query.get("redirect_uri", "")
    if uri not in app.redirect_uris:
        reason = f"unregistered redirect_uri {reasons.shown(uri)} (registered: {reasons.listed(app.redirect_uris)})"
        raise errors.INVALID_REQUEST(f"{app.name} has not registered this redirect_uri").because(reason)
    return Redirection(app, uri, query.get("state"))


def authorization_request(found: Redirection, query: Mapping[str, str]) -> AuthorizationRequest:
    """Return the validated authorization request of a redirection's app."""
    for name in ("state", "nonce"):
        if (length := len(query.get(name, ""))) > LONGEST_STATE:
            refused = errors.INVALID_REQUEST(f"{name} has more than {LONGEST_STATE:,} characters")
            raise refused.because(f"{name} has {length:,} characters, expected at most {LONGEST_STATE:,}")
    response_type = query.get("response_type", "code")
    if response_type != "code":
        raise errors.UNSUPPORTED_RESPONSE_TYPE("response_type must be code").because(
            f"response_type is {reasons.shown(response_type)}, expected code"
        )
    scopes = split_scopes(query.get("scope", ""))
    if not scopes:
        raise errors.INVALID_SCOPE("scope must name what the app asks for").because("no parameter `scope` in the query")
    if more := uncovered_scopes(scopes, found.app.scopes):
        reason = f"app {found.app.client_id} may ask for {reasons.listed(found.app.scopes)}"
        raise errors.INVALID_SCOPE(f"The app may not ask for {reasons.listed(more)}").because(reason)
    return AuthorizationRequest(found, scopes, _challenge(found.app, query), query.get("nonce"))


def _challenge(app: App, query: Mapping[str, str]) -> Challenge | None:
    value, method = query.get("code_challenge"), query.get("code_challenge_method")
    if value is None:
        if method is not None or app.public:
            raise errors.INVALID_REQUEST("code_challenge is missing").because(
                "code_challenge_method is given without it"
                if method is not None
                else f"public app {app.client_id} requires it"
            )
        return None
    if not _CHALLENGE.fullmatch(value) or method not in (None, *_METHODS):
        given = f"code_challenge has {len(value)} characters, code_challenge_method is {reasons.shown(method)}"
        reason = f"{given}; expected 43 to 128 letters, digits, '-', '.', '_' or '~', and S256 or plain"
        raise errors.INVALID_REQUEST("code_challenge or code_challenge_method is not one of RFC 7636").because(reason)
    return Challenge(value, method or "plain")


class Person(NamedTuple):
    """A user of an account."""

    account: Account
    user: User

    @property
    def value(self) -> str:
        """The person's value in the form of the sign-in page."""
        return f"{self.account.id} {self.user.email}"


def people(workspace: Workspace, app: App) -> Iterator[Person]:
    """Yield all users, starting with users who may authorize the app."""
    may_authorize = access_check(workspace, app)
    for account in sorted(workspace.state.accounts.values(), key=lambda row: not may_authorize(row)):
        for user in account.users:
            yield Person(account, user)


def chosen_person(workspace: Workspace, app: App, value: str) -> Person | None:
    return next((person for person in people(workspace, app) if person.value == value), None)


def people_with_address(workspace: Workspace, app: App, email: str) -> list[Person]:
    is_wanted = equals_address(email)
    return [person for person in people(workspace, app) if is_wanted(person.user.email)]


def check_password(caller: AnonymousCaller, app: App, email: str, password: str) -> Person | None:
    """Return the first user with this e-mail address and password, or None; log a failed attempt as an activity.

    A user without a password in the scenario accepts any password except an empty one.
    """
    same = people_with_address(caller.workspace, app, email)
    if not same or not password:
        return None
    found = next((row for row in same if _is_password(row.user.password, password)), None)
    if found is None:
        account, user = same[0]
        activities.log(caller.workspace, account, activities.LOGIN_FAILED, caller.visit, user.email)
    return found


def _is_password(known: str | None, password: str) -> bool:
    return known is None or hmac.compare_digest(password.encode(), known.encode())


def begin_grant(workspace: Workspace, person: Person, request: AuthorizationRequest) -> Grant:
    app, account, user = request.app, person.account, person.user.email
    if not access_check(workspace, app)(account):
        reason = f"user {user} belongs to account {account.name}, but the private app belongs to account {app.account}"
        raise errors.ACCESS_DENIED("Only users of the app's own organization can authorize a private app").because(
            reason
        )
    return model.begin(
        workspace,
        account,
        app,
        user=user,
        ticket=workspace.state.random.secret("oauth_ticket", 43),
        scopes=request.scopes,
        redirect_uri=request.redirection.redirect_uri,
        app_state=request.redirection.state,
        challenge=request.challenge,
        nonce=request.nonce,
    )


def decide(workspace: Workspace, account: Account, row: Grant, decision: str) -> str:
    """Accept or refuse a grant; return the address of the app for the redirection."""
    app = workspace.state.table(App).get(row.client_id)
    if app is None or row.redirect_uri not in app.redirect_uris:
        reason = f"app {row.client_id} no longer has the redirect_uri {reasons.shown(row.redirect_uri)}"
        raise errors.GONE("The app that asked takes nobody back there any more. Start again from the app.").because(
            reason
        )
    model.GRANT.fire(workspace, account, row, "consent" if decision == ACCEPT else "refuse")
    answer = Redirection(app, row.redirect_uri, row.app_state)
    if row.code is not None:
        return answer.with_answer(code=row.code)
    return answer.with_answer(error=errors.ACCESS_DENIED.code, error_description=errors.ACCESS_DENIED.message)
