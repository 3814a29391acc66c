"""The steps of a user who authorizes an app: signing in, and consent."""

from __future__ import annotations

from collections.abc import Mapping

from werkzeug.wrappers import Request

from mockserver.core.contract import errors
from mockserver.core.contract.errors import ServiceError
from mockserver.core.state import reasons
from mockserver.core.traffic.exchange import Exchange, Reply
from mockserver.core.workspaces.caller import AnonymousCaller
from mockserver.resources.oauth import lookup
from mockserver.resources.oauth.authorization import decision, pages, users
from mockserver.resources.oauth.authorization.decision import ACCEPT, REFUSE
from mockserver.resources.oauth.authorization.request import AuthorizationRequest, authorization_request, redirection
from mockserver.resources.oauth.authorization.users import Person
from mockserver.web.endpoints import oauth_error
from mockserver.web.endpoints.request import Pairs, query_pairs
from mockserver.web.pages import csrf
from mockserver.web.pages.page import redirect

#: The errors with which a user is redirected to the app; others are shown on a page.
_SENT_BACK = frozenset(
    error.code
    for error in (
        errors.INVALID_REQUEST, errors.INVALID_SCOPE, errors.UNAUTHORIZED_CLIENT, errors.UNSUPPORTED_RESPONSE_TYPE,
        errors.ACCESS_DENIED, errors.SERVER_ERROR, errors.TEMPORARILY_UNAVAILABLE,
    )
)  # fmt: skip


def send_back(error: ServiceError, caller: AnonymousCaller, exchange: Exchange) -> Reply | None:
    """The redirection to the app with an error, or None if a page shows the error.

    A page does so if the app or its redirect_uri is unknown (RFC 6749, 4.1.2.1).
    """
    said = oauth_error.translated(error)
    if said.code.code not in _SENT_BACK or (error.code != said.code and error.status < 500):
        return None
    try:
        pairs = query_pairs(exchange.query)
        if _twice(pairs) & {"client_id", "redirect_uri"}:
            return None
        found = redirection(caller.workspace, {name: value for name, value in pairs if value})
    except ServiceError:
        return None
    back = redirect(found.with_answer(error=said.code.code, error_description=oauth_error.description(said)))
    back.error = said
    return back


def _twice(pairs: Pairs) -> set[str]:
    names = [name for name, _ in pairs]
    return {name for name in names if names.count(name) > 1}


def begin(caller: AnonymousCaller, request: Request, query: Mapping[str, str]) -> Reply:
    """The sign-in page, or the answer after it, if the address names the user (`mock_user`).

    Raises:
        ServiceError: the request is not a good one.
    """
    wanted = _requested(caller, query)
    if "mock_user" not in query:
        return pages.sign_in(caller, request, wanted)
    person = users.named(caller.workspace, wanted.app, query["mock_user"])
    if person is None:
        known = reasons.listed(dict.fromkeys(row.user.email for row in users.people(caller.workspace, wanted.app)))
        reason = f"unknown mock_user {reasons.shown(query['mock_user'])} (known: {known})"
        raise errors.INVALID_PARAMETER(f"unknown mock_user; known: {known}").because(reason)
    return _signed_in(caller, request, query, wanted, person)


def sign_in(caller: AnonymousCaller, request: Request, query: Mapping[str, str], form: Mapping[str, str]) -> Reply:
    """The answer to the form of the sign-in page: the consent page, or the sign-in page again if no user is found.

    Raises:
        ServiceError: the request or the form is not a good one.
    """
    csrf.check(request, form)
    wanted = _requested(caller, query)
    app, workspace = wanted.app, caller.workspace
    if workspace.state.behaviour.oauth_login == "form":
        person = users.with_password(caller, app, form.get("user", ""), form.get("password", ""))
        problem = "The e-mail or the password is wrong."
    else:
        person = users.chosen(workspace, app, form.get("person", ""))
        problem = "There is no such user here."
    if person is None:
        return pages.sign_in(caller, request, wanted, problem, form.get("user", ""))
    return _signed_in(caller, request, query, wanted, person)


def consent(caller: AnonymousCaller, request: Request, form: Mapping[str, str]) -> Reply:
    """The redirection to the app with the user's decision.

    Raises:
        ServiceError: 403, the form is not of this server's page; 400, it has no decision; 410, no grant waits for it.
    """
    csrf.check(request, form)
    answer = form.get("decision", "")
    if answer not in (ACCEPT, REFUSE):
        raise errors.INVALID_PARAMETER(f"decision must be {ACCEPT} or {REFUSE}")
    found = lookup.waiting(caller.workspace, form.get("ticket", ""), form[csrf.FIELD])
    if found is None:
        message = "This question was answered already, or has waited for too long. Start again from the app."
        raise errors.GONE(message).because("no grant awaits a decision for this ticket and browser")
    return redirect(decision.decide(caller.workspace, *found, answer))


def _requested(caller: AnonymousCaller, query: Mapping[str, str]) -> AuthorizationRequest:
    """What an app asks for.

    Raises:
        ServiceError: the request is not a good one.
    """
    if query.get("mock_consent", ACCEPT) not in (ACCEPT, REFUSE):
        raise errors.INVALID_PARAMETER(f"mock_consent must be {ACCEPT} or {REFUSE}")
    return authorization_request(redirection(caller.workspace, query), query)


def _signed_in(
    caller: AnonymousCaller, request: Request, query: Mapping[str, str], wanted: AuthorizationRequest, person: Person
) -> Reply:
    users.note(caller, person)
    row = decision.begin(caller.workspace, person.account, person.user.email, wanted)
    if "mock_consent" in query:
        return redirect(decision.decide(caller.workspace, person.account, row, query["mock_consent"]))
    row.browser = csrf.token(caller, request)
    return pages.consent(caller, row.browser, wanted, person.account, row)
