"""Ports of loopback for servers that are told theirs, and that come back to it after a restart."""

from __future__ import annotations

import atexit
import random
import socket
from contextlib import suppress

#: Below those that Linux gives to connections by itself.
_PORTS = (20_000, 32_000)


def free_port():
    """An even port that nobody listens to, for TCP and UDP, and that is given to nobody else on this machine.

    It stays so while its server is away, until the process that has asked ends: a UDP socket at the odd port above it
    says to other processes that it is taken.
    """
    while True:
        port = random.SystemRandom().randrange(*_PORTS, 2)  # whatever has seeded the other one, in all workers alike
        with suppress(OSError):
            atexit.register(_claim(port).close)
            return port


def _claim(port):
    """What keeps a port.

    Raises:
        OSError: it is in use, or kept for somebody.
    """
    keeper = socket.socket(type=socket.SOCK_DGRAM)
    try:
        keeper.bind(("127.0.0.1", port + 1))
        with socket.create_server(("127.0.0.1", port)), socket.socket(type=socket.SOCK_DGRAM) as datagrams:
            datagrams.bind(("127.0.0.1", port))
    except BaseException:
        keeper.close()
        raise
    return keeper
