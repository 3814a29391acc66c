"""Many callers at once, over a real socket: no work is lost, nothing is done twice, no more is given than there is."""

from __future__ import annotations

import json
import select
import socket
import sys
import threading
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from urllib.parse import urlsplit

import pytest
import requests

pytestmark = pytest.mark.slow  # many threads, many times

THREADS = 16
TIMEOUT = 20
POOL = 1000
SCENARIO = {
    "accounts": [{"name": "acme", "role": "master", "api_keys": ["master-key"], "pool": {"credits": {"email": POOL}}}]
}


class Caller(requests.Session):
    def __init__(self, root):
        super().__init__()
        self.root = root
        self.headers["api-key"] = "master-key"

    def request(self, method, path, **options):
        return super().request(method, self.root + path, timeout=TIMEOUT, **options)


@pytest.fixture
def root(serve):
    return serve(SCENARIO)


@pytest.fixture
def caller(root):
    with Caller(root) as found:
        yield found


@pytest.fixture
def together(root):
    """Runs a function in all threads at once, each with a caller and a number of its own; returns their results."""

    def run(work, threads=THREADS):
        gate = threading.Barrier(threads)

        def one(number):
            with Caller(root) as caller:
                gate.wait(TIMEOUT)
                return work(caller, number)

        with ThreadPoolExecutor(threads) as pool:
            return list(pool.map(one, range(threads)))

    return run


def senders(caller):
    return caller.get("/v3/senders").json()["senders"]


def new_sender(caller, email):
    return caller.post("/v3/senders", json={"name": "Ops", "email": email})


def sent_code(caller, email):
    return caller.get(f"/_mock/mailbox?to={email}").json()["items"][0]["otp"]


def test_senders_of_many_callers_all_get_an_id_of_their_own(caller, together):
    each = 15
    made = together(lambda own, n: [new_sender(own, f"s{n}-{k}@acme.test").json()["id"] for k in range(each)])
    ids = [number for row in made for number in row]
    assert sorted(ids) == list(range(1, THREADS * each + 1))
    found = {row["id"]: row["email"] for row in senders(caller)}
    assert found == {made[n][k]: f"s{n}-{k}@acme.test" for n in range(THREADS) for k in range(each)}
    assert caller.get("/_mock/mailbox?limit=1000").json()["count"] == THREADS * each


def test_an_address_that_many_want_is_given_once(caller, together):
    statuses = together(lambda own, n: new_sender(own, "ops@acme.test").status_code)
    assert Counter(statuses) == {201: 1, 400: THREADS - 1}
    assert len(senders(caller)) == 1


def test_a_code_that_many_hand_in_verifies_once(caller, together):
    new_sender(caller, "ops@acme.test")
    code = sent_code(caller, "ops@acme.test")
    answers = together(lambda own, n: own.put("/v3/senders/1/validate", json={"otp": code}))
    assert Counter(answer.status_code for answer in answers) == {204: 1, 400: THREADS - 1}
    refused = {answer.json()["code"] for answer in answers if answer.status_code == 400}
    assert refused == {"Invalid OTP code provided"}
    assert senders(caller)[0]["active"]


def test_a_code_that_expires_meanwhile_verifies_once_or_never(caller, together):
    new_sender(caller, "ops@acme.test")
    code = sent_code(caller, "ops@acme.test")

    def work(own, n):
        if n == 0:
            return own.post("/_mock/clock/advance", json={"by": "PT16M"}).status_code
        return own.put("/v3/senders/1/validate", json={"otp": code}).status_code

    statuses = Counter(together(work))
    assert statuses[200] == 1
    assert statuses[204] + statuses[400] == THREADS - 1
    assert statuses[204] == senders(caller)[0]["active"]


def test_creating_and_deleting_at_once_never_fails_and_leaves_what_was_not_deleted(caller, together):
    def work(own, n):
        statuses = Counter()
        for k in range(10):
            statuses["made", new_sender(own, f"s{k}@acme.test").status_code] += 1
            numbers = [row["id"] for row in senders(own)]
            statuses.update(("deleted", own.delete(f"/v3/senders/{number}").status_code) for number in numbers[:2])
        return statuses

    found = sum(together(work), Counter())
    assert found.keys() <= {("made", 201), ("made", 400), ("deleted", 204), ("deleted", 404)}
    assert len(senders(caller)) == found["made", 201] - found["deleted", 204]


def new_sub_accounts(caller, count):
    body = {"companyName": "Sub", "email": "owner@sub.test"}
    return [caller.post("/v3/corporate/subAccount", json=body).json()["id"] for _ in range(count)]


def credit(caller):
    """How many e-mail credits of the pool are used; used and remaining ones have to add up."""
    features = caller.get("/v3/corporate/masterAccount").json()["planInfo"]["features"]
    row = next(row for row in features if row["name"] == "RECURRING_CREDITS")
    assert row["used"] + row["remaining"] == row["quantity"] == POOL
    assert row["remaining"] >= 0
    return row["used"]


def assigned(caller, number):
    return caller.get(f"/v3/corporate/subAccount/{number}").json()["planInfo"]["credits"]["emails"]["quantity"]


def change_plan(caller, number, amount):
    return caller.put(f"/v3/corporate/subAccount/{number}/plan", json={"credits": {"email": amount}})


def test_the_last_credits_are_given_once_whoever_asks_for_them(caller, together):
    numbers = new_sub_accounts(caller, THREADS)
    answers = together(lambda own, n: change_plan(own, numbers[n], 300))
    assert Counter(answer.status_code for answer in answers) == {204: 3, 400: THREADS - 3}
    assert {answer.json()["code"] for answer in answers if answer.status_code == 400} == {"not_enough_credits"}
    assert [assigned(caller, number) for number in numbers] == [
        300 if answer.status_code == 204 else 0 for answer in answers
    ]
    assert credit(caller) == 900


