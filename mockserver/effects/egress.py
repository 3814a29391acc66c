"""The egress policy: allowed addresses of outgoing calls.

The policy checks the resolved address, and the call uses the same address.

It is checked on the address that a name resolves to, and that same address is then called.
"""

from __future__ import annotations

import errno
import os
import socket
import threading
from collections.abc import Sequence
from concurrent.futures import Future
from enum import StrEnum
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network
from pathlib import Path

from mockserver.effects.deadline import Deadline

#: How many names are looked up at once, each in a thread that may hang; look-ups of one name share a thread. Chosen far
#: above the number of receivers that tests have.
_AT_ONCE = 32

_LOCK = threading.Lock()
_UNDER_WAY: dict[str, Future[Sequence[str]]] = {}


def addresses(host: str, deadline: Deadline) -> Sequence[str]:
    """Return all addresses of a host, in the system's preferred order.

    Raises:
        OSError: no address, not before the deadline, or too many running look-ups.
        ValueError: the host is not a name.
    """
    if _is_address(host):
        return [host]
    with _LOCK:
        found = _UNDER_WAY.get(host)
        if found is None:
            found = _begin(host)
    try:
        return found.result(deadline.left())
    except TimeoutError:
        raise OSError(f"DNS look-up of {host} timed out") from None


def _is_address(host: str) -> bool:
    try:
        ip_address(host)
    except ValueError:
        return False
    return True


def _begin(host: str) -> Future[Sequence[str]]:
    if len(_UNDER_WAY) >= _AT_ONCE:
        raise OSError(f"DNS look-up of {host} failed: too many look-ups are under way")
    found: Future[Sequence[str]] = Future()
    try:
        threading.Thread(target=_look_up, args=(host, found), name="look-up", daemon=True).start()
    except RuntimeError as error:
        raise OSError(f"DNS look-up of {host} failed: {error}") from error
    _UNDER_WAY[host] = found
    return found


def _look_up(host: str, found: Future[Sequence[str]]) -> None:
    try:
        rows = socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)
        result = tuple(dict.fromkeys(_written(*row[4]) for row in rows))
    except Exception as error:  # noqa: BLE001  # it is raised where the result is awaited
        _forget(host)
        found.set_exception(error)
    else:
        _forget(host)
        found.set_result(result)


def _forget(host: str) -> None:
    """End a look-up; the next caller looks the name up again."""
    with _LOCK:
        del _UNDER_WAY[host]


def _written(address: object, _port: object, _flow: object = 0, scope: object = 0) -> str:
    return f"{address}%{scope}" if scope else str(address)


class Egress(StrEnum):
    """The addresses that outgoing calls may reach."""

    LOOPBACK = "loopback"
    PRIVATE = "private"
    ANY = "any"


class EgressRefusedError(OSError):
    """The egress policy refuses the address."""


_LOOPBACK = [ip_network(text) for text in ("127.0.0.0/8", "::1/128")]
_PRIVATE = [*_LOOPBACK, *map(ip_network, ("10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "fc00::/7"))]
_ALLOWED = {Egress.LOOPBACK: _LOOPBACK, Egress.PRIVATE: _PRIVATE}
#: The errors of a connection to an address of this machine where nobody listens, or which it does not have.
_NOBODY_LISTENS = (errno.ECONNREFUSED, errno.EADDRNOTAVAIL)
_HINT = (
    "the mock runs in a container, whose localhost is the container itself: use the name of the service, or "
    "host.docker.internal for the host"
)
#: The files by which Docker and Podman mark a container.
_MARKS = ("/.dockerenv", "/run/.containerenv")
_NAMES = {Egress.LOOPBACK: "a loopback address", Egress.PRIVATE: "a loopback or private address"}


def connect(host: str, port: int, egress: Egress, deadline: Deadline) -> socket.socket:
    """Connect to a host's first address that accepts.

    Raises:
        EgressRefusedError: the policy refuses an address.
        OSError: no address accepts before the deadline; a hint explains localhost in containers.
        ValueError: the host is not a name.
    """
    rest = list(allowed(host, egress, deadline))
    while True:
        address = rest.pop(0)
        try:
            # An address that does not answer leaves the others their share of the time.
            return socket.create_connection((address, port), deadline.left() / (len(rest) + 1))
        except OSError as error:
            if rest:
                continue
            if error.errno in _NOBODY_LISTENS and is_allowed(address, Egress.LOOPBACK) and _is_in_container():
                raise OSError(error.errno, f"{error.strerror}; {_HINT}") from error
            raise


def _is_in_container() -> bool:
    """Return whether the process runs in a container of Docker, Podman or Kubernetes."""
    return "KUBERNETES_SERVICE_HOST" in os.environ or any(Path(mark).exists() for mark in _MARKS)


def allowed(host: str, egress: Egress, deadline: Deadline) -> Sequence[str]:
    """Return a host's addresses, if the policy allows them all."""
    found = addresses(host, deadline)
    for address in found:
        if not is_allowed(address, egress):
            at = f" at {address}" if address != host else ""
            raise EgressRefusedError(f"egress refused: {host}{at} is not {_NAMES[egress]} (--egress {egress})")
    return found


def is_allowed(address: str, egress: Egress) -> bool:
    """Return whether the policy allows an address.

    IPv4-mapped IPv6 addresses count as IPv4 addresses, as their connections are. Other IPv6 addresses that embed one
    (6to4, NAT64, IPv4-compatible) lead where a gateway decides: only `any` allows them.
    """
    if egress is Egress.ANY:
        return True
    found = _unmapped(address)
    return any(found.version == network.version and found in network for network in _ALLOWED[egress])


def _unmapped(address: str) -> IPv4Address | IPv6Address:
    found = ip_address(address.partition("%")[0])
    return found.ipv4_mapped or found if isinstance(found, IPv6Address) else found
