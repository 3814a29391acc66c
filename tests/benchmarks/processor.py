"""Processor time that a server takes for requests, and the cores for servers and their load.

Time on the clock tells what a server costs only where nothing else runs. Processor time does so on a busy machine too,
if it is compared with that of another server within the same tenth of a second: what slows one slows the other.
"""

import ctypes
import os
import subprocess
import time
from contextlib import ExitStack, contextmanager
from typing import NamedTuple

from benchmarks.bench import part_of, started
from benchmarks.connections import Connections

_LIBC = ctypes.CDLL(None)
_CORES = sorted(os.sched_getaffinity(0))
#: A machine with one core has the same one for both.
SERVER_CORE, LOAD_CORE = {_CORES[0]}, {_CORES[-1]}

#: How many requests a turn may have: some hundredths of a second of them, in which the machine stays as it is.
REQUESTS = 160
#: How many turns each server has. On a busy machine the median of so many moves by a tenth.
_TURNS = part_of(50)


#: How many seconds a server without requests is left alone before its time is read: the kernel adds up the time of a
#: thread when it stops running, or else some hundred times a second.
_REST = 0.001


def seconds(process):
    """The user and system time of all threads that a process has had, which has nothing to do at the moment."""
    time.sleep(_REST)
    clock = ctypes.c_int()  # the `clockid_t` of Linux, whose resolution is that of the scheduler, a nanosecond
    error = _LIBC.clock_getcpuclockid(process.pid, ctypes.byref(clock))
    if error:
        raise OSError(error, os.strerror(error))
    return time.clock_gettime(clock.value)


class Server(NamedTuple):
    root: str
    process: subprocess.Popen
    connections: Connections


class Load(NamedTuple):
    """Requests to one server."""

    server: Server
    requests: list[bytes]
    status: int = 200

    def microseconds(self):
        """What each of the requests takes of the processor of the server."""
        before = seconds(self.server.process)
        statuses = self.server.connections.statuses(self.requests)
        used = seconds(self.server.process) - before
        assert statuses == {self.status: len(self.requests)}
        return used / len(self.requests) * 1e6


@contextmanager
def load_core():
    """This process, and those that it starts, run on the core for the load."""
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, LOAD_CORE)
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)


@contextmanager
def servers(*commands, log=None):
    """Servers on the core for servers, with the load on the other; gives each with connections to it.

    What they write to standard error goes to the file `log`, as `subprocess` takes it.
    """
    with load_core(), ExitStack() as stack:
        found = []
        for command in commands:
            root, process = stack.enter_context(started(command, SERVER_CORE, log))
            found.append(Server(root, process, stack.enter_context(Connections(root))))
        yield found


def in_turns(*loads, turns=_TURNS):
    """What a request of each load takes in microseconds, again and again: a tuple for each turn."""
    for load in loads:
        load.microseconds()  # what the first requests of a connection take is left out
    return [tuple(load.microseconds() for load in loads) for _ in range(turns)]
