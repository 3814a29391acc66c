"""Which stub answers a request, with which of its answers, and how often."""

import pytest
import requests
from event_loop import leaves

JSON = {"json": {"a": 1}}


def texts(api, *paths, method="GET", **request):
    return [api.request(method, path, **request).text for path in paths]


def stub(path, text, **members):
    return {"path": path, "answer": {"text": text}, **members}


def test_an_answer_has_the_status_the_headers_and_the_body_that_were_written(stubbed):
    api = stubbed({"answer": {"status": 203, "headers": {"X-Kind": "call"}, "json": {"a": [1, None]}}})
    answer = api.get("/v3/contacts")
    assert (answer.status_code, answer.json) == (203, {"a": [1, None]})
    assert answer.headers["X-Kind"] == "call"
    assert answer.headers["Content-Type"] == "application/json"
    assert answer.headers["access-control-allow-origin"] == "*"


def test_a_text_is_plain_unless_a_header_says_otherwise(stubbed):
    api = stubbed(
        stub("/v3/a", "x"), {"path": "/v3/b", "answer": {"text": "<a/>", "headers": {"content-type": "text/xml"}}}
    )
    plain, xml = api.get("/v3/a"), api.get("/v3/b")
    assert plain.headers["Content-Type"] == "text/plain; charset=utf-8"
    assert xml.headers["Content-Type"] == "text/xml"
    assert xml.headers["access-control-allow-origin"] == "*"


def test_a_parameter_takes_one_whole_segment(stubbed):
    api = stubbed(stub("/v3/contacts/{email}/notes", "{{ request.path.email }}"))
    assert texts(api, "/v3/contacts/a@b.test/notes", "/v3/contacts/a%20%2Fb/notes") == ["a@b.test", "a /b"]
    for path in ("/v3/contacts//notes", "/v3/contacts/a/b/notes", "/v3/contacts/a/notes/", "/v3/contacts/a/Notes"):
        assert api.get(path).status_code == 404


def test_a_fixed_segment_goes_before_a_parameter_and_then_the_order_counts(stubbed):
    api = stubbed(
        stub("/v3/contacts/{any}", "any"), stub("/v3/contacts/lists", "lists"), stub("/v3/contacts/{other}", "other"),
        stub("/v3/crm/{a}/x", "any x"), stub("/v3/crm/a/{x}", "a any"),
    )  # fmt: skip
    paths = ["/v3/contacts/lists", "/v3/contacts/7", "/v3/crm/a/x", "/v3/crm/b/x"]
    assert texts(api, *paths) == ["lists", "any", "a any", "any x"]


@pytest.mark.parametrize(
    ("match", "request_of_it"),
    [
        ({"query": {"limit": 5}}, {"query_string": "limit=5&offset=2"}),
        ({"headers": {"X-Kind": "call"}}, {"headers": {"x-kind": "call"}}),
        ({"json": {"kind": {"of": "call"}}}, {"json": {"kind": {"of": "call", "at": 1}, "text": ""}}),
    ],
)
def test_a_stub_answers_only_what_it_matches(stubbed, match, request_of_it):
    api = stubbed({"method": "POST", "match": match, "answer": JSON})
    assert api.post("/v3/contacts", **request_of_it).status_code == 200
    assert api.post("/v3/contacts").json["code"] == "missing_parameter"


def test_what_one_stub_does_not_match_goes_to_the_next(stubbed):
    api = stubbed(stub("/v3/contacts", "five", match={"query": {"limit": 5}}), stub("/v3/contacts", "any"))
    assert texts(api, "/v3/contacts?limit=5", "/v3/contacts") == ["five", "any"]


def test_head_is_answered_as_get_without_its_body(stubbed):
    api = stubbed(stub("/v3/contacts", "four"))
    answer = api.request("HEAD", "/v3/contacts")
    assert (answer.status_code, answer.data, answer.headers["Content-Length"]) == (200, b"", "4")


def test_a_stub_answers_so_many_times(stubbed):
    api = stubbed(stub("/v3/contacts", "first", times=2), stub("/v3/contacts", "then"))
    assert texts(api, *["/v3/contacts"] * 4) == ["first", "first", "then", "then"]


def test_answers_come_one_after_the_other_and_the_last_is_repeated(stubbed):
    api = stubbed({"answers": [{"status": 503}, {"status": 202}, {"status": 200}]})
    assert [api.get("/v3/contacts").status_code for _ in range(5)] == [503, 202, 200, 200, 200]


def test_an_answer_with_a_condition_goes_before_the_sequence_and_does_not_move_it(stubbed):
    late = {"when": "{{ request.query.late is defined }}", "text": "late"}
    api = stubbed({"answers": [{"text": "one"}, late, {"text": "two"}]})
    paths = ["/v3/contacts?late=1", "/v3/contacts", "/v3/contacts?late=1", "/v3/contacts", "/v3/contacts"]
    assert texts(api, *paths) == ["late", "one", "late", "two", "two"]