def test_credits_add_up_at_every_moment_while_many_change_plans(caller, together):
    numbers = new_sub_accounts(caller, 4)

    def work(own, n):
        if n < 4:
            return [credit(own) <= POOL for _ in range(20)]
        amounts = [(n * 97 + k * 61) % 500 for k in range(20)]
        return [change_plan(own, numbers[n % 4], amount).status_code in (204, 400) for amount in amounts]

    assert all(all(row) for row in together(work))
    assert credit(caller) == sum(assigned(caller, number) for number in numbers)


def test_changes_of_several_plans_racing_with_deletes_are_done_to_all_or_to_none(caller, together):
    numbers = new_sub_accounts(caller, 6)

    def work(own, n):
        if n < 2:
            return [own.delete(f"/v3/corporate/subAccount/{numbers[n]}").status_code]
        body = {"subAccountIds": numbers[2:], "credits": {"email": 100 + 10 * n}}
        return [own.put("/v3/corporate/subAccounts/plan", json=body).status_code for _ in range(10)]

    statuses = {status for row in together(work) for status in row}
    assert statuses <= {202, 204, 400}
    left = [assigned(caller, number) for number in numbers[2:]]
    assert len(set(left)) == 1
    assert credit(caller) == sum(left)


def test_a_key_dies_with_its_account_while_it_is_in_use(caller, together):
    (number,) = new_sub_accounts(caller, 1)
    key = caller.post("/v3/corporate/subAccount/key", json={"id": number, "name": "CI"}).json()["key"]

    def work(own, n):
        if n == 0:
            return [own.delete(f"/v3/corporate/subAccount/{number}").status_code]
        return [own.get("/v3/account", headers={"api-key": key}).status_code for _ in range(10)]

    (deleted,), *used = together(work)
    assert deleted == 204
    assert all(set(row) <= {200, 401} and row == sorted(row) for row in used)
    assert caller.get("/v3/account", headers={"api-key": key}).status_code == 401


class Waiting:
    """A request that waits for an e-mail, on a bare socket, so that a test sees whether an answer has come."""

    def __init__(self, root, email):
        address = urlsplit(root)
        self.socket = socket.create_connection((address.hostname, address.port), timeout=TIMEOUT)
        request = f"GET /_mock/mailbox?to={email}&wait=20 HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n"
        self.socket.sendall(request.encode())

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.socket.close()

    @property
    def answered(self):
        return bool(select.select([self.socket], [], [], 0)[0])

    def mails(self):
        _, _, body = self.socket.makefile("rb").read().partition(b"\r\n\r\n")
        return json.loads(body)["items"]


def test_a_suspended_request_blocks_no_other_and_is_woken_by_what_it_waits_for(root, caller):
    with Waiting(root, "late@acme.test") as waiting:
        for number in range(20):
            assert new_sender(caller, f"other{number}@acme.test").status_code == 201
            assert not waiting.answered
        assert new_sender(caller, "late@acme.test").status_code == 201
        (mail,) = waiting.mails()
    assert mail["to"] == "late@acme.test"
    assert mail["otp"] == sent_code(caller, "late@acme.test")


def test_many_suspended_requests_each_get_their_own_mail(root, caller):
    waiting = [Waiting(root, f"late{number}@acme.test") for number in range(THREADS)]
    for number in reversed(range(THREADS)):
        assert new_sender(caller, f"late{number}@acme.test").status_code == 201
    for number, request in enumerate(waiting):
        with request:
            assert [mail["to"] for mail in request.mails()] == [f"late{number}@acme.test"]


@pytest.fixture
def at_once(make_api):
    """Runs a function in all threads at once on one application, without a server whose event loop would order them."""
    api = make_api(SCENARIO, key="master-key")
    switched = sys.getswitchinterval()

    def run(work):
        # Not before all have begun: Python 3.11 lets no thread begin to be measured while another one does.
        gate = threading.Barrier(THREADS, action=partial(sys.setswitchinterval, 1e-6))

        def one(number):
            gate.wait(TIMEOUT)
            return work(api, api.app.test_client(), number)

        with ThreadPoolExecutor(THREADS) as pool:
            return list(pool.map(one, range(THREADS)))

    yield api, run
    sys.setswitchinterval(switched)


def test_threads_of_any_server_create_senders_with_ids_of_their_own(at_once):
    _, run = at_once

    def work(api, client, n):
        found = []
        for k in range(10):
            body = {"name": "Ops", "email": f"s{n}-{k}@acme.test"}
            found.append(client.post("/v3/senders", json=body, headers={"api-key": "master-key"}).json["id"])
            for path in ("/_mock/mailbox", "/_mock/machines/sender", "/_mock/state", "/_mock/mailbox/nothing"):
                assert client.get(path).status_code in (200, 404)
        return found

    ids = [number for row in run(work) for number in row]
    assert sorted(ids) == list(range(1, THREADS * 10 + 1))


def test_a_request_that_waits_in_a_thread_of_any_server_is_woken(at_once):
    _, run = at_once

    def work(api, client, n):
        if n < THREADS // 2:
            return client.get(f"/_mock/mailbox?to=s{n}@acme.test&wait=20").json["count"]
        body = {"name": "Ops", "email": f"s{n - THREADS // 2}@acme.test"}
        client.post("/v3/senders", json=body, headers={"api-key": "master-key"})
        return 1

    assert run(work) == [1] * THREADS
