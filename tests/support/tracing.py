"""What coverage traces: the first cases of each test. Others run the same lines with other data, at twice the cost."""

from __future__ import annotations

import sys
import threading
from collections import Counter
from contextlib import contextmanager

#: How many cases of a test are traced. Chosen: tables whose rows have a branch each lose one line in two hundred with
#: 10, and hardly any with 25.
MOST = 25


def repeats(items):
    """The tests among these that need no tracing: cases after the first ones of a function, and properties."""
    traced = Counter()
    for item in items:
        lines = _lines(item)
        if traced[lines] == MOST or item.get_closest_marker("hypothesis"):
            yield item
        else:
            traced[lines] += 1


def _lines(item):
    """What stands for the lines that a test runs: its function, and the form of the server that it is run with."""
    case = getattr(item, "callspec", None)
    return item.nodeid.partition("[")[0], case and case.indices.get("server")


@contextmanager
def untraced():
    """Let nothing be traced in this thread, nor in those that it starts; where sys.monitoring traces, this is nothing.

    Threads that run already go on being traced: a server of a whole module would else be lost to its other tests.
    """
    own, of_threads = sys.gettrace(), threading.gettrace()
    sys.settrace(None)
    threading.settrace(None)
    try:
        yield
    finally:
        threading.settrace(of_threads)
        sys.settrace(own)
