"""Receivers that speak to a socket as they like."""

import socket
import threading
from contextlib import contextmanager, suppress


class RawReceiver:
    """Listens on loopback, reads each call, and then behaves as it was told: by bytes, or by a function."""

    def __init__(self, behave, *, reads=True, tls=None):
        self.calls = []
        self.over = threading.Event()
        self._behave, self._reads, self._tls = behave, reads, tls
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = self._listener.getsockname()[1]
        self.address = f"127.0.0.1:{self.port}"
        self._thread = threading.Thread(target=self._serve, daemon=True)
        self._thread.start()

    def url(self, path="/hook", *, host="127.0.0.1", scheme="http"):
        return f"{scheme}://{host}:{self.port}{path}"

    @property
    def head(self):
        """The lines of the last call's head."""
        return self.calls[-1].partition(b"\r\n\r\n")[0].decode("latin-1").split("\r\n")

    @property
    def body(self):
        return self.calls[-1].partition(b"\r\n\r\n")[2]

    def headers(self, name):
        """The values of a header of the last call, in their order."""
        rows = (line.partition(": ") for line in self.head[1:])
        return [value for key, _, value in rows if key.lower() == name.lower()]

    def close(self):
        self.over.set()
        with suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        self._thread.join(timeout=10)
        assert not self._thread.is_alive()

    def _serve(self):
        while not self.over.is_set():
            with suppress(OSError):
                connection, _ = self._listener.accept()
                with connection:
                    connection.settimeout(5)
                    self._meet(connection)

    def _meet(self, connection):
        if self._tls is None:
            return self._talk(connection)
        with self._tls.wrap_socket(connection, server_side=True) as secured:
            return self._talk(secured)

    def _talk(self, connection):
        if self._reads:
            self.calls.append(_request(connection))
        if isinstance(self._behave, bytes):
            connection.sendall(self._behave)
        else:
            self._behave(self, connection)


def _request(connection):
    """A whole call, as its Content-Length has it."""
    found = b""
    while b"\r\n\r\n" not in found:
        found += connection.recv(65536) or b"\r\n\r\n"
    head, _, body = found.partition(b"\r\n\r\n")
    lengths = [int(line[15:]) for line in head.split(b"\r\n") if line.lower().startswith(b"content-length:")]
    while len(body) < sum(lengths):
        part = connection.recv(65536)
        if not part:
            break
        body += part
    return head + b"\r\n\r\n" + body


@contextmanager
def listening():
    running = []

    def start(behave=b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", **options):
        running.append(RawReceiver(behave, **options))
        return running[-1]

    yield start
    for receiver in running:
        receiver.close()
