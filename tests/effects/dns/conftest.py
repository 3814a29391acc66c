"""A real DNS server with real zones, another that misbehaves as told, and workspaces that ask them."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import threading
from pathlib import Path

import dns.message
import dns.rrset
import pytest
from ports import free_port

CODE = "0a1b2c3d4e5f60718293a4b5c6d7e8f9"
KEY = "MIGfMA0GCSqGSIb3DQEBAQUAA4GNADCBiQKBgQC7nJ1yq0aXv3mWkTzR5dEoHs8uLfP2gYb4xKjN9wQcVi6ZtMrAhDlUeSpO+/1GqFzIDAQAB"
TOLD = {
    "": f"brevo-code:{CODE}",
    "mail._domainkey.": f"v=DKIM1; k=rsa; p={KEY}",
    "_dmarc.": "v=DMARC1; p=none; rua=mailto:rua@dmarc.brevo.com",
}

_KNOTD = shutil.which("knotd", path=f"{os.environ.get('PATH', '')}:/usr/sbin")
_ZONES = Path(__file__).parent / "zones"
_CONFIGURATION = """\
server:
    rundir: "{folder}"
    listen: 127.0.0.1@{port}
    udp-workers: 1
    tcp-workers: 1
    background-workers: 1
log:
  - target: stdout
    any: info
database:
    storage: "{folder}"
template:
  - id: default
    storage: "{zones}"
    journal-content: none
    zonefile-sync: -1
zone:
  - domain: test
    file: test.zone
  - domain: broken.example
    file: broken.example.zone
"""


@pytest.fixture(scope="session")
def nameserver(tmp_path_factory):
    """Knot DNS on a free port of loopback; gives its address."""
    if _KNOTD is None:
        pytest.skip("needs knotd: Debian's package knot")
    folder = tmp_path_factory.mktemp("knot")
    port = free_port()
    configuration = folder / "knot.conf"
    configuration.write_text(_CONFIGURATION.format(folder=folder, port=port, zones=_ZONES))
    with subprocess.Popen([_KNOTD, "-c", configuration], stdout=subprocess.PIPE, text=True) as server:
        try:
            log = []
            while "server started" not in "".join(log[-1:]):
                log.append(server.stdout.readline())
                assert log[-1], f"knotd does not start:\n{''.join(log)}"
            yield f"127.0.0.1:{port}"
        finally:
            server.terminate()


class Stub:
    """A DNS server of which each answer is made by `reply`: a question to bytes, a message or nothing."""

    def __init__(self):
        self.questions = []
        self.asked = threading.Semaphore(0)
        self.reply = self.told
        self._socket = socket.socket(type=socket.SOCK_DGRAM)
        self._socket.bind(("127.0.0.1", 0))
        self.address = f"127.0.0.1:{self._socket.getsockname()[1]}"
        self._threads = []
        self._listener = threading.Thread(target=self._listen)
        self._listener.start()

    def told(self, question):
        """The answer of a server that has all that the users were told to set."""
        name = question.question[0].name.to_text(omit_final_dot=True)
        prefix = next(prefix for prefix in reversed(TOLD) if name.startswith(prefix))
        return self.answer(question, f"TXT {quoted(TOLD[prefix])}")

    def answer(self, question, *records):
        """An answer with records `TYPE VALUE`, of the name that is asked for."""
        message = dns.message.make_response(question)
        for record in records:
            kind, value = record.split(" ", 1)
            message.answer.append(dns.rrset.from_text(question.question[0].name, 60, "IN", kind, value))
        return message

    def wait(self, questions=1):
        """Wait until so many more questions have come."""
        for _ in range(questions):
            assert self.asked.acquire(timeout=10), "nobody asks"

    def close(self):
        self._socket.sendto(b"", self._socket.getsockname())
        self._listener.join(10)
        for thread in self._threads:
            thread.join(10)
        self._socket.close()

    def _listen(self):
        while True:
            wire, peer = self._socket.recvfrom(4096)
            if not wire:
                return
            question = dns.message.from_wire(wire)
            self.questions.append(question.question[0].to_text())
            thread = threading.Thread(target=self._answer, args=(question, peer))
            self._threads.append(thread)
            thread.start()
            self.asked.release()

    def _answer(self, question, peer):
        answer = self.reply(question)
        if answer is not None:
            self._socket.sendto(answer if isinstance(answer, bytes) else answer.to_wire(), peer)


def quoted(value):
    return '"' + value.replace('"', r"\"") + '"'


@pytest.fixture
def stub():
    server = Stub()
    yield server
    server.close()


@pytest.fixture
def held(stub):
    """An event, before which the stub answers nothing."""
    event = threading.Event()

    def reply(question):
        assert event.wait(10), "nobody lets the stub answer"
        return stub.told(question)

    stub.reply = reply
    yield event
    event.set()


@pytest.fixture
def scenario():
    """A factory: a workspace in which DNS is asked, and its domains."""

    def scenario(*names, state="pending", **behaviour):
        domains = [{"name": name, "state": state, "code": CODE, "dkim_key": KEY} for name in names]
        return {"behaviour": {"dns": "resolver", **behaviour}, "domains": domains}

    return scenario


@pytest.fixture
def asking(make_api, scenario):
    """A factory: a workspace with one domain, and the server that it asks."""
    return lambda server, name="good.test", **rest: make_api(scenario(name, **rest), dns_resolver=server)


@pytest.fixture
def authenticate():
    """A function: ask for a domain's authentication; gives the answer, what DNS says now, and the journal's reason."""

    def authenticate(api, name="good.test"):
        answer = api.put(f"/v3/senders/domains/{name}/authenticate")
        view = api.get(f"/_mock/dns/{name}").json
        seen = {record: view[record] for record in ("brevo_code", "dkim_record", "dmarc_record")}
        return answer, seen, api.get("/_mock/requests").json["items"][0]["reason"]

    return authenticate


@pytest.fixture
def impatient(monkeypatch):
    """Look-ups that give up soon."""
    monkeypatch.setattr("mockserver.effects.dns._TRY_S", 0.05)
