"""The pages of authorization, for signing in and for consent, and the redirection that ends them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

from werkzeug.wrappers import Request

from mockserver.core.contract import errors
from mockserver.core.contract.errors import ServiceError
from mockserver.core.state import reasons
from mockserver.core.state.state import Account
from mockserver.core.traffic.exchange import Exchange, Reply
from mockserver.core.workspaces.caller import AnonymousCaller
from mockserver.resources.activities import model as activities
from mockserver.resources.oauth import authorization, model
from mockserver.resources.oauth.apps import access_check
from mockserver.resources.oauth.authorization import ACCEPT, REFUSE, AuthorizationRequest, Person
from mockserver.resources.oauth.discovery import CATALOGUE, CONSENT
from mockserver.resources.oauth.model import Grant
from mockserver.web.endpoints import oauth_error
from mockserver.web.endpoints.request import query_pairs
from mockserver.web.pages import csrf
from mockserver.web.pages.page import page, redirect

#: Errors that are sent to the app by redirection; a page shows all other errors.
_REDIRECTED = frozenset(
    error.code
    for error in (
        errors.INVALID_REQUEST, errors.INVALID_SCOPE, errors.UNAUTHORIZED_CLIENT, errors.UNSUPPORTED_RESPONSE_TYPE,
        errors.ACCESS_DENIED, errors.SERVER_ERROR, errors.TEMPORARILY_UNAVAILABLE,
    )
)  # fmt: skip


def send_back(error: ServiceError, caller: AnonymousCaller, exchange: Exchange) -> Reply | None:
    """Return the redirection to the app with an error, or None if a page shows the error.

    A page shows the error if the app or its redirect_uri is unknown (RFC 6749, 4.1.2.1).
    """
    translated = oauth_error.translated(error)
    if translated.code.code not in _REDIRECTED or (error.code != translated.code and error.status < 500):
        return None
    try:
        pairs = query_pairs(exchange.query)
        names = [name for name, _ in pairs]
        if names.count("client_id") > 1 or names.count("redirect_uri") > 1:
            return None
        found = authorization.redirection(caller.workspace, {name: value for name, value in pairs if value})
    except ServiceError:
        return None
    description = oauth_error.description(translated)
    back = redirect(found.with_answer(error=translated.code.code, error_description=description))
    back.error = translated
    return back


def authorize(caller: AnonymousCaller, request: Request, query: Mapping[str, str]) -> Reply:
    """Return the sign-in page; with `mock_user`, sign this user in without the page, unless the method is HEAD."""
    app_request = _authorization_request(caller, query)
    if "mock_user" not in query or request.method == "HEAD":
        return _sign_in_page(caller, request, app_request)
    person = next(iter(authorization.people_with_address(caller.workspace, app_request.app, query["mock_user"])), None)
    if person is None:
        people = authorization.people(caller.workspace, app_request.app)
        known = reasons.listed(dict.fromkeys(row.user.email for row in people))
        reason = f"unknown mock_user {reasons.shown(query['mock_user'])} (known: {known})"
        raise errors.INVALID_PARAMETER(f"unknown mock_user; known: {known}").because(reason)
    return _signed_in(caller, request, query, app_request, person)


def sign_in(caller: AnonymousCaller, request: Request, query: Mapping[str, str], form: Mapping[str, str]) -> Reply:
    """Handle the form of the sign-in page; return the consent page, or the sign-in page again for an unknown user."""
    csrf.check(caller, request, form)
    app_request = _authorization_request(caller, query)
    app, workspace = app_request.app, caller.workspace
    if workspace.state.behaviour.oauth_login == "form":
        person = authorization.check_password(caller, app, form.get("user", ""), form.get("password", ""))
        problem = "The e-mail or the password is wrong."
    else:
        person = authorization.chosen_person(workspace, app, form.get("person", ""))
        problem = "There is no such user here."
    if person is None:
        return _sign_in_page(caller, request, app_request, problem, form.get("user", ""))
    return _signed_in(caller, request, query, app_request, person)


def consent(caller: AnonymousCaller, request: Request, form: Mapping[str, str]) -> Reply:
    """Handle the form of the consent page; return the redirection to the app with the user's decision."""
    csrf.check(caller, request, form)
    decision = form.get("decision", "")
    if decision not in (ACCEPT, REFUSE):
        raise errors.INVALID_PARAMETER(f"decision must be {ACCEPT} or {REFUSE}")
    found = model.find_pending(caller.workspace, form.get("ticket", ""), form[csrf.FIELD])
    if found is None:
        message = "This question was answered already, or has waited for too long. Start again from the app."
        raise errors.GONE(message).because("no grant awaits a decision for this ticket and browser")
    return redirect(authorization.decide(caller.workspace, *found, decision))


def _authorization_request(caller: AnonymousCaller, query: Mapping[str, str]) -> AuthorizationRequest:
    if query.get("mock_consent", ACCEPT) not in (ACCEPT, REFUSE):
        raise errors.INVALID_PARAMETER(f"mock_consent must be {ACCEPT} or {REFUSE}")
    return authorization.authorization_request(authorization.redirection(caller.workspace, query), query)


def _signed_in(
    caller: AnonymousCaller,
    request: Request,
    query: Mapping[str, str],
    app_request: AuthorizationRequest,
    person: Person,
) -> Reply:
    workspace = caller.workspace
    activities.log(workspace, person.account, activities.LOGIN, caller.visit, person.user.email)
    row = authorization.begin_grant(workspace, person, app_request)
    if "mock_consent" in query:
        return redirect(authorization.decide(workspace, person.account, row, query["mock_consent"]))
    row.browser = csrf.token(caller, request)
    return _consent_page(caller, row.browser, app_request, person.account, row)


def _sign_in_page(
    caller: AnonymousCaller,
    request: Request,
    app_request: AuthorizationRequest,
    problem: str | None = None,
    email: str = "",
) -> Reply:
    may_authorize = access_check(caller.workspace, app_request.app)
    return _page(
        "sign_in.html", caller, csrf.token(caller, request), app_request,
        problem=problem,
        email=email,
        asks_password=caller.workspace.state.behaviour.oauth_login == "form",
        people=[
            {"value": row.value, "email": row.user.email, "about": _description(row, may_authorize(row.account))}
            for row in authorization.people(caller.workspace, app_request.app)
        ],
    )  # fmt: skip


def _description(person: Person, may_authorize: bool) -> str:
    admin = ", admin" if person.user.admin else ""
    role = person.account.role.replace("_", "-")
    stranger = "" if may_authorize else ", of another organization than the app"
    return f"{person.account.name} ({role}{admin}){stranger}"


def _consent_page(
    caller: AnonymousCaller, browser: str, app_request: AuthorizationRequest, account: Account, row: Grant
) -> Reply:
    parts = urlsplit(app_request.redirection.redirect_uri)
    return _page(
        "consent.html", caller, browser, app_request,
        action=f"{urlsplit(caller.visit.root).path}{CONSENT}",
        user=row.user,
        account=account.name,
        scopes=[CATALOGUE[name] for name in row.scopes],
        ticket=row.ticket,
        destination=parts.netloc or f"{parts.scheme}:",
    )  # fmt: skip


def _page(
    template: str, caller: AnonymousCaller, browser: str, app_request: AuthorizationRequest, **values: Any
) -> Reply:
    return page(
        template, caller,
        sends_to=app_request.redirection.redirect_uri,
        headers=(csrf.cookie(caller, browser),),
        app=app_request.app.name,
        csrf=browser,
        **values,
    )  # fmt: skip
