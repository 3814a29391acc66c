"""A server in the place of the service, which records each request and answers as a function says."""

from __future__ import annotations

from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from background_server import in_background


class _Handler(BaseHTTPRequestHandler):
    def handle_one_request(self):
        self.raw_requestline = self.rfile.readline(65_537)
        if self.raw_requestline and self.parse_request():
            self.server.seen.append((self.command, self.path, self.headers.get("api-key")))
            self.wfile.write(self.server.answer(self.path))
        self.close_connection = True

    def log_message(self, *_):
        pass


@contextmanager
def recording_service(answer):
    """Start a server; `answer` returns the bytes that are sent for a path. `seen` has method, path and key."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
    server.answer, server.seen = answer, []
    server.url = f"http://127.0.0.1:{server.server_port}"
    with in_background(server):
        yield server


def response(status, body, content_type="application/json", *headers):
    """The bytes of an answer."""
    lines = [f"HTTP/1.1 {status}", f"Content-Type: {content_type}", f"Content-Length: {len(body)}", *headers]
    return "\r\n".join([*lines, "Connection: close", "", ""]).encode() + body


def answer_of_api(api):
    """Answers as an application does."""

    def answer(path):
        found = api.get(path)
        return response(f"{found.status_code} Status", found.data, found.mimetype)

    return answer
