"""The guard of the control API: it refuses web pages of other origins, and callers without the control token."""

from __future__ import annotations

from collections.abc import Iterable

from flask import Response, request

from mockserver.control.framework.call import ControlCall
from mockserver.control.framework.problem import Problem
from mockserver.control.sessions import Sessions
from mockserver.core.text.host_names import DEFAULT_HOST, LONGEST_HOST, OWN_SITES, HostNames, fault_of_host
from mockserver.web.routing.address import CONTROL_PREFIX, DASHBOARD_PREFIX

#: The page that asks for the token, and the files that it loads, need no token.
SIGN_IN = f"{DASHBOARD_PREFIX}/sign-in"
_FILES = f"{DASHBOARD_PREFIX}/static/"
#: The methods of requests that change nothing.
READING = frozenset({"GET", "HEAD", "OPTIONS"})


class Unauthorized(Problem):
    """A 401 for a request without control token and without session cookie."""

    def __init__(self) -> None:
        wrong = "wrong" if "Authorization" in request.headers else "missing"
        super().__init__(401, f"{wrong} control token: send the header Authorization: Bearer TOKEN")

    def response(self) -> Response:
        found = super().response()
        found.headers["WWW-Authenticate"] = "Bearer"
        return found


class Guard:
    """Refuses control calls of other origins, and control calls without the token, unless a call is open to all.

    Instead of the token, requests by pages of this server may have the cookie of a session of the dashboard.
    Without a token, the guard also checks the Host header, because DNS rebinding can make a public name lead to this
    server: it admits only names that cannot be in the public DNS, and names that a setting allows.
    """

    def __init__(self, sessions: Sessions, calls: Iterable[ControlCall], names: HostNames) -> None:
        self._sessions = sessions
        self._names = names
        self._open = {call.path.replace("{", "<").replace("}", ">") for call in calls if call.is_open}

    def __call__(self) -> None:
        """Check the current request.

        Raises:
            Unauthorized: the request has neither the token nor a session.
            TooManyGuesses: the client has sent too many wrong tokens.
            Problem: 403, a page of another origin has sent the request, or the name of the host is not admitted; 400,
                the Host header is malformed.
        """
        self._check_access(request.path)
        if fault := fault_of_host(request.environ.get("HTTP_HOST", DEFAULT_HOST)[:LONGEST_HOST]):
            raise Problem(400, fault)

    def _check_access(self, path: str) -> None:
        if not path.startswith(CONTROL_PREFIX) or (request.url_rule and request.url_rule.rule in self._open):
            return
        if not _is_link_to_a_page(path):
            self._check_origin()
        if not self._sessions.wants_token:
            host = request.environ.get("HTTP_HOST")  # browsers always send one, and only these can be misled
            if host is not None and not self._names.admits(host):
                why = f"unknown host name {host}: start the server with --allowed-host or with a control token"
                raise _forbidden(why)
        elif path != SIGN_IN and not path.startswith(_FILES) and not self._has_session() and not self._has_token():
            raise Unauthorized

    # ------------------------------------------------------------------ other origins

    def _check_origin(self) -> None:
        site = _site()
        if site not in OWN_SITES:
            raise _forbidden(f"a web page of another site sent this request (Sec-Fetch-Site: {site})")
        origin = request.headers.get("Origin")
        if origin is not None and not self._names.is_own(origin, request.environ.get("HTTP_HOST", "")):
            raise _forbidden(f"a web page of another origin ({origin}) sent this request")

    # ------------------------------------------------------------------ the token

    def _has_token(self) -> bool:
        scheme, _, given = request.headers.get("Authorization", "").partition(" ")
        # WSGI gives the bytes of a header as Latin-1 (PEP 3333); the token is compared by its UTF-8 bytes.
        token = given.strip().encode("latin-1")
        return scheme.lower() == "bearer" and self._sessions.is_token(token, request.remote_addr)

    def _has_session(self) -> bool:
        """Return whether the request carries a session cookie and comes from the user or a page of this server.

        Browsers that respect SameSite send no cookie with requests by other sites, but they do with requests by pages
        on other ports of this host. A request that changes something must name its origin, as browsers always do.
        """
        if not self._sessions.has(request.cookies.get(self._sessions.cookie)):
            return False
        site = _site()
        if request.method in READING:
            return site != "same-site" or _is_link_to_a_page(request.path)
        return site == "same-origin" or (not site and "Origin" in request.headers)


def _site() -> str:
    """Return how the browser describes the page that has sent the request, or an empty text."""
    return request.headers.get("Sec-Fetch-Site", "").strip().lower()


def _is_link_to_a_page(path: str) -> bool:
    """Return whether a user followed a link to a dashboard page; the linking page reads no answer."""
    headers = request.headers
    return (
        f"{path}/".startswith(f"{DASHBOARD_PREFIX}/")
        and request.method in ("GET", "HEAD")
        and headers.get("Sec-Fetch-Mode") == "navigate"
        and headers.get("Sec-Fetch-Dest") == "document"
    )


def _forbidden(why: str) -> Problem:
    return Problem(403, f"{why}; nothing was changed")
