"""A request is done as a whole or not at all: ids, draws, stored values, sequences and effects."""

from time import thread_time

import pytest
from state_comparison import difference

from mockserver.core.state.state import dry_run

FORM = {
    "method": "POST",
    "answers": [
        {"status": 201, "json": {"id": "{{ next_id('note') }}", "key": "{{ uuid() }}", "name": "{{ faker.name() }}"}},
        {"status": 202, "json": {"id": "{{ next_id('note') }}"}},
    ],
    "store": {"table": "notes", "key": "{{ answer.id }}"},
    "effects": [{"credits": -1}, {"mail": {"to": "{{ request.json.to }}", "subject": "Hi", "text": "Noted"}}],
}
GOOD = {"to": "ada@acme.test"}


def state_of(api):
    """The state, but for the count of hits."""
    found = api.get("/_mock/state").json
    for stub in found["stubs"]:
        stub.pop("hits", None)
    return found


def post(api, body=None, **request):
    return api.post("/v3/contacts", json=GOOD if body is None else body, **request)


@pytest.mark.parametrize(
    ("more", "body", "status"),
    [
        pytest.param({}, {}, 500, id="an expression of an effect fails"),
        pytest.param({}, {"to": "nobody"}, 500, id="an effect is none"),
        pytest.param({"effects": [{"credits": -4}]}, GOOD, 402, id="an effect lacks credits"),
        pytest.param({"store": {"table": "a", "key": "{{ 1.5 }}"}}, GOOD, 500, id="a key is none"),
        pytest.param({"store": {"table": "a", "key": "{{ '' }}"}}, GOOD, 500, id="a key is empty"),
        pytest.param({"store": {"table": "a", "key": "{{ 'a' * 2 }}"}}, GOOD, 500, id="a key fails"),
        pytest.param(
            {"answer": {"headers": {"X-A": "{{ uuid() }}\nX-B: 1"}, "json": {"id": 1}}, "answers": None},
            GOOD,
            500,
            id="a header is none",
        ),
        pytest.param({"members": ["from"]}, GOOD, 400, id="a member is unknown in a strict workspace"),
        pytest.param(
            {"store": {"table": "a", "key": "{{ answer.nobody }}"}}, GOOD, 500, id="the answer lacks a member"
        ),
    ],
)
def test_what_is_refused_or_fails_leaves_everything_as_it_was(stubbed, more, body, status):
    written = {name: value for name, value in {**FORM, **more}.items() if value is not None}
    api = stubbed(written, strict=True)
    before = state_of(api)
    assert post(api, body).status_code == status
    assert state_of(api) == before
    assert api.get("/_mock/mailbox").json["count"] == 0


def test_after_what_failed_ids_and_draws_go_on_as_if_it_had_never_come(stubbed):
    one, other = stubbed(FORM), stubbed(FORM)
    for body in ({}, {"to": "nobody"}):
        assert post(one, body).status_code == 500
    for _ in range(2):
        assert post(one).json == post(other).json


def test_a_failure_counts_as_a_hit_and_is_told_in_the_journal(stubbed):
    api = stubbed({**FORM, "id": "form"})
    post(api, {"to": "nobody"})
    (stub,) = api.get("/_mock/state").json["stubs"]
    (entry,) = api.get("/_mock/requests").json["items"]
    assert stub["hits"] == 1
    assert entry["reason"].startswith("stub form (POST /v3/contacts), effects[1]: ")
    assert entry["reason"].endswith("; nothing was changed")


def test_a_body_that_is_no_json_is_refused_once_an_expression_asks_for_it(stubbed):
    api = stubbed(FORM, {"method": "POST", "path": "/v3/feeds", "answer": {"text": "not looked at"}})
    refused = api.post("/v3/contacts", data="{", content_type="application/json")
    assert (refused.status_code, refused.json["code"]) == (400, "bad_request")
    assert api.post("/v3/feeds", data="{", content_type="application/json").text == "not looked at"


def test_a_body_over_the_limit_is_413(make_api):
    stub = {"method": "POST", "path": "/v3/contacts", "answer": {"json": "{{ request.json }}"}}
    api = make_api({"stubs": [stub]}, body_limit=1_000)
    assert api.post("/v3/contacts", json="a" * 1_000).status_code == 413


def test_a_body_that_holds_more_than_expressions_may_read_is_413_if_it_is_large(stubbed):
    greedy = "{{ request.json | select('in', request.json) | list }}"
    api = stubbed({"method": "POST", "answer": {"json": greedy}})
    started = thread_time()
    answers = [post(api, list(range(count))) for count in (2_000, 20_000)]
    assert [answer.status_code for answer in answers] == [500, 413]
    assert answers[1].json["message"] == "The request body is larger than what can be processed"
    assert api.get("/_mock/requests").json["items"][0]["reason"] == (
        "stub stub-1 (POST /v3/contacts), answer.json: "
        "the expressions of this request take more than 820,000 steps; nothing was changed"
    )
    assert thread_time() - started < 2


