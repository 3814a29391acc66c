"""A server in a process of its own, its client, and the other client that must not notice anything."""

from __future__ import annotations

import http.client
import json
import os
import smtplib
import subprocess
import sys
import threading
import time
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Self
from urllib.parse import urlsplit


class Server:
    """`mockserver serve`, on a free port."""

    def __init__(self, scenario: str = "corporate-v2") -> None:
        command = [sys.executable, "-m", "mockserver", "serve", "--port", "0", "--smtp-in", "127.0.0.1:0"]
        options = ["--scenario", scenario, "--egress", "loopback", "--log-format", "off"]
        self._process = subprocess.Popen([*command, *options], stdout=subprocess.PIPE, text=True)
        assert self._process.stdout is not None
        self.root = self._process.stdout.readline().strip()
        self.mails = self._process.stdout.readline().strip().removeprefix("smtp://")
        self._connection: http.client.HTTPConnection | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._connection is not None:
            self._connection.close()
        self._process.terminate()
        self._process.communicate(timeout=20)

    @property
    def lives(self) -> bool:
        return self._process.poll() is None

    def connection(self) -> http.client.HTTPConnection:
        return http.client.HTTPConnection(urlsplit(self.root).netloc, timeout=120)

    def send(self, method: str, path: str, headers: dict[str, str], body: bytes) -> tuple[int, float]:
        """The status, and after how many seconds it came; 0 where the connection was closed instead."""
        if self._connection is None:
            self._connection = self.connection()
        started = time.perf_counter()
        try:
            self._connection.request(method, path, body, headers)
            answer = self._connection.getresponse()
            answer.read()
            status = answer.status
        except (http.client.HTTPException, ConnectionError):
            self._connection.close()
            self._connection, status = None, 0
        return status, time.perf_counter() - started

    def mail(self, message: bytes) -> float:
        """How many seconds it took until a mail was taken or refused."""
        host, port = self.mails.split(":")
        started = time.perf_counter()
        with suppress(smtplib.SMTPException), smtplib.SMTP(host, int(port), timeout=120) as peer:
            peer.sendmail("bob@example.test", ["reply@in.acme.test"], message)
        return time.perf_counter() - started

    def held(self) -> float:
        """How many MB of memory the process has."""
        for line in Path(f"/proc/{self._process.pid}/status").read_text(encoding="ascii").splitlines():
            if line.startswith("VmRSS"):
                return int(line.split()[1]) / 1024
        raise AssertionError("the process is gone")


class Bystander:
    """Asks `livez` again and again, in a process of its own, and remembers the longest time that it had to wait."""

    _PROGRAM = Path(__file__).with_name("bystander.py")

    def __init__(self, root: str) -> None:
        self._process = subprocess.Popen(
            [sys.executable, str(self._PROGRAM), root], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        self._lock = threading.Lock()

    def __enter__(self) -> Self:
        self.longest()
        return self

    def __exit__(self, *_: object) -> None:
        self._process.communicate(timeout=20)

    def longest(self) -> float:
        """The longest wait since the last call, in seconds."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write("\n")
        self._process.stdin.flush()
        return float(json.loads(self._process.stdout.readline()))


def is_busy() -> bool:
    """Whether others want the machine as well: programs in the last minute, or other workers of this run."""
    return os.getloadavg()[0] > (os.cpu_count() or 1) or "PYTEST_XDIST_WORKER" in os.environ
