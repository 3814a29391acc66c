"""What Python's audit events tell of a piece of code."""

import functools
import sys
from contextlib import contextmanager

_watches = []


def _hook(event, arguments):
    for watch in _watches:
        watch(event, arguments)


@functools.cache
def _install():
    """Once for all tests, as a hook stays for good."""
    sys.addaudithook(_hook)


@contextmanager
def audited(is_forbidden):
    """Gives the events that are forbidden, in a list that grows, each with its arguments.

    For slow tests, which run without coverage: Python 3.11 with an audit hook ends a thread that begins to be traced
    while another one does, "Cannot install a trace function while another trace function is being installed".
    """
    _install()
    found = []

    def watch(event, arguments):
        if is_forbidden(event, arguments):
            found.append((event, arguments))

    _watches.append(watch)
    try:
        yield found
    finally:
        _watches.remove(watch)
