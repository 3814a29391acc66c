"""A connection's transport whose other end keeps what is sent."""

import asyncio
from types import SimpleNamespace


class Transport(asyncio.Transport):
    """A connection whose other end keeps what is sent."""

    def __init__(self, socket):
        super().__init__()
        self.socket = socket
        self.sent = b""
        self.is_closed = False
        self.wrote = asyncio.Event()

    def write(self, data):
        assert not self.is_closed
        self.sent += data
        self.wrote.set()

    def is_closing(self):
        return self.is_closed

    def close(self):
        self.is_closed = True

    def can_write_eof(self):
        return False

    def pause_reading(self):
        pass

    def resume_reading(self):
        pass

    def abort(self):
        self.is_closed = True

    def get_write_buffer_size(self):
        return 0

    def get_extra_info(self, name, default=None):
        return self.socket if name == "socket" else default


def transport_at(address):
    """A connection to an address of the server."""
    return Transport(
        SimpleNamespace(fileno=lambda: 3, getsockname=lambda: (address, 80), getpeername=lambda: ("127.0.0.1", 1))
    )
