"""How many of our files a warm request enters, and how often it returns to a file that it has left."""

import http.client
import json
import os
import threading
import time
from urllib.parse import urlsplit

import pytest

import mockserver
from mockserver import MockServer

ROOT = os.path.dirname(mockserver.__file__) + os.sep  # noqa: PTH120  # compared with names of code objects
#: The part of the event loop that runs between requests.
BETWEEN = "web/server/server.py"


class Path:
    """The files of all calls of Python functions of the package in the threads of a server."""

    def __init__(self):
        self.is_on = False
        self.files = []

    def __call__(self, frame, event, _):
        file = frame.f_code.co_filename
        is_request = self.is_on and threading.current_thread().name == "mockserver"
        if is_request and event == "call" and file.startswith(ROOT) and not file.endswith(BETWEEN):
            self.files.append(file.removeprefix(ROOT))

    def counts(self):
        """Return the number of files, and the number of returns to a file."""
        seen, last, returns = set(), None, 0
        for file in self.files:
            returns += file != last and file in seen
            seen.add(file)
            last = file
        return len(seen), returns


@pytest.fixture(scope="module")
def ask():
    """Make requests, and return the counts of the shortest path."""
    path = Path()
    before = threading.getprofile()
    threading.setprofile(path)
    try:
        server = MockServer(scenario="standard")
        server.start()
    finally:
        threading.setprofile(before)
    url = urlsplit(server.url)
    connection = http.client.HTTPConnection(url.hostname, url.port)
    headers = {"api-key": "any", "content-type": "application/json"}

    def asked(target, bodies, status):
        counts = []
        for body in bodies:
            path.files.clear()
            path.is_on = True
            connection.request("POST", target, json.dumps(body), headers)
            answer = connection.getresponse()
            answer.read()
            time.sleep(0.02)  # the request ends after its answer has left
            path.is_on = False
            assert answer.status == status
            counts.append(path.counts())
        return min(counts[1:])  # the first request may run in another thread

    yield asked
    connection.close()
    server.stop()


def test_warm_post_enters_few_files(ask):
    bodies = [{"name": f"n{number}", "email": f"n{number}@acme.test"} for number in range(12)]
    files, returns = ask("/v3/senders", bodies, 201)
    assert files <= 36
    assert returns <= 71


def test_warm_control_call_enters_few_files(ask):
    files, returns = ask("/_mock/clock/advance", [{"seconds": 1}] * 12, 200)
    assert files <= 38
    assert returns <= 57
