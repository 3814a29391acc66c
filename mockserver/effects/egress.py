"""Where calls may go: checked on the address that a name has led to, which is then the one that is called."""

from __future__ import annotations

import socket
from collections.abc import Sequence
from enum import StrEnum
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network

from mockserver.effects.deadline import Deadline
from mockserver.effects.names import addresses


class Egress(StrEnum):
    """How far calls may go."""

    LOOPBACK = "loopback"
    PRIVATE = "private"
    ANY = "any"


class EgressRefusedError(OSError):
    """The address is out of bounds."""


_LOOPBACK = [ip_network(text) for text in ("127.0.0.0/8", "::1/128")]
_PRIVATE = [*_LOOPBACK, *map(ip_network, ("10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "fc00::/7"))]
_ALLOWED = {Egress.LOOPBACK: _LOOPBACK, Egress.PRIVATE: _PRIVATE}
_NAMES = {Egress.LOOPBACK: "a loopback address", Egress.PRIVATE: "a loopback or private address"}


def connect(host: str, port: int, egress: Egress, deadline: Deadline) -> socket.socket:
    """A connection to a host, as far as calls may go there: to the first of its addresses that takes one.

    Raises:
        EgressRefusedError: one of its addresses is out of bounds.
        OSError: there is no connection to any, or not in time.
        ValueError: the host is no name.
    """
    rest = list(allowed(host, egress, deadline))
    while True:
        address = rest.pop(0)
        try:
            # What one address does not answer is left for the others.
            return socket.create_connection((address, port), deadline.left() / (len(rest) + 1))
        except OSError:
            if not rest:
                raise


def allowed(host: str, egress: Egress, deadline: Deadline) -> Sequence[str]:
    """The addresses of a host, all of which are within bounds: one that is not bars the others."""
    found = addresses(host, deadline)
    for address in found:
        if not is_allowed(address, egress):
            at = f" at {address}" if address != host else ""
            raise EgressRefusedError(f"egress refused: {host}{at} is not {_NAMES[egress]} (--egress {egress})")
    return found


def is_allowed(address: str, egress: Egress) -> bool:
    """Whether calls may go to an address.

    An IPv4 address that is mapped into IPv6 counts as itself, as it is IPv4 that is spoken to it.
    Other forms that embed one (6to4, NAT64, IPv4-compatible) lead wherever a gateway takes them: never within bounds.
    """
    if egress is Egress.ANY:
        return True
    found = _unmapped(address)
    return any(found.version == network.version and found in network for network in _ALLOWED[egress])


def _unmapped(address: str) -> IPv4Address | IPv6Address:
    found = ip_address(address.partition("%")[0])
    return found.ipv4_mapped or found if isinstance(found, IPv6Address) else found
