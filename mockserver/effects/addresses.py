"""Addresses in settings: mail servers and DNS servers."""

from __future__ import annotations

import re
from ipaddress import ip_address
from typing import NamedTuple
from urllib.parse import SplitResult, unquote, urlsplit

#: `HOST:PORT`, `[IPV6]:PORT` or a host alone.
_SERVER = re.compile(r"(?P<host>[a-z0-9_.-]+|\[[0-9a-f:.]+\])(?::(?P<port>\d{1,5}))?", re.ASCII | re.IGNORECASE)
#: The greatest TCP and UDP port: ports are numbers of 16 bits.
_LAST_PORT = 65_535
#: The port of DNS servers (RFC 1035, section 4.2).
_DNS_PORT = 53


def mail_address(text: str) -> tuple[str, int]:
    """Return host and port of `HOST:PORT`."""
    found = _SERVER.fullmatch(text)
    if found is None or found["port"] is None or int(found["port"]) > _LAST_PORT:
        raise ValueError(f"mails cannot be taken at {text!r}: it must be HOST:PORT")
    return found["host"].strip("[]"), int(found["port"])


def dns_server(text: str) -> tuple[str, int]:
    """Return host and port of `HOST:PORT`, or of a host with default port 53."""
    found = _SERVER.fullmatch(f"[{text}]" if _is_ip(text) and ":" in text else text)
    host, port = ("", 0) if found is None else (found["host"].strip("[]"), int(found["port"] or _DNS_PORT))
    is_literal = not set(host) - set("0123456789.") or ":" in host
    if not 1 <= port <= _LAST_PORT or (is_literal and not _is_ip(host)):
        raise ValueError(f"the DNS resolver {text!r} must be HOST:PORT, or a host alone for port {_DNS_PORT}")
    return host, port


def _is_ip(text: str) -> bool:
    try:
        ip_address(text)
    except ValueError:
        return False
    return True


#: The ports that IANA gives to SMTP (RFC 5321, 4.5.4.2), and to SMTP with TLS from the start (RFC 8314, 3.3).
_PORTS = {"smtp": 25, "smtps": 465}


class SmtpUrl(NamedTuple):
    """`smtp://user:password@host:port`, or `smtps://` with immediate TLS."""

    host: str
    port: int
    tls: bool = False
    user: str | None = None
    password: str = ""

    @classmethod
    def parse(cls, url: str) -> SmtpUrl:
        """Parse a URL, with default port 25, or 465 for `smtps`.

        Raises:
            ValueError: the URL is malformed; the message hides it, as it may have a password.
        """
        try:
            parts = urlsplit(url)
            port = _PORTS.get(parts.scheme, 0) if parts.port is None else parts.port
        except ValueError as error:
            raise ValueError(f"the SMTP URL is invalid: {error}") from None
        if not parts.hostname or not port or not _is_bare(parts) or url.split() != [url]:
            raise ValueError("the SMTP URL must be smtp://[USER:PASSWORD@]HOST[:PORT], or the same with smtps://")
        user = unquote(parts.username) if parts.username else None
        return cls(parts.hostname, port, parts.scheme == "smtps", user, unquote(parts.password or ""))


def _is_bare(parts: SplitResult) -> bool:
    """Return whether an SMTP URL ends after host and port."""
    is_smtp = parts.scheme in _PORTS
    return is_smtp and parts.path in ("", "/") and not parts.query and not parts.fragment
