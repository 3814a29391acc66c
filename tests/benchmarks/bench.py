"""Servers in processes of their own, and what is measured of them."""

import json
import os
import re
import subprocess
import sys
import time
import urllib.request
from contextlib import contextmanager
from pathlib import Path

HERE = Path(__file__).parent
EMPTY = [sys.executable, str(HERE / "empty.py")]
ASGI = [sys.executable, str(HERE / "asgi.py")]
MOCK_WITH_LOG = [sys.executable, "-m", "mockserver", "serve", "--port", "0", "--scenario"]
#: Without request logs, as the view that it is compared with writes none.
MOCK = [*MOCK_WITH_LOG[:-1], "--log-format", "off", "--scenario"]
KEY = {"api-key": "xkeysib-acme"}
#: The part of its measurements that a benchmark makes. Where it is only half of them, as in `.ci/run`, a busy machine
#: moves a median somewhat more, which the limits allow for.
_PART = float(os.environ.get("BENCHMARK_PART", "1"))


def part_of(count):
    """How often something is measured that would take `count` times where there is time for all."""
    return max(1, round(count * _PART))


@contextmanager
def started(command, cores=None, log=None):
    """A server in a process of its own, perhaps on certain cores only; gives its root address and the process."""
    # Compiled files are kept, as they are wherever the mock is installed.
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=log, text=True, env=environment)
    try:
        if cores is not None:
            os.sched_setaffinity(process.pid, cores)  # it has no other thread yet
        yield process.stdout.readline().strip(), process
    finally:
        process.kill()
        process.wait()
        process.stdout.close()


def get(url):
    with urllib.request.urlopen(urllib.request.Request(url, headers=KEY)) as answer:
        return answer.read()


def post(url, body):
    """The answer to JSON, as bytes."""
    headers = {"content-type": "application/json"}
    with urllib.request.urlopen(urllib.request.Request(url, json.dumps(body).encode(), headers)) as answer:
        return answer.read()


def seconds_to_first_answer(command):
    start = time.perf_counter()
    with started(command) as (root, _):
        get(f"{root}/v3/senders")
        return time.perf_counter() - start


def resident_mb(process):
    status = Path(f"/proc/{process.pid}/status").read_text()
    return int(re.search(r"VmRSS:\s+(\d+) kB", status)[1]) / 1024
