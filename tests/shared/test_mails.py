"""E-mails leave by SMTP once, whichever server is asked, and outlast the death of the one that sends them."""

from __future__ import annotations

import asyncio
import threading
from collections import Counter
from email import message_from_bytes

import pytest
from aiosmtpd.controller import Controller
from balanced import free_port, until

pytestmark = pytest.mark.slow


class Inbox:
    """Takes e-mails while its gate is open; counts them by their `Message-ID`."""

    def __init__(self):
        self.ids, self.tries = Counter(), 0
        self.gate = threading.Event()
        self.gate.set()

    async def handle_DATA(self, server, session, envelope):  # noqa: N802  # aiosmtpd's
        self.tries += 1
        await asyncio.to_thread(self.gate.wait, 30)
        self.ids[message_from_bytes(envelope.content)["Message-ID"]] += 1
        return "250 OK"


@pytest.fixture
def inbox():
    found = Inbox()
    found.controller = Controller(found, hostname="127.0.0.1", port=free_port())
    found.controller.start()
    yield found
    found.gate.set()
    found.controller.stop()


@pytest.fixture
def cluster(make_cluster, engine, inbox):
    return make_cluster(engine.url(), 3, "--smtp-url", f"smtp://127.0.0.1:{inbox.controller.port}")


def create(cluster, server, made, number):
    body = {"name": "Jo", "email": f"s{number}@acme.test"}
    return cluster.ask("POST", "/v3/senders", server=server, key=made["api_key"], json=body).status_code


def shown(cluster, made):
    """The e-mails that the mailbox shows."""
    return cluster.ask("GET", f"/w/{made['name']}/_mock/mailbox").json()["items"]


def test_each_leaves_once(cluster, inbox):
    made = cluster.make(server=cluster.servers[0])

    statuses = [create(cluster, server, made, number) for number, server in enumerate(cluster.servers * 2)]
    until(lambda: inbox.ids.total() == 6, "all have arrived")

    assert statuses == [201] * 6
    assert set(inbox.ids.values()) == {1}
    assert len(shown(cluster, made)) == 6


def test_what_was_under_way_when_a_server_died_is_sent_by_another_one_as_the_same_mail(cluster, inbox):
    holder, other, _ = cluster.servers
    made = cluster.make(server=holder)
    inbox.gate.clear()
    assert create(cluster, holder, made, 1) == 201
    until(lambda: inbox.tries, "it is under way")

    holder.kill()
    until(lambda: inbox.tries > 1, "another server sends it")
    inbox.gate.set()
    until(lambda: inbox.ids, "it has arrived")

    assert len(inbox.ids) == 1
    assert create(cluster, other, made, 2) == 201
