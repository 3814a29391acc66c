"""A server of the standard library that serves in a thread of its own."""

from __future__ import annotations

import threading
from contextlib import contextmanager


@contextmanager
def in_background(server):
    """Serve in a thread, until the block ends; then close the server."""
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
