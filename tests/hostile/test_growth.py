"""Eight times as large a body takes about eight times as long: what grows faster would let one caller stop all others.

Quadratic work would take sixty-four times as long.
"""

from __future__ import annotations

import gc
import json
import time
from datetime import UTC, datetime, timedelta

import pytest

from mockserver.core.state.state import Account
from mockserver.core.text import addresses
from mockserver.core.traffic.ring import Feed
from mockserver.resources.corporate import plans
from mockserver.resources.corporate.plans import BulkPlan
from mockserver.resources.corporate.pool import Allotment
from mockserver.resources.oauth.discovery import AUTHORIZE
from mockserver.scenario.load import load
from mockserver.scenario.seed import add

pytestmark = pytest.mark.slow  # each does the same work in two sizes, several times

#: How often the larger body holds what the smaller one does, and how much longer it may take.
TIMES, MOST = 8, 30
#: The seconds below which a measurement tells nothing.
NOTHING = 0.002


def members(count):
    return ",".join(f'"a{number}":1' for number in range(count))


def rows(text, count):
    return ",".join(text.replace("#", str(number)) for number in range(count))


MASTER = '{"name":"m","role":"master","pool":{"credits":{"email":1e9}}}'
SUB = '{"name":"s#","role":"sub_account","of":"m","assigned":{"credits":{"email":1}}}'
LOST = '{"name":"s#","role":"sub_account","of":"n#"}'
OWNER = '{"name":"m#","role":"master"}'
BARE = '{"name":"a#"}'
OF_ALL = '{"name":"a#","domains":[{"name":"a.test"}]}'
EMPTY = "{}"
FIRST, KEY = "acme", '"k#"'
NAMED = '{"name":"a"}'
WITH_SENDER = '{"name":"a#","senders":[{"name":"A","email":"a@b.test"}]}'
LONG = "x" * 1_000_000


def of_nobody(count):
    return f'{{"accounts":[{rows(LOST, count)},{rows(OWNER, count)}]}}'


#: Where to, how large the smaller body is, the body, and the status.
BODIES = {
    "a member twice": ("/v3/senders", 4_000, lambda n: f'{{{members(n)},"a{n - 1}":1}}', 400),
    "unknown members": ("/v3/senders", 4_000, lambda n: f'{{"name":"A","email":"a@b.test",{members(n)}}}', 201),
    "bad rows of an operation": ("/v3/senders", 4_000, lambda n: f'{{"ips":[{rows(EMPTY, n)}]}}', 400),
    "bad rows of a scenario": ("/_mock/state", 4_000, lambda n: f'{{"senders":[{rows(EMPTY, n)}]}}', 400),
    "unknown keys": ("/_mock/state", 4_000, lambda n: f"{{{members(n)}}}", 400),
    "bad names": ("/_mock/state", 2_000, lambda n: f'{{"dns":{{{members(n)}}}}}', 400),
    "sub-accounts of nobody": ("/_mock/state", 100, of_nobody, 400),
    "sub-accounts of nobody, to add": ("/_mock/seed", 100, of_nobody, 400),
    "accounts to add": ("/_mock/seed", 150, lambda n: f'{{"accounts":[{rows(WITH_SENDER, n)}]}}', 200),
    "sub-accounts to add": ("/_mock/seed", 150, lambda n: f'{{"accounts":[{rows(SUB, n)},{MASTER}]}}', 200),
    "keys to add": (
        "/_mock/seed",
        2_500,
        lambda n: f'{{"accounts":[{{"name":"{FIRST}","api_keys":[{rows(KEY, n)}]}}]}}',
        200,
    ),
    "masters to add": ("/_mock/seed", 150, lambda n: f'{{"accounts":[{rows(OWNER, n)}]}}', 200),
    "accounts of one name": ("/_mock/state", 250, lambda n: f'{{"accounts":[{rows(NAMED, n)}]}}', 400),
    "bare accounts": ("/_mock/state", 1_000, lambda n: f'{{"accounts":[{rows(BARE, n)}]}}', 200),
    "one domain in all accounts": ("/_mock/state", 400, lambda n: f'{{"accounts":[{rows(OF_ALL, n)}]}}', 200),
    "accounts": ("/_mock/state", 150, lambda n: f'{{"accounts":[{rows(WITH_SENDER, n)}]}}', 200),
    "sub-accounts": ("/_mock/state", 150, lambda n: f'{{"accounts":[{rows(SUB, n)},{MASTER}]}}', 200),
}


