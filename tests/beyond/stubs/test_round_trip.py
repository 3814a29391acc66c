"""A written workspace goes on as the one that was written: stubs, their positions, draws and stored values."""

import pytest
from examples import examples
from hypothesis import given
from hypothesis import strategies as st

PATHS = ["/v3/companies", "/v3/companies/{key}", "/v3/feeds/{key}"]
PLACES = ["/v3/companies", "/v3/companies/a", "/v3/companies/b", "/v3/feeds/a"]
VALUES = st.recursive(
    st.one_of(
        st.none(), st.booleans(), st.integers(-(2**63), 2**63 - 1), st.floats(allow_nan=False, allow_infinity=False),
        st.text(st.characters(exclude_categories=["Cs"]), max_size=8),
        st.sampled_from(["{{ uuid() }}", "{{ next_id('a') }}", "{{ faker.name() }}", "{{ request.json }}", "{{ now }}",
                         "{{ stored('t') }}", "{{ request.path.key | default(omit) }}", "{{ random(1, 9) }} times"]),
    ),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3), st.dictionaries(st.sampled_from(["a", "b", "{", "é"]), inner, max_size=3)
    ),
    max_leaves=5,
)  # fmt: skip
ANSWERS = st.fixed_dictionaries(
    {}, optional={"status": st.sampled_from([200, 201, 404]), "json": VALUES, "headers": st.just({"X-A": "{{ now }}"})}
)
ACTIONS = st.fixed_dictionaries(
    {
        "table": st.just("t"),
        "key": st.sampled_from(["a", "{{ request.path.key | default('k') }}", "{{ next_id('k') }}"]),
    },
    optional={"value": VALUES},
)
DELETED = st.fixed_dictionaries({"table": st.just("t"), "key": st.just("a"), "delete": st.just(True)})
STUBS = st.fixed_dictionaries(
    {
        "method": st.sampled_from(["GET", "PUT"]),
        "path": st.sampled_from(PATHS),
        "answers": st.lists(ANSWERS, min_size=1, max_size=3),
    },
    optional={
        "times": st.integers(1, 3),
        "match": st.just({"query": {"q": 1}}),
        "members": st.just(["a"]),
        "store": st.one_of(ACTIONS, st.lists(st.one_of(ACTIONS, DELETED), max_size=2)),
        "effects": st.just([{"credits": -1, "when": "{{ account.credits > 0 }}"}]),
    },
)
REQUESTS = st.lists(
    st.tuples(
        st.sampled_from(["GET", "PUT"]), st.sampled_from(PLACES), st.sampled_from(["", "q=1"]),
        st.sampled_from([None, 1, {"a": [1]}, {"b": "x"}]),
    ),
    max_size=6,
)  # fmt: skip


@pytest.fixture(scope="module")
def two(make_api):
    return make_api("empty"), make_api("empty")


def answers(api, requests):
    found = []
    for method, path, query, body in requests:
        answer = api.request(method, path, query_string=query, json=body)
        found.append((answer.status_code, answer.data, answer.headers.get("X-A")))
    return found


def state_of(api):
    return api.get("/_mock/state").json


@examples(100)
@given(st.lists(STUBS, min_size=1, max_size=4), REQUESTS, REQUESTS)
def test_workspace_with_stubs_continues_after_a_round_trip(two, stubs, before, after):
    one, other = two
    document = {"clock": {"start": "2026-01-15T09:00:00Z", "frozen": True}, "accounts": [{"name": "a"}], "stubs": stubs}
    assert one.post("/_mock/reset", json={"scenario": document}).status_code == 200
    answers(one, before)
    written = state_of(one)
    assert other.put("/_mock/state", json=written).status_code == 200
    assert state_of(other) == written
    assert answers(other, after) == answers(one, after)
    assert state_of(other) == state_of(one)


@examples(100)
@given(st.lists(STUBS, min_size=1, max_size=4), REQUESTS)
def test_no_stub_answers_with_an_error_that_nobody_asked_for(two, stubs, requests):
    api, _ = two
    document = {"accounts": [{"name": "a"}], "stubs": stubs}
    assert api.post("/_mock/reset", json={"scenario": document}).status_code == 200
    wanted = {"not_found", "internal_error"}
    for status, body, _header in answers(api, requests):
        assert status < 500 or b"internal_error" in body
        assert status in (200, 201, 404) or any(code.encode() in body for code in wanted)
    assert all(
        "; nothing was changed" in entry["reason"]
        for entry in api.get("/_mock/requests").json["items"]
        if entry["status"] == 500
    )
