"""Eight times as large a body takes about eight times as long: what grows faster would let one caller stop all others.

Quadratic work would take sixty-four times as long.
"""

from __future__ import annotations

import time

import pytest

from mockserver.core.feed import Feed

#: How often the larger body holds what the smaller one does, and how much longer it may take.
TIMES, MOST = 8, 30


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
NAMED = '{"name":"a"}'
WITH_SENDER = '{"name":"a#","senders":[{"name":"A","email":"a@b.test"}]}'
LONG = "x" * 1_000_000
#: Where to, how large the smaller body is, the body, and the status.
BODIES = {
    "a member twice": ("/v3/senders", 4_000, lambda n: f'{{{members(n)},"a{n - 1}":1}}', 400),
    "unknown members": ("/v3/senders", 4_000, lambda n: f'{{"name":"A","email":"a@b.test",{members(n)}}}', 201),
    "bad rows of an operation": ("/v3/senders", 4_000, lambda n: f'{{"ips":[{rows(EMPTY, n)}]}}', 400),
    "bad rows of a scenario": ("/_mock/state", 4_000, lambda n: f'{{"senders":[{rows(EMPTY, n)}]}}', 400),
    "unknown keys": ("/_mock/state", 4_000, lambda n: f"{{{members(n)}}}", 400),
    "bad names": ("/_mock/state", 2_000, lambda n: f'{{"dns":{{{members(n)}}}}}', 400),
    "sub-accounts of nobody": (
        "/_mock/state",
        100,
        lambda n: f'{{"accounts":[{rows(LOST, n)},{rows(OWNER, n)}]}}',
        400,
    ),
    "sub-accounts of nobody, to add": (
        "/_mock/seed",
        100,
        lambda n: f'{{"accounts":[{rows(LOST, n)},{rows(OWNER, n)}]}}',
        400,
    ),
    "accounts to add": ("/_mock/seed", 150, lambda n: f'{{"accounts":[{rows(WITH_SENDER, n)}]}}', 200),
    "sub-accounts to add": ("/_mock/seed", 150, lambda n: f'{{"accounts":[{rows(SUB, n)},{MASTER}]}}', 200),
    "masters to add": ("/_mock/seed", 150, lambda n: f'{{"accounts":[{rows(OWNER, n)}]}}', 200),
    "accounts of one name": ("/_mock/state", 250, lambda n: f'{{"accounts":[{rows(NAMED, n)}]}}', 400),
    "bare accounts": ("/_mock/state", 1_000, lambda n: f'{{"accounts":[{rows(BARE, n)}]}}', 200),
    "one domain in all accounts": ("/_mock/state", 400, lambda n: f'{{"accounts":[{rows(OF_ALL, n)}]}}', 200),
    "accounts": ("/_mock/state", 150, lambda n: f'{{"accounts":[{rows(WITH_SENDER, n)}]}}', 200),
    "sub-accounts": ("/_mock/state", 150, lambda n: f'{{"accounts":[{rows(SUB, n)},{MASTER}]}}', 200),
}


def seconds(api, path, body, status):
    """The processor's time for a request, the least of three."""
    times = []
    for _ in range(3):
        before = time.process_time()
        answer = api.request("PUT" if path == "/_mock/state" else "POST", path, data=body)
        times.append(time.process_time() - before)
        if path != "/_mock/state":
            api.post("/_mock/reset")
        assert answer.status_code == status
    return min(times)


@pytest.mark.parametrize(("path", "count", "make", "status"), BODIES.values(), ids=BODIES)
def test_what_a_body_takes_grows_with_its_size(make_api, path, count, make, status):
    api = make_api("empty")

    once = seconds(api, path, make(count), status)

    assert seconds(api, path, make(TIMES * count), status) < MOST * max(once, 0.002)


def test_what_a_name_in_a_query_takes_to_be_shown_grows_with_how_often_it_is_there(make_api):
    def taken(count):
        api = make_api("empty")
        api.get(f"/v3/senders?{'a&' * count}")
        times = []
        for _ in range(3):
            before = time.process_time()
            (told,) = api.get("/_mock/requests").json["items"]
            times.append(time.process_time() - before)
        assert len(told["query"]["a"]) == count
        return min(times)

    assert taken(TIMES * 5_000) < MOST * max(taken(5_000), 0.002)


def test_what_a_feed_takes_to_be_told_grows_with_its_length():
    def taken(count):
        feed = Feed(count, 10**9)
        for _ in range(count):
            feed.add("a", None)
        before = time.process_time()
        for happening in feed.after(0):
            feed.told(happening, lambda _: b"words")
        return time.process_time() - before

    assert taken(TIMES * 1_000) < MOST * max(taken(1_000), 0.002)


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

    once = min(taken(100) for _ in range(3))

    assert taken(TIMES * 100) < MOST * max(once, 0.002)


@pytest.mark.parametrize(
    ("body", "kind", "further"),
    [
        (f'{{"senders":[{rows(EMPTY, 5_000)}]}}', "json", "4,950 more parts were not looked at"),
        (f"{{{members(5_000)}}}", "json", "4,900 more parts were not looked at"),
        (f'{{"accounts":[{rows(NAMED, 501)}]}}', "json", "400 more mistakes are not told"),
        ("senders:\n" + "- {}\n" * 5_000, "yaml", "4,950 more parts were not looked at"),
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