def test_unknown_members_are_ignored_with_a_warning_and_refused_in_a_strict_workspace(stubbed):
    stub = {"method": "POST", "members": ["a"], "answer": {"status": 201}}
    mild, strict = stubbed(stub), stubbed(stub, strict=True)
    assert mild.post("/v3/contacts", json={"a": 1, "b": 2}).status_code == 201
    (entry,) = mild.get("/_mock/requests").json["items"]
    assert entry["warnings"] == ["stub stub-1 ignored the unknown body field `b`"]
    refused = strict.post("/v3/contacts", json={"a": 1, "b": 2})
    assert (refused.status_code, refused.json["message"]) == (400, "Unknown attribute b in the request")
    assert strict.post("/v3/contacts", json={"a": 1}).status_code == 201
    assert strict.post("/v3/contacts", json=[1]).status_code == 201


KEEP = {
    "method": "PUT", "path": "/v3/feeds/{key}", "answer": {"status": 204},
    "store": {"table": "feeds", "key": "{{ request.path.key }}"},
}  # fmt: skip
DROP = {
    "method": "DELETE", "path": "/v3/feeds/{key}", "answer": {"status": 204},
    "store": {"table": "feeds", "key": "{{ request.path.key }}", "delete": True},
}  # fmt: skip
LIST = {"path": "/v3/feeds", "answer": {"json": "{{ stored('feeds') }}"}}
READ = {"path": "/v3/feeds/{key}", "answer": {"json": "{{ stored('feeds', request.path.key) | default(none) }}"}}


@pytest.fixture
def feeds(stubbed):
    return stubbed(KEEP, DROP, LIST, READ)


def test_a_value_is_listed_at_the_place_of_its_first_storing(feeds):
    for key, value in (("a", 1), ("b", 2), ("a", 3)):
        feeds.put(f"/v3/feeds/{key}", json={"v": value})
    assert feeds.get("/v3/feeds").json == [{"v": 3}, {"v": 2}]
    feeds.delete("/v3/feeds/a")
    feeds.delete("/v3/feeds/nobody")
    assert feeds.get("/v3/feeds").json == [{"v": 2}]


def test_stored_values_are_separate_per_account(feeds):
    feeds.put("/v3/feeds/a", json=1)
    assert feeds.get("/v3/feeds/a", key="shop-key").json is None
    assert feeds.get("/v3/feeds", key="shop-key").json == []


def test_one_request_stores_and_deletes_several_values(stubbed):
    many = {
        "method": "POST",
        "path": "/v3/feeds",
        "answer": {"status": 201, "json": {"id": "{{ next_id('feed') }}"}},
        "store": [
            {"table": "feeds", "key": "old", "delete": True},
            {"table": "feeds", "key": "kept", "delete": True, "when": "{{ answer.id > 1 }}"},
            {"table": "feeds", "key": "{{ answer.id }}", "value": "{{ request.json | combine(answer) }}"},
            {"table": "count", "key": "all", "value": {"feeds": "{{ stored('feeds') | length }}"}},
        ],
    }
    api = stubbed(many, KEEP, LIST, {"path": "/v3/count", "answer": {"json": "{{ stored('count') }}"}})
    for key in ("old", "kept"):
        api.put(f"/v3/feeds/{key}", json=key)
    assert api.post("/v3/feeds", json={"name": "a"}).json == {"id": 1}
    assert api.get("/v3/feeds").json == ["kept", {"name": "a", "id": 1}]
    assert api.get("/v3/count").json == [{"feeds": 2}]


def test_an_answer_without_json_is_null_to_what_is_stored(stubbed):
    store = {"table": "notes", "key": "a", "value": "{{ answer }}"}
    api = stubbed({"method": "POST", "answer": {"text": "done"}, "store": store})
    assert api.post("/v3/contacts").text == "done"
    assert api.get("/_mock/state").json["accounts"][0]["stored"] == [{"table": "notes", "key": "a", "value": None}]


