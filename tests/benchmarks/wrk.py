"""As many requests as a server can take, made by wrk, and how it bears them."""

import re
import subprocess
from typing import NamedTuple

from benchmarks.bench import KEY
from benchmarks.connections import CONNECTIONS
from benchmarks.processor import seconds

_MS = {"us": 0.001, "ms": 1, "s": 1000}


class Burst(NamedTuple):
    """A second of requests to one server."""

    per_second: float
    #: How long 99 of 100 requests take at most, in milliseconds.
    p99: float
    #: The processor time of the server for a request.
    microseconds: float


def burst(server, *options):
    """A second of requests for senders; options such as a script are those of wrk."""
    key = [part for name, value in KEY.items() for part in ("-H", f"{name}: {value}")]
    command = ["wrk", "-t1", f"-c{CONNECTIONS}", "-d1s", "--latency", *key, *options, f"{server.root}/v3/senders"]
    before = seconds(server.process)
    told = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    used = seconds(server.process) - before
    assert "Non-2xx" not in told
    assert "Socket errors" not in told
    number, unit = re.search(r"99%\s+([\d.]+)(us|ms|s)", told).groups()
    return Burst(
        per_second=float(re.search(r"Requests/sec:\s+([\d.]+)", told)[1]),
        p99=float(number) * _MS[unit],
        microseconds=used / int(re.search(r"(\d+) requests in", told)[1]) * 1e6,
    )
