"""Dashboard sign-in with the control token, and sign-out."""

from __future__ import annotations

from urllib.parse import quote, unquote

from flask import Blueprint, Response, request

from mockserver.control.framework.problem import Problem
from mockserver.control.guard import SIGN_IN
from mockserver.control.sessions import LIFETIME_S, Sessions, TooManyGuesses
from mockserver.dashboard import addresses, rendering
from mockserver.web.components import component
from mockserver.web.routing.address import DASHBOARD_PREFIX, split_workspace

ACCESS = Blueprint("access", __name__)
#: The longest address to redirect to, in characters. Chosen: longer than all links of the pages.
_LONGEST = 2_000


def redirect_to_sign_in(_: Problem) -> Response:
    """Redirect a request without session to the sign-in form, which leads back to the requested page."""
    query = request.environ["QUERY_STRING"]
    return _redirect(SIGN_IN, f"?to={quote(addresses.address() + (query and f'?{query}'), safe='')}")


@ACCESS.get(SIGN_IN)
def form() -> Response:
    """Show the sign-in form, or redirect a browser that is signed in already."""
    sessions, to = component(Sessions), _safe_page(request.args.get("to", ""))
    if not sessions.wants_token or sessions.has(request.cookies.get(sessions.cookie)):
        return _redirect(to)
    # A link from another site omits the cookie. The page requests itself again, then the browser sends the cookie.
    again = request.headers.get("Sec-Fetch-Site") == "cross-site"
    return _form(to, again=again)


@ACCESS.post(SIGN_IN)
def sign_in() -> Response:
    """Open a session for the correct token and redirect to the requested page."""
    sessions, to = component(Sessions), _safe_page(request.form.get("to", ""))
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
    sessions = component(Sessions)
    sessions.close(request.cookies.get(sessions.cookie))
    found = _redirect(SIGN_IN)
    found.delete_cookie(sessions.cookie, path="/", secure=_is_secure(), httponly=True, samesite="Strict")
    return found


def _is_secure() -> bool:
    """Return whether the browser uses https, also behind a proxy that terminates TLS."""
    return request.is_secure or request.headers.get("Origin", "").startswith("https://")


def _safe_page(address: str) -> str:
    """Return a safe dashboard address unchanged, or else the front page."""
    path = address.partition("?")[0]
    below = f"{split_workspace(path)[1]}/"
    is_page = below.startswith(f"{DASHBOARD_PREFIX}/") and not {".", ".."} & set(unquote(path).split("/"))
    is_plain = (
        len(address) <= _LONGEST and address.isascii() and address.isprintable() and not set(' \\"<>') & set(address)
    )
    return address if is_page and is_plain else f"{DASHBOARD_PREFIX}/"


def _redirect(address: str, query: str = "") -> Response:
    return Response(status=303, headers={"Location": f"{addresses.server_root()}{address}{query}"})
