"""The names by which this server may be called, and the web pages that may call it."""

from __future__ import annotations

import re
import socket
from collections.abc import Collection, Mapping
from functools import lru_cache
from ipaddress import ip_address
from typing import Any

from mockserver.core.text import addresses
from mockserver.core.text.messages import shown

#: How many Host headers are checked once only. Chosen: more names than a server has, in few megabytes at worst.
_REMEMBERED = 64
#: What stands for a Host header that was not sent, which HTTP/1.0 allows.
DEFAULT_HOST = "localhost"
#: The longest of them, in characters: no name is longer, and so a longer one may be cut there and is malformed still.
LONGEST_HOST = 300
#: The values of `Sec-Fetch-Site` for requests by pages of this server and its site, or by the user; others send none.
OWN_SITES = frozenset({"", "same-origin", "same-site", "none"})


class HostNames:
    """Private names, the name of this machine, and the names of a setting; with a control token any name."""

    def __init__(self, allowed: Collection[str] = (), *, has_token: bool = False) -> None:
        self._allowed = frozenset(map(_plain, (*allowed, socket.gethostname())))
        self._remembered = lru_cache(maxsize=_REMEMBERED)(self._admits)
        self._admits_all = has_token or "*" in self._allowed

    def admits(self, host: str) -> bool:
        """Return whether a Host header names this server."""
        return self._remembered(host) if len(host) <= LONGEST_HOST else self._admits(host)

    def _admits(self, host: str) -> bool:
        name = addresses.host_name(host) or ""
        return name != "" and (addresses.is_private_host(name) or self._admits_all or self._allows(name))

    def is_own(self, origin: str, host: str) -> bool:
        """Return whether an origin belongs to this server, called by a Host header, or has an allowed name.

        The scheme is not compared: a proxy before this server may end TLS.
        """
        own = origin.partition("://")[2]
        name = addresses.host_name(own)
        return name is not None and (_without_port(own) == _without_port(host) or self._allows(name))

    def why_foreign(self, environ: Mapping[str, Any]) -> str | None:
        """Return why the page of a request is neither private nor of this server, by Origin, else by site, or None."""
        origin, host = environ.get("HTTP_ORIGIN"), environ.get("HTTP_HOST", "")
        if origin is None:
            site = environ.get("HTTP_SEC_FETCH_SITE", "").strip().lower()
            return None if site in OWN_SITES else f"a web page of another site (Sec-Fetch-Site: {site})"
        if _is_private(origin) or (self.is_own(origin, host) and self.admits(origin.partition("://")[2])):
            return None
        return f"a web page of another origin ({origin})"

    def _allows(self, name: str) -> bool:
        """Return whether a setting allows the name, or a parent domain written with a leading dot."""
        labels = name.split(".")
        parents = (f".{'.'.join(labels[index:])}" for index in range(len(labels)))
        return name in self._allowed or any(parent in self._allowed for parent in parents)


def host_url(environ: Mapping[str, Any]) -> str:
    """Return the address of this server as its client has called it, with a slash at its end, in ASCII."""
    scheme, host = environ["wsgi.url_scheme"], environ.get("HTTP_HOST")
    if host is None or fault_of_host(host[:LONGEST_HOST]):
        name, port = environ["SERVER_NAME"], environ["SERVER_PORT"]
        host = f"[{name}]:{port}" if ":" in name else f"{name}:{port}"
    return f"{scheme}://{host.removesuffix(':443' if scheme == 'https' else ':80')}/"


@lru_cache(maxsize=_REMEMBERED)
def fault_of_host(host: str) -> str | None:
    """Return why no address can have a Host header of at most `LONGEST_HOST` characters, or None."""
    if addresses.is_host(host):
        return None
    return f"malformed Host header {shown(host)}: expected a name or an IP address, with or without a port"


def _plain(name: str) -> str:
    """Return a name of a setting in the form of `host_name`: without port, in lower case and A-labels."""
    dot, name = name[: name.startswith(".")], name.removeprefix(".")
    return dot + addresses.ascii_form(re.sub(r"^([^:]+|\[.*\]):\d*$", r"\1", name).strip("[]")).removesuffix(".")


def _is_private(origin: str) -> bool:
    """Return whether an origin is a web page of a private name; anybody can have a page at a public IP address."""
    scheme, _, host = origin.partition("://")
    name = addresses.host_name(host) or ""
    if addresses.is_ip_address(name):
        return scheme in ("http", "https") and not ip_address(name.partition("%")[0]).is_global
    return scheme in ("http", "https") and name != "" and addresses.is_private_host(name)


def _without_port(host: str) -> str:
    """Return a Host header without the default port of http or https."""
    return re.sub(r":(80|443|)$", "", host.strip().lower())
