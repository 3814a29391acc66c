"""The pages between an app and its tokens: whom to be, and whether to let the app in."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlsplit

from flask import Request

from mockserver.core.contract import errors
from mockserver.core.contract.errors import ServiceError
from mockserver.core.state import reasons
from mockserver.core.state.account import Account
from mockserver.core.traffic.exchange import Exchange, Reply
from mockserver.core.workspaces.caller import AnonymousCaller
from mockserver.resources.oauth import authorization, model, users
from mockserver.resources.oauth.apps import asker
from mockserver.resources.oauth.authorization import ACCEPT, REFUSE, Asked
from mockserver.resources.oauth.metadata import CONSENT
from mockserver.resources.oauth.model import Grant
from mockserver.resources.oauth.scopes import CATALOGUE
from mockserver.resources.oauth.users import Person
from mockserver.web.endpoints import form as forms
from mockserver.web.endpoints import oauth_error
from mockserver.web.pages import csrf
from mockserver.web.pages.page import page, redirect

Query = dict[str, str]
#: What an app is told by a redirection; whatever else is wrong, only a page tells.
_SENT_BACK = frozenset(
    error.code
    for error in (
        errors.INVALID_REQUEST, errors.INVALID_SCOPE, errors.UNAUTHORIZED_CLIENT, errors.UNSUPPORTED_RESPONSE_TYPE,
        errors.ACCESS_DENIED, errors.SERVER_ERROR, errors.TEMPORARILY_UNAVAILABLE,
    )
)  # fmt: skip


def begin(caller: AnonymousCaller, request: Request, query: Query) -> Reply:
    """The sign-in page, or what comes after it, where the address says already who is to be signed in.

    Raises:
        ServiceError: the request is not a good one.
    """
    wanted = _wanted(caller, query)
    if "mock_user" not in query:
        return _sign_in_page(caller, request, wanted)
    person = users.named(caller.workspace, wanted.ends.app, query["mock_user"])
    if person is None:
        known = reasons.listed(dict.fromkeys(row.user.email for row in users.people(caller.workspace, wanted.ends.app)))
        message = f"mock_user names nobody; there are: {known}"
        raise errors.INVALID_PARAMETER(message).because(f"mock_user is {reasons.shown(query['mock_user'])}; {message}")
    return _signed_in(caller, request, query, wanted, person)


def sign_in(caller: AnonymousCaller, request: Request, query: Query, form: dict[str, str]) -> Reply:
    """What comes after the sign-in page; the page again, where it was not filled in well.

    Raises:
        ServiceError: the request or the form is not a good one.
    """
    csrf.check(request, form)
    wanted = _wanted(caller, query)
    app, workspace = wanted.ends.app, caller.workspace
    if workspace.state.behaviour.oauth_login == "form":
        person = users.with_password(caller, app, form.get("user", ""), form.get("password", ""))
        problem = "The e-mail or the password is wrong."
    else:
        person = users.chosen(workspace, app, form.get("person", ""))
        problem = "There is no such user here."
    if person is None:
        return _sign_in_page(caller, request, wanted, problem, form.get("user", ""))
    return _signed_in(caller, request, query, wanted, person)


def consent(caller: AnonymousCaller, request: Request, form: dict[str, str]) -> Reply:
    """The way back to the app, with the user's answer.

    Raises:
        ServiceError: 403, a form of somebody else's; 400, no answer; 410, nothing waits for it.
    """
    csrf.check(request, form)
    decision = form.get("decision", "")
    if decision not in (ACCEPT, REFUSE):
        raise errors.INVALID_PARAMETER(f"decision must be {ACCEPT} or {REFUSE}")
    found = model.waiting(caller.workspace, form.get("ticket", ""), form[csrf.FIELD])
    if found is None:
        message = "This question was answered already, or has waited for too long. Start again from the app."
        raise errors.GONE(message).because("no grant waits for an answer with this ticket from this browser")
    return redirect(authorization.decide(caller.workspace, *found, decision))


def send_back(error: ServiceError, caller: AnonymousCaller, exchange: Exchange) -> Reply | None:
    """The way back to the app with an error; None: a page tells it, as nobody knows who asks (RFC 6749, 4.1.2.1)."""
    said = oauth_error.translated(error)
    if said.code.code not in _SENT_BACK or (error.code != said.code and error.status < 500):
        return None
    try:
        pairs = forms.query_pairs(exchange.query)
        if _twice(pairs) & {"client_id", "redirect_uri"}:
            return None
        ends = authorization.ends(caller.workspace, {name: value for name, value in pairs if value})
    except ServiceError:
        return None
    back = redirect(ends.back(error=said.code.code, error_description=oauth_error.description(said)))
    back.error = said
    return back


def _twice(pairs: forms.Pairs) -> set[str]:
    names = [name for name, _ in pairs]
    return {name for name in names if names.count(name) > 1}


def _wanted(caller: AnonymousCaller, query: Query) -> Asked:
    """What an app asks for.

    Raises:
        ServiceError: the request is not a good one.
    """
    if query.get("mock_consent", ACCEPT) not in (ACCEPT, REFUSE):
        raise errors.INVALID_PARAMETER(f"mock_consent must be {ACCEPT} or {REFUSE}")
    return authorization.asked(authorization.ends(caller.workspace, query), query)


def _signed_in(caller: AnonymousCaller, request: Request, query: Query, wanted: Asked, person: Person) -> Reply:
    users.note(caller, person)
    row = authorization.begin(caller.workspace, person.account, person.user.email, wanted)
    if "mock_consent" in query:
        return redirect(authorization.decide(caller.workspace, person.account, row, query["mock_consent"]))
    row.browser = csrf.token(caller, request)
    return _consent_page(caller, row.browser, wanted, person.account, row)


def _sign_in_page(
    caller: AnonymousCaller, request: Request, wanted: Asked, problem: str | None = None, email: str = ""
) -> Reply:
    app = wanted.ends.app
    may = asker(caller.workspace, app)
    return _form(
        "sign_in.html", caller, csrf.token(caller, request), wanted,
        problem=problem,
        email=email,
        asks_password=caller.workspace.state.behaviour.oauth_login == "form",
        people=[
            {"value": row.value, "email": row.user.email, "about": _about(row, may(row.account))}
            for row in users.people(caller.workspace, app)
        ],
    )  # fmt: skip


def _about(person: Person, may_enter: bool) -> str:
    admin = ", admin" if person.user.admin else ""
    role = person.account.role.replace("_", "-")
    stranger = "" if may_enter else ", of another organization than the app"
    return f"{person.account.name} ({role}{admin}){stranger}"


def _consent_page(caller: AnonymousCaller, browser: str, wanted: Asked, account: Account, row: Grant) -> Reply:
    parts = urlsplit(wanted.ends.redirect_uri)
    return _form(
        "consent.html", caller, browser, wanted,
        action=f"{urlsplit(caller.visit.root).path}{CONSENT}",
        user=row.user,
        account=account.name,
        scopes=[CATALOGUE[name] for name in row.scopes],
        ticket=row.ticket,
        destination=parts.netloc or f"{parts.scheme}:",
    )  # fmt: skip


def _form(template: str, caller: AnonymousCaller, browser: str, wanted: Asked, **values: Any) -> Reply:
    return page(
        template, caller,
        sends_to=wanted.ends.redirect_uri,
        headers=(csrf.cookie(caller, browser),),
        app=wanted.ends.app.name,
        csrf=browser,
        **values,
    )  # fmt: skip
