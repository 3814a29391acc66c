"""What one server knows and has under way, the next one on its file, or another one on its database, goes on with."""

from __future__ import annotations

import threading
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from email import message_from_bytes
from random import Random

import pytest
import requests
from examples import rounds
from load_balancer import until
from smtp_inbox import Inbox
from storage.crowd import CREDITS, GROUP, SUB_ACCOUNTS
from storage.places import Database
from webhook_receiver import WebhookReceiver

TOKEN = "t0ken"  # of servers that end with the test
WITH_APP = {
    "accounts": [{"name": "acme", "enterprise": True}],
    "oauth_apps": [{"client_id": "app", "client_secret": "s3cret", "scopes": ["account:read"]}],
}
FORM = {"grant_type": "client_credentials", "client_id": "app", "client_secret": "s3cret"}


def successor(cluster):
    """Another server, or the only one, which is started again."""
    *_, other = cluster.servers
    if other is cluster.servers[0]:
        other.start()
        other.wait()
    return other


# ------------------------------------------------------------------ secrets


@pytest.fixture
def guarded(make_cluster):
    """Servers whose pages want a token."""
    return make_cluster("--control-token", TOKEN)


def make_with_app(cluster, name, server):
    body, control = {"name": name, "scenario": WITH_APP}, {"Authorization": f"Bearer {TOKEN}"}
    made = cluster.ask("POST", "/_mock/workspaces", server=server, json=body, headers=control)
    assert made.status_code == 201


def token_of(cluster, server, name):
    answer = cluster.ask("POST", f"/w/{name}/realms/partner/oauth/token", server=server, data=FORM)
    assert answer.status_code == 200, answer.text
    return answer.json()["access_token"]


def opens_account(cluster, server, token):
    return cluster.ask("GET", "/v3/account", server=server, headers={"Authorization": f"Bearer {token}"}).status_code


def test_a_token_opens_its_account_at_the_successor(guarded):
    make_with_app(guarded, "w", guarded.servers[0])
    token = token_of(guarded, guarded.servers[0], "w")
    assert opens_account(guarded, successor(guarded), token) == 200


@pytest.mark.parametrize("place", [Database], indirect=True)
def test_a_token_of_any_server_opens_all_after_the_database_was_emptied(guarded, place):
    old, new, _ = guarded.servers
    make_with_app(guarded, "before", old)
    token_of(guarded, old, "before")
    assert place.engine.command("FLUSHALL") == "+OK"
    new.start()
    new.wait()
    make_with_app(guarded, "after", new)
    tokens = [token_of(guarded, server, "after") for server in (new, old)]
    assert [opens_account(guarded, server, token) for token in tokens for server in (old, new)] == [200] * 4


def opens_pages(browser, server):
    """Whether a server shows its pages to a browser without asking it to sign in."""
    return browser.get(f"{server.url}/_mock/ui/requests", allow_redirects=False, timeout=30).status_code == 200


@pytest.mark.parametrize("place", [Database], indirect=True)
def test_sign_in_and_sign_out_at_one_server_are_valid_at_all(guarded):
    server, browser, kept = guarded.servers[0], requests.Session(), requests.Session()
    browser.post(f"{server.url}/_mock/ui/sign-in", data={"token": TOKEN}, timeout=30)
    kept.cookies.update(browser.cookies)
    assert [opens_pages(kept, each) for each in guarded.servers] == [True] * 3
    assert not opens_pages(requests.Session(), server)

    browser.post(f"{server.url}/_mock/ui/sign-out", headers={"Origin": server.url}, timeout=30)
    guarded.servers[1].start()
    guarded.servers[1].wait()
    assert [opens_pages(kept, each) for each in guarded.servers] == [False] * 3


# ------------------------------------------------------------------ what was under way


@pytest.fixture
def receiver():
    with closing(WebhookReceiver()) as found:
        yield found


def trigger(cluster, made, event, server=None):
    body = {"type": "transactional", "event": "hardBounce", "payload": {"message-id": event}}
    answer = cluster.ask("POST", f"/w/{made['name']}/_mock/trigger", server=server, json=body)
    assert answer.status_code == 200


def make_with_webhook(cluster, receiver):
    return cluster.make(scenario={"webhooks": [{"url": receiver.url, "events": ["hardBounce"]}]})


@pytest.mark.slow
def test_a_call_under_way_at_a_server_that_dies_is_made_again_with_the_same_id(cluster, receiver):
    receiver.always = "hold"
    made, killed = make_with_webhook(cluster, receiver), cluster.servers[0]

    def deliveries(server):
        rows = cluster.ask("GET", f"/w/{made['name']}/_mock/deliveries", server=server).json()["items"]
        return {row["id"]: row["state"] for row in rows}

    trigger(cluster, made, "m1", killed)
    until(lambda: receiver.calls, "the call is under way")
    before = list(deliveries(killed))
    killed.kill()
    other = successor(cluster)
    until(lambda: len(receiver.calls) > 1, "the call is made again")
    receiver.always = 200
    receiver.lets_go.set()
    until(lambda: set(deliveries(other).values()) == {"delivered"}, "it is delivered")
    assert list(deliveries(other)) == before
    assert [body["message-id"] for body in receiver.bodies] == ["m1", "m1"]


