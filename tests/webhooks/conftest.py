"""A receiver of webhook calls made with `http.server`, and workspaces whose webhooks lead to it."""

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import NamedTuple

import pytest

#: The moment of the frozen clock of the workspaces of these tests.
START = "2026-01-15T09:00:00.123000Z"


class Call(NamedTuple):
    path: str
    headers: dict
    body: object


class Receiver:
    """Takes calls on a free port; answers with `statuses`, one after the other, and then with 200."""

    def __init__(self):
        self.calls = []
        self.statuses = []
        #: Cleared: calls are held until it is set again.
        self.answering = threading.Event()
        self.answering.set()
        #: Released once for every call that has come in.
        self.arrived = threading.Semaphore(0)
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True)
        self._thread.start()

    @property
    def url(self):
        return f"http://127.0.0.1:{self._server.server_port}/hook"

    @property
    def bodies(self):
        return [call.body for call in self.calls]

    def close(self):
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def _handler(receiver):  # noqa: N805  # the handler has a self of its own
        class Handler(BaseHTTPRequestHandler):
            def do_POST(self):
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                receiver.calls.append(Call(self.path, dict(self.headers), body))
                receiver.arrived.release()
                receiver.answering.wait(10)
                self.send_response(receiver.statuses.pop(0) if receiver.statuses else 200)
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, *_):
                pass

        return Handler


@pytest.fixture
def receiver():
    """A receiver of this test alone: a call that a test does not wait for must not reach the next test."""
    found = Receiver()
    yield found
    found.answering.set()
    found.close()


class Hooked:
    """A workspace with webhooks that lead to a receiver, on a frozen clock unless it is made otherwise."""

    def __init__(self, api, receiver):
        self.api, self.receiver = api, receiver

    def trigger(self, event="delivered", **members):
        answer = self.api.post("/_mock/trigger", json={"event": event, **members})
        assert answer.status_code == 200, answer.text
        return answer.json["items"]

    def tell(self, story, **members):
        return self.api.post("/_mock/trigger", json={"story": story, **members}).json["items"]

    def advance(self, by):
        return self.api.advance(by)

    def settled(self, number):
        """A delivery after its first attempt is over, as the control API shows it."""
        self.api.advance("PT0S")
        return self.api.get(f"/_mock/deliveries/{number}").json

    def state(self):
        return self.api.get("/_mock/state").json

    def save_and_load(self):
        """Write the state and load it, as a restart does."""
        state = self.state()
        assert self.api.put("/_mock/state", json=state).status_code == 200
        return state


@pytest.fixture
def hooked(make_api, receiver):
    """A factory of workspaces with these webhooks, which lead to the receiver by default, and with other members."""

    def make(*webhooks, frozen=True, **members):
        rows = [
            {"id": number, "url": receiver.url, **({"events": ["delivered"]} if "type" not in row else {}), **row}
            for number, row in enumerate(webhooks, 1)
        ]
        workspace = {"clock": {"start": START, "frozen": frozen}, "webhooks": rows, **members}
        return Hooked(make_api(workspace), receiver)

    return make
