"""Addresses of the form `HOST:PORT` among the settings."""

from __future__ import annotations

import re
from ipaddress import ip_address

#: `HOST:PORT`, `[IPV6]:PORT` or a host alone.
_SERVER = re.compile(r"(?P<host>[a-z0-9_.-]+|\[[0-9a-f:.]+\])(?::(?P<port>\d{1,5}))?", re.ASCII | re.IGNORECASE)
#: The greatest TCP and UDP port: ports are numbers of 16 bits.
_LAST_PORT = 65_535
#: The port of DNS servers (RFC 1035, section 4.2).
_DNS_PORT = 53


def mail_address(text: str) -> tuple[str, int]:
    """The host and the port of `HOST:PORT`.

    Raises:
        ValueError: the text is not of that form, or the port is above 65,535.
    """
    found = _SERVER.fullmatch(text)
    if found is None or found["port"] is None or int(found["port"]) > _LAST_PORT:
        raise ValueError(f"mails cannot be taken at {text!r}: it must be HOST:PORT")
    return found["host"].strip("[]"), int(found["port"])


def dns_server(text: str) -> tuple[str, int]:
    """The host and the port of `HOST:PORT`, or of a host alone, whose port is 53.

    Raises:
        ValueError: the text is not of that form, the host is no address though it looks like one, or the port is not
            from 1 to 65,535.
    """
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