@pytest.mark.slow
def test_each_call_is_made_once_though_all_servers_look_for_it(cluster, receiver):
    made = make_with_webhook(cluster, receiver)
    for number in range(10):
        trigger(cluster, made, f"m{number}")
    for server in cluster.servers * 5:
        cluster.ask("GET", f"/w/{made['name']}/_mock/deliveries", server=server)
    until(lambda: len({body["message-id"] for body in receiver.bodies}) == 10, "all calls are made")
    assert set(Counter(body["message-id"] for body in receiver.bodies).values()) == {1}


@pytest.mark.slow
def test_each_mail_is_sent_once_even_if_its_server_dies(make_cluster):
    def ids():
        """How often each mail has arrived, by its `Message-ID`."""
        return Counter(message_from_bytes(envelope.content)["Message-ID"] for envelope, _ in tuple(inbox.mails.queue))

    with closing(Inbox()) as inbox:
        cluster = make_cluster("--smtp-url", f"smtp://127.0.0.1:{inbox.port}")
        holder = cluster.servers[0]
        made = cluster.make(server=holder)
        for number, server in enumerate(cluster.servers * 2):
            assert cluster.create(made, number, server).status_code == 201
        count = 2 * len(cluster.servers)
        until(lambda: ids().total() == count, "all have arrived")
        assert set(ids().values()) == {1}
        assert len(cluster.ask("GET", f"/w/{made['name']}/_mock/mailbox").json()["items"]) == count

        inbox.gate.clear()
        tries = inbox.tries
        assert cluster.create(made, 98, holder).status_code == 201
        until(lambda: inbox.tries > tries, "it is under way")
        holder.kill()
        other = successor(cluster)
        until(lambda: inbox.tries > tries + 1, "it is sent again")
        inbox.gate.set()
        until(lambda: len(ids()) == count + 1, "it has arrived")
        assert cluster.create(made, 99, other).status_code == 201


@pytest.mark.slow
@pytest.mark.parametrize("place", [Database], indirect=True)
def test_a_client_that_tries_again_at_another_server_loses_one_request_at_most(cluster):
    made, killed, failed = cluster.make(), cluster.servers[0], []

    def ask(number, server):
        try:
            return cluster.create(made, number, server).status_code
        except requests.ConnectionError:
            return None

    for number in range(60):
        if number == 20:
            threading.Timer(0.02, killed.kill).start()
        first, second = (cluster.servers[(number + step) % 3] for step in (0, 1))
        # What was done, and not answered, is refused the second time, as the address is taken.
        if ask(number, first) != 201 and ask(number, second) not in (201, 400):
            failed.append(number)
    assert len(failed) <= 1


# ------------------------------------------------------------------ many at once

THREADS, WRITES = 16, rounds(1000)


def at_once(write):
    """What a function gives for each number; it is called by many threads at once."""
    with ThreadPoolExecutor(THREADS) as pool:
        return list(pool.map(write, range(WRITES)))


@pytest.mark.slow
def test_of_many_writes_at_once_none_is_lost_or_done_twice_and_credits_add_up(cluster):
    made, random = cluster.make(scenario=GROUP), Random(7)
    wanted = [(random.choice(SUB_ACCOUNTS), random.randrange(700)) for _ in range(WRITES)]

    def give(id_, amount):
        path, body = f"/v3/corporate/subAccount/{id_}/plan", {"credits": {"email": amount}}
        return cluster.ask("PUT", path, key=made["api_key"], json=body).status_code

    def act(number):
        again = cluster.create(made, number // 10 + WRITES) if number % 2 else None
        created = cluster.create(made, number, cluster.servers[number % len(cluster.servers)])
        return created, give(*wanted[number]), again

    created, given, again = zip(*at_once(act), strict=True)
    assert ({answer.status_code for answer in created}, set(given) <= {204, 400}) == ({201}, True)
    statuses = [answer.status_code for answer in again if answer is not None]
    assert (statuses.count(201), statuses.count(400)) == (WRITES // 10, WRITES // 2 - WRITES // 10)

    master, *subs = cluster.ask("GET", f"/w/{made['name']}/_mock/state").json()["accounts"]
    ids = {row["email"]: row["id"] for row in master["senders"]}
    assert sorted(ids.values()) == list(range(1, WRITES + WRITES // 10 + 1))
    assert [ids[f"s{number}@acme.test"] for number in range(WRITES)] == [answer.json()["id"] for answer in created]
    taken = {row["id"]: row.get("assigned", {}).get("credits", {}).get("email", 0) for row in subs}
    left, last = CREDITS - sum(taken.values()), SUB_ACCOUNTS[-1]
    assert left >= 0
    assert [give(last, taken[last] + left + more) for more in (1, 0)] == [400, 204]
