"""No body stops the server for other clients, whatever call takes it.

`pytest -m guard tests/hostile` sends every body to every call in three sizes, but each large text of JSON and YAML to a
share of the calls only; the second command of the README sends the smaller sizes to some calls.
"""

from __future__ import annotations

import http.client
import os
import smtplib
import subprocess
import sys
import threading
import time
from collections import Counter
from contextlib import suppress
from pathlib import Path
from types import FrameType, TracebackType
from typing import Any, NamedTuple
from urllib.parse import urlsplit

import pytest
from hostile.costly_bodies import FORMS, JSON, MAILS, YAML
from hostile.refusals import PARTS
from marshmallow import fields

from mockserver.app.control_api import CONTROL_API
from mockserver.resources.registry import ALL_OPERATIONS, OPERATIONS

SMALL, MIDDLE, LARGE = 10_000, 100_000, 1_000_000
#: One call in so many gets a large text: the parser takes up to a second for it, and is the same for all calls.
SHARED_OUT = {"application/json": 3, "application/yaml": 5}
#: How long another client may have to wait, in seconds: on an idle machine, and beside other programs.
QUIET_S, BUSY_S = 0.1, 0.5
#: How many times longer a body of ten times the size may take; shorter times are noise.
MOST_GROWTH, NOISE_S = 30, 0.02
#: A delay by chance does not repeat.
TRIES = 3
FORM = (
    *("grant_type", "code", "client_id", "client_secret", "redirect_uri", "refresh_token", "scope", "token"),
    *("code_verifier", "csrf", "grant", "email", "password", "decision", "state", "code_challenge", "response_type"),
)


class EntryPoint(NamedTuple):
    """A call that takes a body of a media type, and the members that it knows."""

    method: str
    path: str
    media: str
    names: tuple[str, ...]
    bodies: dict[str, Any]

    def __str__(self):
        return f"{self.method} {self.path} as {self.media.removeprefix('application/')}"


def entry_points():
    for call in CONTROL_API.calls:
        schema = call.body or call.document
        is_receiver = call.resource == "receiver"
        if (schema or is_receiver) and not (is_receiver and call.method != "POST"):
            names, path = known_names(schema), call.path.format(**PARTS)
            yield EntryPoint(call.method, path, "application/json", names, JSON)
            if not is_receiver:
                yield EntryPoint(call.method, path, "application/yaml", names, YAML)
    for row in OPERATIONS.values():
        if row.body_schema is not None:
            path = row.path.format(**PARTS)
            yield EntryPoint(row.method, path, "application/json", known_names(row.body_schema), JSON)
    posted = {row.path for row in ALL_OPERATIONS.values() if row.id not in OPERATIONS and row.method == "POST"}
    for path in sorted(posted):
        yield EntryPoint("POST", path, "application/x-www-form-urlencoded", FORM, FORMS)


def known_names(schema):
    if schema is None:
        return ()
    rows = schema().fields.items()
    return tuple(field.data_key or name for name, field in rows if not isinstance(field, fields.Constant))


WAYS = {str(way): way for way in entry_points()}