@pytest.fixture(autouse=True)
def _collector_at_rest():
    """What other tests have left is looked through by nobody while something is measured."""
    gc.freeze()


def grows_with(taken, count, most=MOST):
    """Whether what is eight times as large takes no longer than that, in one of three tries."""
    once = max(min(taken(count) for _ in range(3)), NOTHING)
    return any(taken(TIMES * count) < most * once for _ in range(3))


def seconds(api, method, path, status, body=None):
    """Return the processor's time for a request."""
    before = time.process_time()
    answer = api.request(method, path, data=body)
    taken = time.process_time() - before
    assert answer.status_code == status
    return taken


@pytest.mark.parametrize(("path", "count", "make", "status"), BODIES.values(), ids=BODIES)
def test_the_time_for_a_body_grows_with_its_size(make_api, path, count, make, status):
    api = make_api("empty")

    def taken(size):
        found = seconds(api, "PUT" if path == "/_mock/state" else "POST", path, status, make(size))
        api.post("/_mock/reset")
        return found

    assert grows_with(taken, count)


def ips(count):
    found = [{"id": n + 1, "ip": f"10.0.{n >> 8}.{n & 255}", "domain": f"x{n}.test"} for n in range(count)]
    return {"domains": [{"name": f"d{n}.test"} for n in range(count)], "dedicated_ips": found}


def strangers(count):
    app = {
        "client_id": "c", "account": f"a{count - 1}", "redirect_uris": ["https://a.test/cb"],
        "scopes": ["contacts:read"],
    }  # fmt: skip
    return {"accounts": [{"name": f"a{n}", "api_keys": []} for n in range(count)], "oauth_apps": [app]}


def apps_of_a_sub_account(count):
    whole = {"scopes": ["contacts:read"], "created_at": "P0D", "expires_at": "P30D", "state": "active"}
    grants = [{"id": n + 1, "client_id": "m", **whole} for n in range(count)]
    master = {"name": "m", "role": "master", "api_keys": ["m"], "oauth_grants": grants}
    apps = [{"client_id": f"c{n}", "client_secret": "s", "account": "s"} for n in range(count)]
    return {
        "accounts": [master, {"name": "s", "id": 7, "role": "sub_account", "of": "m"}],
        "oauth_apps": [{"client_id": "m", "account": "m"}, *apps],
    }


SIGN_IN = f"{AUTHORIZE}?client_id=c&redirect_uri=https%3A//a.test/cb&response_type=code&scope=contacts%3Aread"
#: A request, how large the smaller workspace is, the workspace, and the status.
WORKSPACES = {
    "dedicated IPs of domains": ("GET", "/v3/senders/domains", 100, ips, 200),
    "who can sign in": ("GET", SIGN_IN, 500, strangers, 200),
    "apps that go": ("DELETE", "/v3/corporate/subAccount/7", 400, apps_of_a_sub_account, 204),
}


@pytest.mark.parametrize(("method", "path", "count", "make", "status"), WORKSPACES.values(), ids=WORKSPACES)
def test_the_time_for_a_request_grows_with_the_workspace(make_api, method, path, count, make, status):
    api = make_api("empty")

    def taken(size):
        assert api.put("/_mock/state", json=make(size)).status_code == 200
        return seconds(api, method, path, status)

    assert grows_with(taken, count)


#: What is added to a workspace of one master and many sub-accounts, by how often it was before.
PARTS = {
    "a sender": lambda n: {"senders": [{"name": "A", "email": f"new{n}@b.test"}]},
    "a sender with an id": lambda n: {"senders": [{"id": 10**6 + n, "name": "A", "email": f"new{n}@b.test"}]},
    "a user": lambda n: {"accounts": [{"name": "s1", "users": [{"email": f"new{n}@b.test"}]}]},
    "an account": lambda n: {"accounts": [{"name": f"a{n}", "api_keys": [f"new{n}"]}]},
    "a sub-account": lambda n: {"accounts": [{**json.loads(SUB), "name": f"new{n}"}]},
    "more of the pool": lambda n: {"accounts": [{"name": "m", "pool": {"credits": {"sms": n}}}]},
    "an app": lambda n: {"oauth_apps": [{"client_id": f"c{n}", "account": "s1"}]},
}


