"""The addresses of host names, looked up in threads, as the resolver of the system has no time limit."""

from __future__ import annotations

import socket
import threading
from collections.abc import Sequence
from concurrent.futures import Future
from ipaddress import ip_address

from mockserver.effects.deadline import Deadline

#: How many names are looked up at once, each in a thread that may hang; look-ups of one name share a thread. Chosen far
#: above the number of receivers that tests have.
_AT_ONCE = 32

_LOCK = threading.Lock()
_UNDER_WAY: dict[str, Future[Sequence[str]]] = {}


def addresses(host: str, deadline: Deadline) -> Sequence[str]:
    """All addresses of a host, in the order in which the system prefers them.

    Raises:
        OSError: it has none, they were not found before the deadline, or too many look-ups are under way.
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
    """End a look-up: its result is for those who wait for it, and the next caller looks the name up again."""
    with _LOCK:
        del _UNDER_WAY[host]


def _written(address: object, _port: object, _flow: object = 0, scope: object = 0) -> str:
    return f"{address}%{scope}" if scope else str(address)
