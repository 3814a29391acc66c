"""The service answers over a socket as it answers Flask's test client: every request of the fixtures, byte for byte."""

from __future__ import annotations

import http.client
import re
from itertools import zip_longest
from typing import NamedTuple
from urllib.parse import urlsplit

import pytest

from mockserver import Settings, create_app
from mockserver.evidence.fixture import cases
from mockserver.evidence.replay import ReceivedAnswer, replay

CASES = list(cases())
OPERATIONS = sorted({case.operation for case in CASES})
#: What the HTTP server itself adds to an answer.
OF_THE_SERVER = ("date", "connection")
#: A member of a few control calls that tells of real time, and so is never the same twice, not even in its length.
REAL_TIME = re.compile(rb'"offset_s":[-0-9.]+')
#: The log of activities names it.
AGENT = {"User-Agent": "tests"}
#: Seconds until an answer must have come.
PATIENCE = 20


class Answer(NamedTuple):
    """An answer as its bytes are, whichever way it came; names of headers have no case."""

    title: str
    status: int
    headers: list[tuple[str, str]]
    body: bytes


def answer(title, status, headers, body):
    constant, times = REAL_TIME.subn(b'"offset_s":0', body)
    left_out = (*OF_THE_SERVER, "content-length") if times else OF_THE_SERVER
    kept = [(name.lower(), value) for name, value in headers if name.lower() not in left_out]
    return Answer(title, status, kept, constant)


@pytest.fixture(scope="module")
def over_a_socket(module_serve):
    connection = http.client.HTTPConnection(urlsplit(module_serve("empty")).netloc, timeout=PATIENCE)

    def send(method, path, headers, body):
        connection.putrequest(method, path, skip_host=True, skip_accept_encoding=True)
        length = {"Content-Length": str(len(body))} if body else {}
        for name, value in {"Host": "localhost", **AGENT, **headers, **length}.items():
            connection.putheader(name, value)
        connection.endheaders(body)
        found = connection.getresponse()
        return answer(f"{method} {path}", found.status, found.getheaders(), found.read())

    yield send
    connection.close()


@pytest.fixture(scope="module")
def with_a_test_client():
    client = create_app(Settings(scenario="empty")).test_client()

    def send(method, path, headers, body):
        found = client.open(path, method=method, headers={**AGENT, **headers}, data=body)
        return answer(f"{method} {path}", found.status_code, found.headers, found.data)

    return send


def played(case, send):
    """The answers to all requests of a case."""
    found = []

    def noted(*request):
        found.append(send(*request))
        return ReceivedAnswer(found[-1].status, dict(found[-1].headers), found[-1].body)

    for _ in replay(case, noted):
        pass
    return found


@pytest.mark.parametrize("operation", OPERATIONS)
def test_every_request_of_the_fixtures_is_answered_alike_both_ways(operation, over_a_socket, with_a_test_client):
    for case in CASES:
        if case.operation == operation:
            ways = played(case, over_a_socket), played(case, with_a_test_client)
            for one, other in zip_longest(*ways):
                assert one == other, case.name
