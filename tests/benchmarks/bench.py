"""Servers in processes of their own, and what is measured of them."""

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
#: Without request logs, as the view that it is compared with writes none.
MOCK = [sys.executable, "-m", "mockserver", "serve", "--log-format", "off", "--port", "0", "--scenario"]
KEY = {"api-key": "xkeysib-acme"}


@contextmanager
def started(command, cores=None):
    """A server in a process of its own, perhaps on certain cores only; gives its root address and the process."""
    # Compiled files are kept, as they are wherever the mock is installed.
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment)
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


def rate(url, *options):
    """Answers per second to 16 connections."""
    key = [part for name, value in KEY.items() for part in ("-H", f"{name}: {value}")]
    command = ["wrk", "-t1", "-c16", "-d2s", *key, *options, url]
    told = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert "Non-2xx" not in told
    assert "Socket errors" not in told
    return float(re.search(r"Requests/sec:\s+([\d.]+)", told)[1])


def seconds_to_first_answer(command):
    start = time.perf_counter()
    with started(command) as (root, _):
        get(f"{root}/v3/senders")
        return time.perf_counter() - start


def resident_mb(process):
    status = Path(f"/proc/{process.pid}/status").read_text()
    return int(re.search(r"VmRSS:\s+(\d+) kB", status)[1]) / 1024
