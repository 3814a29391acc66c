"""A TLS server and its clients."""

from __future__ import annotations

import socket
import ssl
from urllib.parse import urlsplit

from stepped import Stepped

#: How long a client waits before a test fails, in seconds.
PATIENCE = 20


class Served:
    """A server that speaks TLS."""

    def __init__(self, runtime):
        self.app, self.url, self.tls_url = runtime.mock.flask, runtime.url, runtime.tls_url
        self.port = urlsplit(runtime.tls_url).port
        self.ca = runtime.mock.tls.ca

    @property
    def rules(self):
        return Stepped(self.app.store).default.state.faults

    def trusting(self):
        """A client's context that trusts the server, and nobody else."""
        return ssl.create_default_context(cadata=self.ca)

    def control(self, method, path, body=None):
        """A control call that takes no handshake, as it is made within the process."""
        return self.app.test_client().open(f"/_mock{path}", method=method, json=body)

    def add(self, fault, *, workspace="default", **rule):
        """Add a rule; gives its id."""
        found = self.app.test_client().post(
            "/_mock/faults", json={"fault": fault, **rule}, headers={"X-Mock-Workspace": workspace}
        )
        assert found.status_code == 201, found.text
        return found.json["id"]

    def connect(self, name="localhost", context=None, *, receive_buffer=None):
        """A secured connection of a client that calls the server by a name; the system holds so many bytes for it."""
        plain = socket.socket()
        try:
            plain.settimeout(PATIENCE)
            if receive_buffer is not None:
                plain.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
            plain.connect(("127.0.0.1", self.port))
            return (context or self.trusting()).wrap_socket(plain, server_hostname=name)
        except BaseException:
            plain.close()
            raise

    def ask(self, name="localhost", path="/v3/senders", context=None):
        """The status and the body of the answer to a request on a connection of its own."""
        with self.connect(name, context) as connection:
            return exchange(connection, path)


def exchange(connection, path="/v3/senders", host="localhost"):
    """The status and the body of the answer to a request."""
    head = f"GET {path} HTTP/1.1\r\nHost: {host}\r\napi-key: any\r\nConnection: close\r\n\r\n"
    connection.sendall(head.encode())
    answer = b""
    while some := connection.recv(65536):
        answer += some
    head, _, body = answer.partition(b"\r\n\r\n")
    return int(head.split()[1]), body