def test_stubs_of_an_account_are_those_of_its_whole_workspace(stubbed):
    api = stubbed(stub("/v3/contacts", "{{ account.name }}"))
    assert texts(api, "/v3/contacts") == ["acme"]
    assert texts(api, "/v3/contacts", key="shop-key") == ["shop"]


def test_a_caller_whom_nobody_knows_is_refused_as_everywhere(make_api):
    api = make_api({"stubs": [{"method": "GET", "path": "/v3/contacts", "answer": {}}]}, keys="known")
    assert api.get("/v3/contacts", key="nobody").status_code == 401


def test_a_fault_goes_before_a_stub(stubbed):
    api = stubbed(stub("/v3/contacts", "never"))
    api.post("/_mock/faults", json={"fault": "unavailable", "match": {"path": "/v3/contacts"}, "times": 1})
    assert [api.get("/v3/contacts").status_code for _ in range(2)] == [503, 200]


def test_what_is_left_over_of_a_stub_stands_in_the_state(stubbed):
    api = stubbed({"id": "a", "answers": [{"text": "one"}, {"text": "two"}, {"text": "three"}]})
    api.get("/v3/contacts")
    (written,) = api.get("/_mock/state").json["stubs"]
    assert (written["id"], written["hits"], written["position"]) == ("a", 1, 1)
    state = api.get("/_mock/state").json
    api.get("/v3/contacts")
    assert api.put("/_mock/state", json=state).status_code == 200
    assert texts(api, "/v3/contacts", "/v3/contacts") == ["two", "three"]


def test_a_reset_puts_stubs_back(stubbed):
    api = stubbed(stub("/v3/contacts", "one", times=1))
    api.get("/v3/contacts")
    api.post("/_mock/reset")
    assert texts(api, "/v3/contacts") == ["one"]


def test_seeded_stub_goes_before_older_stubs(stubbed):
    api = stubbed(stub("/v3/contacts", "before"))
    seeded = {"stubs": [{"method": "GET", "path": "/v3/contacts", "answer": {"text": "after"}, "times": 1}]}
    assert api.post("/_mock/seed", json=seeded).status_code == 200
    assert texts(api, "/v3/contacts", "/v3/contacts") == ["after", "before"]


@pytest.mark.parametrize(("levels", "status"), [(60, 200), (61, 400)])
def test_a_body_that_is_nested_too_deeply_is_refused(stubbed, levels, status):
    api = stubbed({"method": "POST", "answer": {"json": [["{{ request.json }}"]]}})

    answer = api.post("/v3/contacts", data="[" * levels + "]" * levels)

    assert answer.status_code == status
    assert status == 200 or answer.json["message"] == "The request body is not valid JSON: nested too deeply"


def test_a_stub_answers_in_a_thread_and_what_has_none_at_once(stubbed):
    api = stubbed(stub("/v3/contacts", "one"))
    assert leaves(api, "GET", "/v3/contacts")
    api.workspace.state.stubs.clear()
    assert not leaves(api, "GET", "/v3/contacts")
    assert api.get("/v3/contacts").json == {"contacts": [], "count": 0}


def test_a_stub_answers_over_a_real_socket(serve_app, stubbed):
    api = stubbed(stub("/v3/contacts/{email}/notes", "{{ request.path.email }}"))
    root = serve_app(api.app)
    answer = requests.get(f"{root}/v3/contacts/a%2Fb%40c.test/notes", headers={"api-key": "master-key"}, timeout=20)
    assert (answer.status_code, answer.text) == (200, "a/b@c.test")
    assert answer.headers["X-Mock-Answered"] == "stubbed"


def test_a_stub_answers_in_its_own_workspace_alone(stubbed):
    api = stubbed(stub("/v3/contacts", "mine"))
    assert api.post("/_mock/workspaces", json={"name": "other", "scenario": "empty"}).status_code == 201
    assert api.get("/w/other/v3/contacts", key="any").json == {"contacts": [], "count": 0}
    seeded = {"stubs": [{"method": "GET", "path": "/v3/contacts", "answer": {"text": "other"}}]}
    assert api.post("/w/other/_mock/seed", json=seeded).status_code == 200
    key = api.get("/_mock/workspaces/other").json["api_key"]
    assert texts(api, "/w/other/v3/contacts", "/v3/contacts", key=key) == ["other", "other"]
    assert texts(api, "/v3/contacts") == ["mine"]


def test_the_journal_names_the_stub(stubbed):
    api = stubbed(stub("/v3/contacts", "one", id="mine"))
    api.get("/v3/contacts")
    (entry,) = api.get("/_mock/requests").json["items"]
    assert entry["stub"] == "mine"
