"""The guard of the control API: it refuses web pages of other origins, and callers without the control token."""

from __future__ import annotations

import re
import socket
from collections.abc import Collection, Iterable

from flask import Response, request

from mockserver.control.access.sessions import Sessions
from mockserver.control.framework.declaration import ControlCall
from mockserver.control.framework.problem import Problem
from mockserver.core.text import addresses
from mockserver.web.routing.address import CONTROL_PREFIX, DASHBOARD_PREFIX

#: The values of `Sec-Fetch-Site` for requests by pages of this server and its site, or by the user; other clients send
#: no such header.
_OWN_SITES = frozenset({"", "same-origin", "same-site", "none"})
#: What needs no token: the page that asks for it, and the files that it loads.
SIGN_IN = f"{DASHBOARD_PREFIX}/sign-in"
_FILES = f"{DASHBOARD_PREFIX}/static/"
#: The methods of requests that change nothing.
_READING = frozenset({"GET", "HEAD", "OPTIONS"})
#: A Host header, with or without a port; an IPv6 address is written in brackets.
_HOST = re.compile(r"(?:\[(?P<ip>[^\[\]\s]+)\]|(?P<name>[^\[\]:,/@\s]+))(?::\d{0,5})?")


class Unauthorized(Problem):
    """A 401: the request has neither the control token nor, of a page of the dashboard, the cookie of a session."""

    def __init__(self) -> None:
        wrong = "wrong" if "Authorization" in request.headers else "missing"
        super().__init__(401, f"{wrong} control token: send the header Authorization: Bearer TOKEN")

    def response(self) -> Response:
        found = super().response()
        found.headers["WWW-Authenticate"] = "Bearer"
        return found


class Guard:
    """Refuses control calls of other origins, and control calls without the token; calls that are open to all pass.

    In the place of the token, requests by pages of this server may have the cookie of a session of the dashboard.
    Where the server has no token, the Host header is checked as well: DNS rebinding makes a name of the public DNS
    lead to this server, so only names are admitted that cannot be of the public DNS, or that a setting allows.
    """

    def __init__(self, sessions: Sessions, calls: Iterable[ControlCall], allowed_hosts: Collection[str] = ()) -> None:
        self._sessions = sessions
        self._open = {call.path.replace("{", "<").replace("}", ">") for call in calls if call.is_open}
        self._allowed = frozenset(name.lower().removesuffix(".") for name in (*allowed_hosts, socket.gethostname()))

    def __call__(self) -> None:
        """Check the current request.

        Raises:
            Unauthorized: it shows neither the token nor a session.
            TooManyGuesses: its client has sent too many wrong tokens.
            Problem: 403, it was made by a page of another origin, or under a name that may be somebody else's.
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
        """Whether an origin is this server's, or its name is allowed.

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
        """Whether a name cannot be one of the public DNS, or is allowed."""
        if not name:
            return False
        return addresses.is_private_host(name) or "*" in self._allowed or self._is_allowed(name)

    def _is_allowed(self, name: str) -> bool:
        """Whether a setting allows a name: by itself, or by a parent domain that is written with a dot before it."""
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
        """Whether the request has the cookie of a session, and comes from a page of this server or from the user.

        Browsers that keep to SameSite send the cookie to no page of another site, but to those of other ports of this
        host. What changes something has to say where it comes from, which browsers always do.
        """
        if not self._sessions.has(request.cookies.get(self._sessions.cookie)):
            return False
        site = _site()
        if request.method in _READING:
            return site != "same-site" or _is_link_to_a_page(request.path)
        return site == "same-origin" or (not site and "Origin" in request.headers)


def _site() -> str:
    """What the browser says of the page that has made the request; empty if it is none, or an old one."""
    return request.headers.get("Sec-Fetch-Site", "").strip().lower()


def _is_link_to_a_page(path: str) -> bool:
    """Whether somebody has followed a link to a page of the dashboard, from wherever: who only links reads nothing."""
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
    """The name or the address in a Host header, in lower case and without its port; None if it is malformed."""
    found = _HOST.fullmatch(host.strip())
    if found is None:
        return None
    name = found["ip"] or found["name"]
    if found["ip"] is not None and not addresses.is_ip_address(name):
        return None
    return name.lower().removesuffix(".")


def _without_port(host: str) -> str:
    """A Host header without the default port of http or https."""
    return re.sub(r":(80|443|)$", "", host.strip().lower())
