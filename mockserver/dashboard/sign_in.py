"""Signing in to the dashboard with the control token, and out again."""

from __future__ import annotations

from urllib.parse import quote, unquote

from flask import Blueprint, Response, request

from mockserver.control.framework.problem import Problem
from mockserver.control.guard import SIGN_IN
from mockserver.control.sessions import LIFETIME_S, Sessions, TooManyGuesses
from mockserver.dashboard import addresses
from mockserver.dashboard.framework import rendering
from mockserver.web.components import component
from mockserver.web.routing.address import DASHBOARD_PREFIX, split_workspace

ACCESS = Blueprint("access", __name__)
#: The longest address to which a sign-in leads back, in characters; chosen: longer than any that the pages link to.
_LONGEST = 2_000


def asked_for(_: Problem) -> Response:
    """The answer to a request for a page that needs a sign-in first: it leads there, and the sign-in leads back."""
    query = request.environ["QUERY_STRING"]
    return _redirect(SIGN_IN, f"?to={quote(addresses.address() + (query and f'?{query}'), safe='')}")


@ACCESS.get(SIGN_IN)
def form() -> Response:
    """The form, unless the browser has signed in already."""
    sessions, to = component(Sessions), _wanted(request.args.get("to", ""))
    if not sessions.wants_token or sessions.has(request.cookies.get(sessions.cookie)):
        return _redirect(to)
    # With a link from another site a browser leaves the cookie out; it sends it when our own page asks again.
    again = request.headers.get("Sec-Fetch-Site") == "cross-site"
    return _form(to, again=again)


@ACCESS.post(SIGN_IN)
def sign_in() -> Response:
    """Open a session for who has the token, and lead back."""
    sessions, to = component(Sessions), _wanted(request.form.get("to", ""))
    if not sessions.wants_token:
        return _redirect(to)
    try:
        opened = sessions.open(request.form.get("token", "").strip(), request.remote_addr)
    except TooManyGuesses as problem:
        refused = _form(to, problem.detail, status=problem.status)
        refused.headers.update(problem.headers)
        return refused
    if opened is None:
        return _form(to, "that is not the token of this server", status=403)
    found = _redirect(to)
    found.set_cookie(
        sessions.cookie, opened, max_age=LIFETIME_S, path="/", secure=_is_secure(), httponly=True, samesite="Strict"
    )
    return found


def _form(to: str, mistake: str = "", *, again: bool = False, status: int = 200) -> Response:
    return rendering.answer("sign-in.html", {"to": to, "mistake": mistake, "again": again}, status=status)


@ACCESS.post(f"{DASHBOARD_PREFIX}/sign-out")
def sign_out() -> Response:
    """End the session of the browser."""
    sessions = component(Sessions)
    sessions.close(request.cookies.get(sessions.cookie))
    found = _redirect(SIGN_IN)
    found.delete_cookie(sessions.cookie, path="/", secure=_is_secure(), httponly=True, samesite="Strict")
    return found


def _is_secure() -> bool:
    """Whether the browser has used https, as far as the server or the browser says so: a proxy may have ended it."""
    return request.is_secure or request.headers.get("Origin", "").startswith("https://")


def _wanted(address: str) -> str:
    """The address of a page of the dashboard, from the server's root; its front if this is no such address."""
    path = address.partition("?")[0]
    below = f"{split_workspace(path)[1]}/"
    is_page = below.startswith(f"{DASHBOARD_PREFIX}/") and not {".", ".."} & set(unquote(path).split("/"))
    is_plain = (
        len(address) <= _LONGEST and address.isascii() and address.isprintable() and not set(' \\"<>') & set(address)
    )
    return address if is_page and is_plain else f"{DASHBOARD_PREFIX}/"


def _redirect(address: str, query: str = "") -> Response:
    """To an address below the server's root, wherever a proxy has put that."""
    return Response(status=303, headers={"Location": f"{addresses.server_root()}{address}{query}"})
