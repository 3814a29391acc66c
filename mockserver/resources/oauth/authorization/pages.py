"""The pages of authorization: for signing in, and for consent."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlsplit

from werkzeug.wrappers import Request

from mockserver.core.state.state import Account
from mockserver.core.traffic.exchange import Reply
from mockserver.core.workspaces.caller import AnonymousCaller
from mockserver.resources.oauth.addresses import CONSENT
from mockserver.resources.oauth.apps import asker
from mockserver.resources.oauth.authorization import users
from mockserver.resources.oauth.authorization.request import AuthorizationRequest
from mockserver.resources.oauth.authorization.users import Person
from mockserver.resources.oauth.grant import Grant
from mockserver.resources.oauth.scopes import CATALOGUE
from mockserver.web.pages import csrf
from mockserver.web.pages.page import page


def sign_in(
    caller: AnonymousCaller, request: Request, wanted: AuthorizationRequest, problem: str | None = None, email: str = ""
) -> Reply:
    app = wanted.app
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


def consent(caller: AnonymousCaller, browser: str, wanted: AuthorizationRequest, account: Account, row: Grant) -> Reply:
    parts = urlsplit(wanted.redirection.redirect_uri)
    return _form(
        "consent.html", caller, browser, wanted,
        action=f"{urlsplit(caller.visit.root).path}{CONSENT}",
        user=row.user,
        account=account.name,
        scopes=[CATALOGUE[name] for name in row.scopes],
        ticket=row.ticket,
        destination=parts.netloc or f"{parts.scheme}:",
    )  # fmt: skip


def _form(template: str, caller: AnonymousCaller, browser: str, wanted: AuthorizationRequest, **values: Any) -> Reply:
    return page(
        template, caller,
        sends_to=wanted.redirection.redirect_uri,
        headers=(csrf.cookie(caller, browser),),
        app=wanted.app.name,
        csrf=browser,
        **values,
    )  # fmt: skip
