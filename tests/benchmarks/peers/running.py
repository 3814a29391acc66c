"""A server of the comparison as it runs: its first answer, answers under load, and memory."""

import http.client
import os
import re
import signal
import subprocess
import time
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import NamedTuple

from benchmarks.bench import KEY
from benchmarks.peers.servers import JSON, PATH
from ports import free_port

BENCHMARKS = Path(__file__).parent.parent
#: Seconds; Java takes two on a quiet machine.
LONGEST_START = 30
MILLISECONDS = {"us": 0.001, "ms": 1, "s": 1000}


class Load(NamedTuple):
    rate: float
    p99_ms: float


class Running:
    """One server in a session of its own, by which all its processes are found; `first_answer` is in seconds."""

    def __init__(self, server, folder, answers):
        folder.mkdir()
        self.port = free_port()
        self._reset = server.reset
        self._command = server.command(folder, self.port, answers)
        began = time.perf_counter()
        self._process = subprocess.Popen(
            self._command,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
            env=_environment(),
        )
        try:
            self._wait(began + LONGEST_START)
        except BaseException:
            self.stop()
            raise
        self.first_answer = time.perf_counter() - began

    def _wait(self, deadline):
        while not self._answers():
            if self._process.poll() is not None or time.perf_counter() > deadline:
                raise AssertionError(f"no answer; to see why: {' '.join(self._command)}")
            time.sleep(0.002)

    def _answers(self):
        try:
            return bool(self.ask("GET", PATH))
        except OSError:
            return False

    def ask(self, method, path, body=None):
        """The body of an answer, which is a good one."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=LONGEST_START)
        try:
            connection.request(method, path, body, {**KEY, **JSON})
            answer = connection.getresponse()
            told = answer.read().decode()
        finally:
            connection.close()
        assert answer.status < 300, told
        return told

    def reset(self):
        if self._reset:
            self.ask("POST", self._reset, "{}")

    def read(self, seconds):
        return self._load(seconds)

    def write(self, seconds):
        return self._load(seconds, "-s", str(BENCHMARKS / "post.lua"))

    def _load(self, seconds, *options):
        headers = [part for name, value in {**KEY, **JSON}.items() for part in ("-H", f"{name}: {value}")]
        command = ["wrk", "-t1", "-c16", f"-d{seconds}s", "--latency", *headers, *options]
        address = f"http://127.0.0.1:{self.port}{PATH}"
        told = subprocess.run([*command, address], capture_output=True, text=True, check=True).stdout
        assert "Non-2xx" not in told
        rate = re.search(r"Requests/sec:\s+([\d.]+)", told)[1]
        p99, unit = re.search(r"99%\s+([\d.]+)(us|ms|s)", told).groups()
        return Load(float(rate), float(p99) * MILLISECONDS[unit])

    def memory_mb(self):
        """Resident memory of all its processes, in megabytes."""
        page = os.sysconf("SC_PAGE_SIZE")
        return sum(pages for session, pages in _processes() if session == self._process.pid) * page / 2**20

    def stop(self):
        with suppress(ProcessLookupError):  # all of them have ended already
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()


def _environment():
    # Compiled files are kept, as they are wherever the mock is installed.
    return {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}


def _processes():
    """The session and the resident pages of each process of this machine."""
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text().rpartition(")")[2].split()
        except (FileNotFoundError, ProcessLookupError):
            continue  # it has ended meanwhile
        yield int(fields[3]), int(fields[21])


@contextmanager
def running(server, folder, answers):
    """A server that has given its first answer."""
    started = Running(server, folder, answers)
    try:
        yield started
    finally:
        started.stop()
