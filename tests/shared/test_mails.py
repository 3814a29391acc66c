"""E-mails leave by SMTP once, whichever server is asked, and outlast the death of the one that sends them."""

from __future__ import annotations

from collections import Counter
from email import message_from_bytes

import pytest
from load_balancer import until
from smtp_inbox import Inbox

pytestmark = pytest.mark.slow


@pytest.fixture
def inbox():
    found = Inbox()
    yield found
    found.close()


def ids(inbox):
    """How often each mail has arrived, by its `Message-ID`."""
    return Counter(message_from_bytes(envelope.content)["Message-ID"] for envelope, _ in tuple(inbox.mails.queue))


@pytest.fixture
def cluster(make_cluster, engine, inbox):
    return make_cluster(engine.url(), 3, "--smtp-url", f"smtp://127.0.0.1:{inbox.port}")


def shown(cluster, made):
    """The e-mails that the mailbox shows."""
    return cluster.ask("GET", f"/w/{made['name']}/_mock/mailbox").json()["items"]


def test_each_mail_is_sent_once_by_smtp(cluster, inbox):
    made = cluster.make(server=cluster.servers[0])

    statuses = [cluster.create(made, number, server).status_code for number, server in enumerate(cluster.servers * 2)]
    until(lambda: ids(inbox).total() == 6, "all have arrived")

    assert statuses == [201] * 6
    assert set(ids(inbox).values()) == {1}
    assert len(shown(cluster, made)) == 6


def test_mail_of_a_dead_server_is_sent_once_by_another_one(cluster, inbox):
    holder, other, _ = cluster.servers
    made = cluster.make(server=holder)
    inbox.gate.clear()
    assert cluster.create(made, 1, holder).status_code == 201
    until(lambda: inbox.tries, "it is under way")

    holder.kill()
    until(lambda: inbox.tries > 1, "another server sends it")
    inbox.gate.set()
    until(lambda: ids(inbox), "it has arrived")

    assert len(ids(inbox)) == 1
    assert cluster.create(made, 2, other).status_code == 201
