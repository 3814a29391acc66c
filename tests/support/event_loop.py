"""Requests as the event loop runs them, without a server."""

from contextlib import contextmanager

from mockserver.web.server.loop import LeaveLoop, begin_here, end_here


@contextmanager
def on_loop():
    """Let this thread count as one that runs an event loop."""
    begin_here()
    try:
        yield
    finally:
        end_here()


def leaves(api, method, path, **options):
    """Whether a request that begins on the loop leaves it."""
    try:
        with on_loop():
            api.request(method, path, **options)
    except LeaveLoop:
        return True
    return False
