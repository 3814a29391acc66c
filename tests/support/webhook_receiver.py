"""A receiver of webhook calls, made with `http.server`."""

import json
import socket
import threading
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import NamedTuple

PATIENCE = 10


class Call(NamedTuple):
    path: str
    headers: dict
    body: object


class WebhookReceiver(ThreadingHTTPServer):
    """Answers each call as `answers` say: a status, `reset`, or `hold` until `lets_go` is set."""

    request_queue_size = 256

    def __init__(self):
        super().__init__(("127.0.0.1", 0), _Handler)
        self.url = f"http://127.0.0.1:{self.server_port}/hook"
        self.calls = []
        #: How to answer the first calls, one after the other, all later ones, and one that was held.
        self.answers, self.always, self.after_hold = [], 200, 200
        #: Called with the body of every call, before it is answered.
        self.on_call = lambda body: None
        self.lets_go = threading.Event()
        self._arrived = threading.Semaphore(0)
        self._lock = threading.Lock()
        self._thread = threading.Thread(target=self.serve_forever, args=(0.01,), daemon=True)
        self._thread.start()

    @property
    def bodies(self):
        return [call.body for call in self.calls]

    def take(self, call):
        with self._lock:
            self.calls.append(call)
            answer = self.answers.pop(0) if self.answers else self.always
        self._arrived.release()
        return answer

    def await_calls(self, number):
        for _ in range(number):
            assert self._arrived.acquire(timeout=PATIENCE)

    def close(self):
        self.lets_go.set()
        self.shutdown()
        self._thread.join(PATIENCE)
        self.server_close()

    def handle_error(self, request, client_address):
        """Ignore that the other side has closed the connection."""


class _Handler(BaseHTTPRequestHandler):
    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        answer = self.server.take(Call(self.path, dict(self.headers), body))
        self.server.on_call(body)
        if answer == "hold":
            self.server.lets_go.wait(PATIENCE)
            answer = self.server.after_hold
        if answer == "reset":
            self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
            self.connection.close()
            return
        with suppress(OSError):
            self.send_response(answer)
            self.send_header("Content-Length", "0")
            self.end_headers()

    def finish(self):
        with suppress(OSError, ValueError):
            super().finish()

    def log_message(self, *_):
        pass
