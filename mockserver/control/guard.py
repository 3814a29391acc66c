"""The guard of the control API: it refuses web pages of other origins, and callers without the control token."""

from __future__ import annotations

import re
import socket
from collections.abc import Collection, Iterable

from flask import Response, request

from mockserver.control.framework.call import ControlCall
from mockserver.control.framework.problem import Problem
from mockserver.control.sessions import Sessions
from mockserver.core.text import addresses
from mockserver.web.routing.address import CONTROL_PREFIX, DASHBOARD_PREFIX

#: The values of `Sec-Fetch-Site` for requests by pages of this server and its site, or by the user; other clients send
#: no such header.
_OWN_SITES = frozenset({"", "same-origin", "same-site", "none"})
#: The page that asks for the token, and the files that it loads, need no token.
SIGN_IN = f"{DASHBOARD_PREFIX}/sign-in"
_FILES = f"{DASHBOARD_PREFIX}/static/"
#: The methods of requests that change nothing.
READING = frozenset({"GET", "HEAD", "OPTIONS"})
#: A Host header, with or without a port; an IPv6 address is written in brackets.
_HOST = re.compile(r"(?:\[(?P<ip>[^\[\]\s]+)\]|(?P<name>[^\[\]:,/@\s]+))(?::\d{0,5})?")


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

    def __init__(self, sessions: Sessions, calls: Iterable[ControlCall], allowed_hosts: Collection[str] = ()) -> None:
        self._sessions = sessions
        self._open = {call.path.replace("{", "<").replace("}", ">") for call in calls if call.is_open}
        self._allowed = frozenset(name.lower().removesuffix(".") for name in (*allowed_hosts, socket.gethostname()))

    def __call__(self) -> None:
        """Check the current request.

        Raises:
            Unauthorized: the request has neither the token nor a session.
            TooManyGuesses: the client has sent too many wrong tokens.
            Problem: 403, a page of another origin has sent the request, or the name of the host is not admitted.
        """
        path = request.path
        if not path.startswith(CONTROL_PREFIX) or (request.url_rule and request.url_rule.rule in self._open):
            return
        if not _is_link_to_a_page(path):
            self._check_origin()
        if not self._sessions.wants_token:
            self._check_host()
        elif path != SIGN_IN and not path.startswith(_FILES) and not self._has_session() and not self._has_token():
            raise Unauthorized

    # ------------------------------------------------------------------ other origins

    def _check_origin(self) -> None:
        site = _site()
        if site not in _OWN_SITES:
            raise _forbidden(f"a web page of another site sent this request (Sec-Fetch-Site: {site})")
        origin = request.headers.get("Origin")
        if origin is not None and not self._is_own(origin):
            raise _forbidden(f"a web page of another origin ({origin}) sent this request")

    def _is_own(self, origin: str) -> bool:
        """Return whether an origin belongs to this server or has an allowed name.

        The scheme is not compared: a proxy before this server may end TLS.
        """
        host = origin.partition("://")[2]
        name = _name(host)
        own = request.environ.get("HTTP_HOST", "")
        return name is not None and (_without_port(host) == _without_port(own) or self._is_allowed(name))

    # ------------------------------------------------------------------ names

    def _check_host(self) -> None:
        host = request.environ.get("HTTP_HOST")
        # Browsers always send a Host, and only browsers can be misled by DNS rebinding.
        if host is None or self._is_admitted(_name(host)):
            return
        raise _forbidden(f"unknown host name {host}: start the server with --allowed-host or with a control token")

    def _is_admitted(self, name: str | None) -> bool:
        if not name:
            return False
        return addresses.is_private_host(name) or "*" in self._allowed or self._is_allowed(name)

    def _is_allowed(self, name: str) -> bool:
        """Return whether a setting allows the name, or a parent domain written with a leading dot."""
        labels = name.split(".")
        parents = (f".{'.'.join(labels[index:])}" for index in range(len(labels)))
        return name in self._allowed or any(parent in self._allowed for parent in parents)

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


def _name(host: str) -> str | None:
    """Return the lower-case name or address of a Host header without port, or None for a malformed header."""
    found = _HOST.fullmatch(host.strip())
    if found is None:
        return None
    name = found["ip"] or found["name"]
    if found["ip"] is not None and not addresses.is_ip_address(name):
        return None
    return name.lower().removesuffix(".")


def _without_port(host: str) -> str:
    """Return a Host header without the default port of http or https."""
    return re.sub(r":(80|443|)$", "", host.strip().lower())
