"""The guard of the control API: it refuses web pages of other origins, and callers without the control token."""

from __future__ import annotations

import hmac
import re
import socket
from collections.abc import Collection, Iterable
from ipaddress import ip_address

from flask import Response, request

from mockserver.control.framework.declaration import ControlCall
from mockserver.control.framework.problem import Problem
from mockserver.web.routing.audience import CONTROL_PREFIX

#: Suffixes that the public DNS does not have: of RFC 6761 and RFC 6762, ICANN's name for private use, and those of
#: services of Kubernetes without and (`cluster.local`) with the name of the cluster.
_RESERVED = (".localhost", ".local", ".internal", ".test", ".svc")
#: The values of `Sec-Fetch-Site` for requests by pages of this server and its site, or by the user; other clients send
#: no such header.
_OWN_SITES = frozenset({"", "same-origin", "same-site", "none"})
#: A Host header, with or without a port; an IPv6 address is written in brackets.
_HOST = re.compile(r"(?:\[(?P<ip>[^\[\]\s]+)\]|(?P<name>[^\[\]:,/@\s]+))(?::\d{0,5})?")


class Guard:
    """Refuses control calls of other origins, and control calls without the token; calls that are open to all pass.

    Where the server has no token, the Host header is checked as well: DNS rebinding makes a name of the public DNS
    lead to this server, so only names are admitted that cannot be of the public DNS, or that a setting allows.
    """

    def __init__(self, token: str | None, calls: Iterable[ControlCall], allowed_hosts: Collection[str] = ()) -> None:
        self._token = None if token is None else token.encode()
        self._open = {call.path.replace("{", "<").replace("}", ">") for call in calls if call.is_open}
        self._allowed = frozenset(name.lower().removesuffix(".") for name in (*allowed_hosts, socket.gethostname()))

    @property
    def wants_token(self) -> bool:
        """Whether the control API asks for a token."""
        return self._token is not None

    def __call__(self) -> Response | None:
        """The refusal of the current request, or None if it is admitted."""
        if not request.path.startswith(CONTROL_PREFIX) or (request.url_rule and request.url_rule.rule in self._open):
            return None
        return self._foreign() or (self._unknown_host() if self._token is None else self._unauthorized(self._token))

    # ------------------------------------------------------------------ other origins

    def _foreign(self) -> Response | None:
        site = request.headers.get("Sec-Fetch-Site", "").strip().lower()
        if site not in _OWN_SITES:
            return _forbidden(f"a web page of another site has made this request (Sec-Fetch-Site: {site})")
        origin = request.headers.get("Origin")
        if origin is not None and not self._is_own(origin):
            return _forbidden(f"a web page of another origin ({origin}) has made this request")
        return None

    def _is_own(self, origin: str) -> bool:
        """Whether an origin is this server's, or its name is allowed.

        The scheme is not compared: a proxy before this server may end TLS.
        """
        host = origin.partition("://")[2]
        name = _name(host)
        own = request.environ.get("HTTP_HOST", "")
        return name is not None and (_without_port(host) == _without_port(own) or self._is_allowed(name))

    # ------------------------------------------------------------------ names

    def _unknown_host(self) -> Response | None:
        host = request.environ.get("HTTP_HOST")
        # Browsers always send a Host, and only browsers can be misled by DNS rebinding.
        if host is None or self._is_admitted(_name(host)):
            return None
        return _forbidden(
            f"the control API of this server is not known as {host}: start it with --allowed-host, or with a control "
            "token"
        )

    def _is_admitted(self, name: str | None) -> bool:
        """Whether a name cannot be one of the public DNS, or is allowed."""
        if not name:
            return False
        is_private = "." not in name or _is_address(name) or name.endswith(_RESERVED)
        return is_private or "*" in self._allowed or self._is_allowed(name)

    def _is_allowed(self, name: str) -> bool:
        """Whether a setting allows a name: by itself, or by a parent domain that is written with a dot before it."""
        labels = name.split(".")
        parents = (f".{'.'.join(labels[index:])}" for index in range(len(labels)))
        return name in self._allowed or any(parent in self._allowed for parent in parents)

    # ------------------------------------------------------------------ the token

    def _unauthorized(self, token: bytes) -> Response | None:
        scheme, _, given = request.headers.get("Authorization", "").partition(" ")
        # WSGI gives the bytes of a header as Latin-1 (PEP 3333); the token is compared by its UTF-8 bytes.
        if scheme.lower() == "bearer" and hmac.compare_digest(given.strip().encode("latin-1"), token):
            return None
        refused = Problem(401, "the control API of this server needs its token: Authorization: Bearer ...").response()
        refused.headers["WWW-Authenticate"] = "Bearer"
        return refused


def _forbidden(why: str) -> Response:
    return Problem(403, f"{why}; nothing was done").response()


def _name(host: str) -> str | None:
    """The name or the address in a Host header, in lower case and without its port; None if it is malformed."""
    found = _HOST.fullmatch(host.strip())
    if found is None:
        return None
    name = found["ip"] or found["name"]
    if found["ip"] is not None and not _is_address(name):
        return None
    return name.lower().removesuffix(".")


def _without_port(host: str) -> str:
    """A Host header without the default port of http or https."""
    return re.sub(r":(80|443|)$", "", host.strip().lower())


def _is_address(name: str) -> bool:
    try:
        ip_address(name.partition("%")[0])
    except ValueError:
        return False
    return True
