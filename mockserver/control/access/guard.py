"""Who may use the control API: neither web pages of other origins, nor who lacks the control token if there is one."""

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

#: Below them are no names of the public Internet: RFC 6761, RFC 6762, the private-use name of ICANN, and those that
#: Kubernetes gives to its services, with and without the name of the cluster.
_RESERVED = (".localhost", ".local", ".internal", ".test", ".svc")
#: What a browser says of a request that a page of this server, or nobody's page, has made.
_OWN_SITES = frozenset({"", "same-origin", "same-site", "none"})
#: A Host, with or without a port; an IPv6 address stands in brackets.
_HOST = re.compile(r"(?:\[(?P<ip>[^\[\]\s]+)\]|(?P<name>[^\[\]:,/@\s]+))(?::\d{0,5})?")


class Guard:
    """Refuses calls of other origins and calls without the token, but for those that are open to all.

    Without a token it looks at the Host as well: a name that leads here by a trick (DNS rebinding) is one that its
    owner has in the public DNS, and not one of ours.
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
        """A refusal, or nothing."""
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
        """Whether a page comes from here, or from a name that is allowed; TLS may end before this server."""
        host = origin.partition("://")[2]
        name = _name(host)
        own = request.environ.get("HTTP_HOST", "")
        return name is not None and (_without_port(host) == _without_port(own) or self._is_allowed(name))

    # ------------------------------------------------------------------ names

    def _unknown_host(self) -> Response | None:
        host = request.environ.get("HTTP_HOST")
        # Browsers always send one.
        if host is None or self._is_ours(_name(host)):
            return None
        return _forbidden(
            f"the control API of this server is not known as {host}: start it with --allowed-host, or with a control "
            "token"
        )

    def _is_ours(self, name: str | None) -> bool:
        """Whether a name cannot be somebody else's."""
        if not name:
            return False
        ours = "." not in name or _is_address(name) or name.endswith(_RESERVED)
        return ours or "*" in self._allowed or self._is_allowed(name)

    def _is_allowed(self, name: str) -> bool:
        """Whether a name is allowed, or stands below one that is written with a dot before it."""
        labels = name.split(".")
        parents = (f".{'.'.join(labels[index:])}" for index in range(len(labels)))
        return name in self._allowed or any(parent in self._allowed for parent in parents)

    # ------------------------------------------------------------------ the token

    def _unauthorized(self, token: bytes) -> Response | None:
        scheme, _, given = request.headers.get("Authorization", "").partition(" ")
        # A header comes as Latin-1, whatever its bytes mean.
        if scheme.lower() == "bearer" and hmac.compare_digest(given.strip().encode("latin-1"), token):
            return None
        refused = Problem(401, "the control API of this server needs its token: Authorization: Bearer ...").response()
        refused.headers["WWW-Authenticate"] = "Bearer"
        return refused


def _forbidden(why: str) -> Response:
    return Problem(403, f"{why}; nothing was done").response()


def _name(host: str) -> str | None:
    """The name or the address in a Host, in small letters; None: it is no Host."""
    found = _HOST.fullmatch(host.strip())
    if found is None:
        return None
    name = found["ip"] or found["name"]
    if found["ip"] is not None and not _is_address(name):
        return None
    return name.lower().removesuffix(".")


def _without_port(host: str) -> str:
    """A Host without the port that its scheme has anyway."""
    return re.sub(r":(80|443|)$", "", host.strip().lower())


def _is_address(name: str) -> bool:
    try:
        ip_address(name.partition("%")[0])
    except ValueError:
        return False
    return True