class Server:
    """A server in another process, one client, and another client that measures how long it has to wait."""

    def __init__(self):
        command = [sys.executable, "-m", "mockserver", "serve", "--port", "0", "--smtp-in", "127.0.0.1:0"]
        options = ["--scenario", "corporate-v2", "--egress", "loopback", "--log-format", "off"]
        self._process = subprocess.Popen([*command, *options], stdout=subprocess.PIPE, text=True)
        self._address = urlsplit(self._process.stdout.readline().strip()).netloc
        self._mails = self._process.stdout.readline().strip().removeprefix("smtp://").split(":")
        self._connection = self._connect()
        self._longest, self._ends = 0.0, False
        self._bystander = threading.Thread(target=self._watch)
        self._bystander.start()

    def _connect(self):
        return http.client.HTTPConnection(self._address, timeout=120)

    def _watch(self):
        connection = self._connect()
        while not self._ends:
            started = time.perf_counter()
            connection.request("GET", "/_mock/livez")
            connection.getresponse().read()
            self._longest = max(self._longest, time.perf_counter() - started)
            time.sleep(0.003)
        connection.close()

    def close(self):
        self._ends = True
        self._bystander.join()
        self._connection.close()
        self._process.terminate()
        self._process.communicate(timeout=20)

    def send(self, method, path, headers, body):
        """Send a request. Return how many seconds passed until its answer, or until the connection was closed."""
        started = time.perf_counter()
        try:
            self._connection.request(method, path, body, headers)
            self._connection.getresponse().read()
        except (http.client.HTTPException, ConnectionError):
            self._connection.close()
        return time.perf_counter() - started

    def mail(self, message):
        started = time.perf_counter()
        with suppress(smtplib.SMTPException), smtplib.SMTP(self._mails[0], int(self._mails[1]), timeout=120) as peer:
            peer.sendmail("bob@example.test", ["reply@in.acme.test"], message)
        return time.perf_counter() - started

    def memory(self):
        """Return how many kB of memory the process has."""
        status = Path(f"/proc/{self._process.pid}/status").read_text(encoding="ascii")
        return next(int(line.split()[1]) for line in status.splitlines() if line.startswith("VmRSS"))

    def complaint(self, sizes, send):
        """Return what is wrong with how a body of some sizes was served, if every try shows it, or None."""
        found = [self._complaint(sizes, send)]
        while found[-1] is not None and len(found) < TRIES:
            found.append(self._complaint(sizes, send))
        return found[-1]

    def _complaint(self, sizes, send):
        self._longest = 0.0
        seconds = [send(size) for size in sizes]
        is_busy = os.getloadavg()[0] > (os.cpu_count() or 1) or "PYTEST_XDIST_WORKER" in os.environ
        if self._process.poll() is not None:
            return "the server has ended"
        if self._longest > (BUSY_S if is_busy else QUIET_S):
            return f"another client waited {self._longest * 1000:.0f} ms"
        if seconds[-1] > MOST_GROWTH * max(seconds[-2], NOISE_S):
            return f"{sizes[-2]:,} bytes took {seconds[-2]:.2f} s, {sizes[-1]:,} bytes {seconds[-1]:.2f} s"
        return None

    def complaints(self, way, sizes_of):
        headers = {"Content-Type": way.media, "api-key": "xkeysib-acme"}
        found = {}
        for number, (name, make) in enumerate(way.bodies.items()):
            sizes = sizes_of(number)
            bodies = {size: make(size, way.names).encode() for size in sizes}
            found[name] = self.complaint(
                sizes, lambda size, bodies=bodies: self.send(way.method, way.path, headers, bodies[size])
            )
        return {name: problem for name, problem in found.items() if problem is not None}


@pytest.fixture(scope="module")
def guard_server():
    server = Server()
    yield server
    server.close()


@pytest.mark.parametrize(
    "name",
    ["POST /v3/senders as json", "POST /_mock/faults as yaml", "PUT /_mock/state as json",
     "POST /_mock/receiver/default as json"],
)  # fmt: skip
def test_small_bodies_never_stop_other_clients(guard_server, name):
    assert guard_server.complaints(WAYS[name], lambda _: (SMALL, MIDDLE)) == {}


@pytest.mark.guard
@pytest.mark.parametrize("name", WAYS)
def test_bodies_never_stop_other_clients(guard_server, name):
    way, position = WAYS[name], list(WAYS).index(name)
    share = SHARED_OUT.get(way.media, 1)

    def sizes_of(number):
        return (SMALL, MIDDLE, LARGE) if number % share == position % share else (SMALL, MIDDLE)

    assert guard_server.complaints(way, sizes_of) == {}


@pytest.mark.guard
@pytest.mark.parametrize("name", MAILS)
def test_mails_never_stop_other_clients(guard_server, name):
    bodies = {size: MAILS[name](size, ()).encode() for size in (SMALL, MIDDLE, LARGE)}

    assert guard_server.complaint((SMALL, MIDDLE, LARGE), lambda size: guard_server.mail(bodies[size])) is None


@pytest.mark.guard
def test_memory_of_bodies_is_freed(guard_server):
    way = WAYS["POST /v3/senders as json"]

    def memory_after_all():
        for make in way.bodies.values():
            headers = {"Content-Type": way.media, "api-key": "any"}
            guard_server.send(way.method, way.path, headers, make(LARGE, way.names).encode())
        guard_server.send("POST", "/_mock/reset", {}, b"")
        return guard_server.memory()

    memory_after_all()
    first, second = memory_after_all(), memory_after_all()

    assert second < 1.1 * first


@pytest.mark.parametrize("way", WAYS.values(), ids=str)
def test_refused_requests_leave_no_reference_cycles(make_api, left_behind, way):
    """What only a garbage collection frees would stop the server for all clients."""
    api = make_api("corporate-v2")
    headers = {"Content-Type": way.media, "api-key": "xkeysib-acme"}
    bodies = [make(1_000, way.names).encode() for make in list(way.bodies.values())[::4]]

    def send():
        for body in bodies:
            api.client.open(way.path, method=way.method, data=body, headers=headers)

    holders = (FrameType, TracebackType, BaseException)
    assert Counter(type(one).__name__ for one in left_behind(send) if isinstance(one, holders)) == {}
