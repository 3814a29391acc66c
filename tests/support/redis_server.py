"""Debian's redis-server as a process, for the tests of stores that several servers share."""

from __future__ import annotations

import shutil
import signal
import socket
import subprocess
from contextlib import suppress

import pytest
from load_balancer import until
from ports import free_port

_PROGRAM = "redis-server"
#: How long the engine may take for one command, in seconds.
_PATIENCE_S = 30
#: What the engine keeps, and when: nothing, as it dies with the tests; or all that it acknowledged, which the kernel
#: has by then and a kill leaves there. A flush to the disk can take longer than servers wait, on a busy machine.
_FORGETFUL = ("--save", "", "--appendonly", "no")
_DURABLE = ("--save", "", "--appendonly", "yes", "--appendfsync", "no")


class RedisServer:
    """An engine on a free port of loopback, with its files in a folder; what is `durable` survives a kill."""

    def __init__(self, folder, *options, durable=False):
        self.port, self._folder = free_port(), folder
        self._options = [*(_DURABLE if durable else _FORGETFUL), *options]
        #: The process of the engine, once it was started.
        self.process = None

    def url(self, database=0):
        """The address of one of its databases, as the setting `store` takes it."""
        return f"redis://127.0.0.1:{self.port}/{database}"

    def start(self):
        """Start it, for the first time or again at the same port, and wait until it answers."""
        command = [_PROGRAM, "--bind", "127.0.0.1", "--port", str(self.port), "--dir", str(self._folder)]
        self.process = subprocess.Popen([*command, *self._options], stdout=subprocess.DEVNULL)
        until(self._is_ready, f"{_PROGRAM} is ready")

    def _is_ready(self):
        with suppress(OSError):
            return self.command("PING").startswith(("+PONG", "-NOAUTH"))
        return False

    def command(self, text, database=0):
        """The first line of the engine's reply to a command without binary arguments, as it is on the wire."""
        with (
            socket.create_connection(("127.0.0.1", self.port), timeout=_PATIENCE_S) as connection,
            connection.makefile("rb") as replies,
        ):
            connection.sendall(f"SELECT {database}\r\n{text}\r\n".encode())
            selected, found = (replies.readline().decode().removesuffix("\r\n") for _ in range(2))
        return found if selected == "+OK" else selected

    def kill(self):
        """End it at once, with all that it has in memory."""
        self._end(signal.SIGKILL)

    def stop(self):
        """Let it end by itself."""
        self._end(signal.SIGTERM)

    def signal(self, number):
        self.process.send_signal(number)

    def _end(self, number):
        if self.process is not None:
            self.signal(number)
            self.process.wait(_PATIENCE_S)

    def __enter__(self):
        if shutil.which(_PROGRAM) is None:
            pytest.skip(f"{_PROGRAM} is not installed: apt-get install {_PROGRAM}")
        self.start()
        return self

    def __exit__(self, *_):
        self.kill()