def test_stored_values_are_part_of_the_state_of_snapshots_and_of_resets(feeds):
    feeds.put("/v3/feeds/a", json={"v": [1, None]})
    feeds.post("/_mock/snapshots", json={"name": "one"})
    written = feeds.get("/_mock/state").json
    assert written["accounts"][0]["stored"] == [{"table": "feeds", "key": "a", "value": {"v": [1, None]}}]
    feeds.put("/v3/feeds/b", json=2)
    feeds.post("/_mock/snapshots/one/restore")
    assert feeds.get("/v3/feeds").json == [{"v": [1, None]}]
    feeds.post("/_mock/reset")
    assert feeds.get("/v3/feeds").json == []
    assert feeds.put("/_mock/state", json=written).status_code == 200
    assert feeds.get("/v3/feeds").json == [{"v": [1, None]}]


def test_stored_values_can_be_seeded_and_one_that_is_there_is_in_the_way(feeds):
    rows = [{"table": "feeds", "key": "a", "value": 1}, {"table": "feeds", "key": "b", "value": None}]
    assert feeds.post("/_mock/seed", json={"stored": rows}).status_code == 200
    assert feeds.get("/v3/feeds").json == [1, None]
    again = feeds.post("/_mock/seed", json={"stored": rows[1:]})
    assert (again.status_code, again.json["errors"][0]["path"]) == (409, "/stored/0/key")
    assert feeds.get("/v3/feeds").json == [1, None]


def test_a_value_beyond_the_limit_of_bytes_is_refused_and_what_is_deleted_makes_room(make_api):
    api = make_api({"stubs": [KEEP, DROP, {"method": "GET", **LIST}]}, stored_bytes_limit=2_000)
    assert api.put("/v3/feeds/a", json="x" * 1_500).status_code == 204
    refused = api.put("/v3/feeds/b", json="x" * 1_500)
    assert (refused.status_code, refused.json["code"]) == (400, "out_of_range")
    reason = api.get("/_mock/requests").json["items"][0]["reason"]
    assert reason.endswith("bytes, the limit is 2,000 (--stored-bytes-limit)")
    assert api.put("/v3/feeds/a", json="y" * 1_400).status_code == 204
    api.delete("/v3/feeds/a")
    assert api.put("/v3/feeds/b", json="x" * 1_500).status_code == 204
    assert api.get("/v3/feeds").json == ["x" * 1_500]


def test_stored_values_count_as_rows(make_api):
    api = make_api({"stubs": [KEEP]}, rows_limit=20)
    answers = [api.put(f"/v3/feeds/{number}", json=1).status_code for number in range(30)]
    assert sorted(set(answers)) == [204, 400]
    assert api.workspace.state.kept() == 20


def test_the_bytes_of_an_account_that_is_removed_count_no_more(feeds):
    feeds.put("/v3/feeds/a", json="x" * 500)
    state = feeds.workspace.state
    assert state.tally.stored > 500
    state.remove_account(state.first_account)
    assert state.tally.stored == 0


def test_what_happens_in_a_trial_changes_nothing_below(feeds):
    feeds.put("/v3/feeds/a", json=1)
    state = feeds.workspace.state
    before = feeds.get("/_mock/state").json
    trial = dry_run(state)
    trial.stubs.clear()
    trial.first_account.weigh_stored(500)
    assert feeds.get("/_mock/state").json == before
    assert difference(state.tally, trial.tally) is not None


def test_the_reason_of_a_failure_names_file_and_line_of_the_stub(make_api, tmp_path):
    (tmp_path / "mine.yaml").write_text(
        "description: Mine.\nstubs:\n  - method: GET\n    path: /v3/contacts\n    answer: {text: '{{ 1 / 0 }}'}\n"
    )
    api = make_api("mine", scenarios=tmp_path)
    assert api.get("/v3/contacts").status_code == 500
    reason = api.get("/_mock/requests").json["items"][0]["reason"]
    told = "stub stub-1 of mine.yaml:3 (GET /v3/contacts), answer.text: division by zero"
    assert reason == f"{told}; nothing was changed"


def test_stubs_that_differ_in_their_file_alone_are_equal(stubbed):
    one, other = (stubbed(FORM).workspace.state.stubs for _ in range(2))
    next(iter(one)).source = "mine.yaml:3"
    assert difference(one, other) is None
    next(iter(one)).hits = 1
    assert "hits" in difference(one, other)


def test_a_large_value_that_is_stored_many_times_is_refused_soon(make_api):
    many = [{"table": "feeds", "key": f"k{number}", "value": "{{ request.json }}"} for number in range(100)]
    api = make_api({"stubs": [{**FORM, "path": "/v3/feeds", "store": many}]}, stored_bytes_limit=100_000)
    started = thread_time()
    answer = api.post("/v3/feeds", json={"to": "a@b.test", "rows": [1] * 10_000})
    assert (answer.status_code, answer.json["code"]) == (400, "out_of_range")
    assert thread_time() - started < 1
