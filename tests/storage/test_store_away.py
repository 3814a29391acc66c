"""Outcomes that come while the store is away: each is noted as soon as the store is back, and nothing is sent twice."""

import logging
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing

import httpx
import pytest
from load_balancer import until
from raw_receiver import listening
from smtp_inbox import Inbox
from store_trouble import WHY
from webhook_receiver import WebhookReceiver

from mockserver.effects import dispatcher

KEY = {"api-key": "any"}
START = "2026-01-15T09:00:00Z"
COMPANIES = "/v3/companies"
#: What fails when a disk is full, and when a database has gone.
WAYS = pytest.mark.parametrize("methods", [("write",), ("read", "write")], ids=["full", "gone"])


@pytest.fixture
def pool():
    with ThreadPoolExecutor() as found:
        yield found


@pytest.fixture
def receiver():
    with closing(WebhookReceiver()) as found:
        found.answers.append("hold")
        yield found


@pytest.fixture
def inbox():
    with closing(Inbox()) as found:
        found.gate.clear()
        yield found


@pytest.fixture
def peer(receiver):
    """A peer that holds its answer to the first call, `201 Created`, until it is let go."""

    def behave(raw, connection):
        receiver.take(raw)
        if len(raw.calls) == 1:
            assert receiver.lets_go.wait(10)
        connection.sendall(b"HTTP/1.1 201 Created\r\nX-Of-Peer: 1\r\nContent-Length: 2\r\n\r\n{}")

    with listening() as listen:
        found = listen(behave)
        yield found
        receiver.lets_go.set()


@pytest.fixture
def forwarding(start, peer):
    with start(beyond="forward", forward_to=peer.url(""), forward_writes=True, forward_timeout=8) as server:
        yield server


def post(server):
    return httpx.post(f"{server.url}{COMPANIES}", headers=KEY, json={}, timeout=20)


def journal(server):
    return httpx.get(f"{server.url}/_mock/requests", params={"path": COMPANIES}).json()["items"]


def invite(server, *names):
    """Create senders, each of whom gets an e-mail."""
    for name in names:
        body = {"name": name, "email": f"{name}@acme.test"}
        assert httpx.post(f"{server.url}/v3/senders", headers=KEY, json=body).status_code == 201


def sent(server):
    return httpx.get(f"{server.url}/_mock/mailbox", params={"smtp": "sent"}).json()["items"]


@WAYS
def test_the_outcome_of_a_webhook_call_is_noted_and_the_clock_moves_on(start, trouble, receiver, methods, caplog):
    with start() as server:
        hooks = [{"id": 1, "url": receiver.url, "events": ["delivered"]}]
        workspace = server.workspace({"clock": {"start": START, "frozen": True}, "webhooks": hooks})
        workspace.trigger("delivered")
        receiver.await_calls(1)
        with trouble.away(*methods):
            receiver.lets_go.set()

        until(lambda: httpx.get(f"{server.url}/_mock/readyz").status_code == 200, "the failure is over")
        workspace.clock.advance(minutes=1)

        (delivery,) = workspace.deliveries.all()
        assert (delivery.state, [attempt.status for attempt in delivery.attempts]) == ("delivered", [200])
        assert len(receiver.calls) == 1
    told = [record for record in caplog.records if WHY in record.getMessage() and record.levelno >= logging.WARNING]
    assert len(told) == 1


@WAYS
def test_an_email_is_shown_as_sent_and_those_behind_it_are_sent_once(start, trouble, inbox, methods, monkeypatch):
    monkeypatch.setattr(dispatcher, "_AWAY_S", 0.01)
    with start(smtp_url=inbox.url) as server:
        invite(server, "first", "second", "third")
        assert inbox.arrived.wait(10)
        with trouble.away(*methods):
            inbox.gate.set()

        until(lambda: len(sent(server)) == 3, "all are sent")

        assert inbox.tries == 3


@WAYS
def test_the_answer_of_a_peer_reaches_the_client_and_the_peer_is_called_once(
    forwarding, trouble, receiver, peer, pool, methods
):
    waiting = pool.submit(post, forwarding)
    receiver.await_calls(1)
    with trouble.away(*methods):
        receiver.lets_go.set()

    answer = waiting.result()

    assert (answer.status_code, answer.headers.get_list("X-Of-Peer")) == (201, ["1"])
    assert [entry["status"] for entry in journal(forwarding)] == [201]
    assert len(peer.calls) == 1


@pytest.mark.parametrize("store_url", ["redis"], indirect=True)
@pytest.mark.parametrize("moment", ["before the call", "before the answer"])
def test_a_request_is_forwarded_once_though_another_server_is_faster(forwarding, trouble, receiver, peer, pool, moment):
    trouble.overtaken = moment == "before the call"
    waiting = pool.submit(post, forwarding)
    receiver.await_calls(1)
    trouble.overtaken = moment == "before the answer"
    receiver.lets_go.set()

    answer = waiting.result()

    assert (answer.status_code, answer.headers.get_list("X-Of-Peer")) == (201, ["1"])
    assert [entry["status"] for entry in journal(forwarding)] == [201]
    assert (len(peer.calls), trouble.overtaken) == (1, 0)