@pytest.mark.parametrize("part", PARTS.values(), ids=PARTS)
def test_what_an_addition_takes_does_not_grow_with_the_workspace(part):
    def taken(count):
        workspace = load(json.loads(f'{{"accounts":[{MASTER},{rows(SUB, count)}]}}'), name="w")
        times = []
        for number in range(4):
            before = time.process_time()
            add(workspace, workspace.state.first_account, part(number))
            times.append(time.process_time() - before)
        return min(times)

    assert taken(TIMES * 200) < 3 * max(taken(200), NOTHING)


def test_what_changes_of_plans_take_that_fall_due_the_other_way_round_grows_with_their_number():
    def taken(count):
        start = datetime(2026, 1, 15, 9, tzinfo=UTC)
        master = Account(1, "m", "m@a.test", start, "0" * 24, 1)
        changes = [BulkPlan(n, start - timedelta(seconds=n), Allotment(), {n: None}) for n in range(count)]
        for change in changes:
            plans.enqueue(master, change)
        before = time.process_time()
        for change in reversed(changes):
            assert plans.earlier_due(master, change, change.due) == []
            plans.leave(master, change, change.id)
        return time.process_time() - before

    assert grows_with(taken, 500)


@pytest.mark.parametrize("path", ["/v3/inbound/events?sender=a@\u00e9.test", "/_mock/mailbox?to=a@\u00e9.test"])
def test_a_wanted_address_is_put_into_its_form_once(make_api, monkeypatch, path):
    events = [{"date": "-PT1H", "sender": "a@acme.test", "recipient": "b@acme.test"}] * 20
    senders = [{"name": "A", "email": f"a{number}@acme.test", "state": "awaiting_verification"} for number in range(5)]
    api = make_api({"inbound_events": events, "senders": senders})
    for row in api.get("/v3/senders").json["senders"]:
        api.put(f"/v3/senders/{row['id']}", json={"email": f"b{row['id']}@acme.test"})
    asked = []
    monkeypatch.setattr(addresses, "ascii_form", lambda name: asked.append(name) or name)

    assert api.get(path).status_code == 200
    assert len(asked) == 1


def test_what_a_name_in_a_query_takes_to_be_shown_grows_with_how_often_it_is_there(make_api):
    def taken(count):
        api = make_api("empty")
        api.get(f"/v3/senders?{'a&' * count}")
        before = time.process_time()
        (told,) = api.get("/_mock/requests").json["items"]
        found = time.process_time() - before
        assert len(told["query"]["a"]) == count
        return found

    assert grows_with(taken, 5_000)


def test_what_a_feed_takes_to_be_told_grows_with_its_length():
    def taken(count):
        feed = Feed(count, 10**9)
        for _ in range(count):
            feed.add("a", None)
        before = time.process_time()
        for occurrence in feed.after(0):
            feed.written(occurrence, lambda _: b"words")
        return time.process_time() - before

    assert grows_with(taken, 1_000)


def test_what_near_misses_take_grows_with_what_was_sent(make_api):
    def taken(count):
        api = make_api("empty")
        for _ in range(5):
            api.post("/v3/senders", data=f"{{{members(count)}}}")
        wanted = dict.fromkeys((f"a{number}" for number in range(count)), 2)
        before = time.process_time()
        answer = api.post("/_mock/requests/verify", json={"match": {"json": wanted}})
        assert len(answer.json["near_misses"]) == 5
        return time.process_time() - before

    assert grows_with(taken, 100)


@pytest.mark.parametrize(
    ("body", "kind", "further"),
    [
        (f'{{"senders":[{rows(EMPTY, 5_000)}]}}', "json", "4,950 more keys and items were not checked"),
        (f"{{{members(5_000)}}}", "json", "4,900 more keys and items were not checked"),
        (f'{{"accounts":[{rows(NAMED, 501)}]}}', "json", "too many errors: 400 more"),
        ("senders:\n" + "- {}\n" * 5_000, "yaml", "4,950 more keys and items were not checked"),
        (f'{{"{LONG}": 1}}', "json", None),
        (f'{{"seed": "{LONG}"}}', "json", None),
    ],
    ids=["rows", "keys", "accounts", "rows of YAML", "a long key", "a long value"],
)
def test_mistakes_end_after_a_hundred_with_how_many_more_there_may_be(make_api, body, kind, further):
    answer = make_api("empty").put("/_mock/state", data=body, content_type=f"application/{kind}")

    assert answer.status_code == 400
    assert len(answer.data) < 150_000
    if further is not None:
        assert len(answer.json["errors"]) == 101
        assert further in answer.json["errors"][-1]["message"]
