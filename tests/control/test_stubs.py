"""`/_mock/stubs`: stubs are listed, added, replaced and removed; what is refused changes nothing."""

from __future__ import annotations

import pytest

from mockserver.beyond.stubs.schema import MOST_STUBS

ADDRESS = "/_mock/stubs"
ALL = {"method": "GET", "path": "/v3/contacts", "answer": {"json": {"contacts": []}}}
ONE = {"method": "GET", "path": "/v3/contacts/{email}", "answer": {"status": 404}, "times": 2}


pytestmark = pytest.mark.api("empty")


def added(api, stub):
    answer = api.post(ADDRESS, json=stub)
    assert answer.status_code == 201, answer.text
    return answer.json


def listed(api):
    return api.get(ADDRESS).json["items"]


def ids(api):
    return [row["id"] for row in listed(api)]


def mistakes(answer):
    return {row["path"]: row["message"] for row in answer.json["errors"]}


def test_a_stub_is_shown_as_it_was_written_with_what_has_become_of_it(api):
    shown = added(api, {"id": "notes", **ONE})

    assert list(shown.items()) == [
        *{"id": "notes", **ONE}.items(),
        *{"hits": 0, "position": 0, "active": True}.items(),
    ]
    assert api.get(f"{ADDRESS}/notes").json == shown
    assert listed(api) == [shown]


def test_several_stubs_are_added_in_their_order(api):
    added(api, {"id": "old", **ALL})

    shown = added(api, {"items": [{"id": "a", **ALL}, {"id": "b", **ONE}]})

    assert [row["id"] for row in shown["items"]] == ["a", "b"]
    assert (shown["count"], ids(api)) == (2, ["a", "b", "old"])


def test_stubs_of_a_scenario_are_listed_with_hits_and_position(make_api):
    api = make_api({"stubs": [{**ONE, "id": "a", "hits": 2, "position": 1}]})

    (shown,) = listed(api)

    assert (shown["hits"], shown["position"], shown["active"]) == (2, 1, False)


def test_put_replaces_all_stubs_of_a_workspace(api):
    added(api, {"id": "old", **ALL})

    answer = api.put(ADDRESS, json={"items": [{"id": "b", **ONE}, {"id": "old", **ONE}]})

    assert (answer.status_code, ids(api)) == (200, ["b", "old"])
    assert answer.json["items"][1]["answer"] == ONE["answer"]


def test_one_stub_is_replaced_where_it_stands_and_begins_anew(make_api):
    api = make_api({"stubs": [{"id": "a", **ALL}, {"id": "b", **ALL, "hits": 3}, {"id": "c", **ALL}]})

    answer = api.put(f"{ADDRESS}/b", json=ONE)

    assert answer.json == {"id": "b", **ONE, "hits": 0, "position": 0, "active": True}
    assert (ids(api), api.get(f"{ADDRESS}/b").json) == (["a", "b", "c"], answer.json)


def test_delete_removes_a_single_stub_or_all(api):
    added(api, {"items": [{"id": "a", **ALL}, {"id": "b", **ONE}]})

    assert (api.delete(f"{ADDRESS}/a").status_code, ids(api)) == (204, ["b"])
    assert api.delete(ADDRESS).status_code == 204
    assert api.get(ADDRESS).json == {"items": [], "count": 0}


@pytest.mark.parametrize("method", ["GET", "PUT", "DELETE"])
def test_unknown_stub_is_404_and_points_to_the_list_of_stubs(api, method):
    answer = api.request(method, f"{ADDRESS}/none", **({"json": ONE} if method == "PUT" else {}))

    assert (answer.status_code, answer.content_type) == (404, "application/problem+json")
    assert answer.json["detail"] == "unknown stub 'none'; GET /_mock/stubs lists all"


def test_every_mistake_of_a_stub_is_named(api):
    answer = api.post(ADDRESS, json={"method": "FETCH", "path": "contacts", "answr": {}, "answer": {"status": "200"}})

    assert answer.status_code == 400
    assert mistakes(answer).keys() == {"/method", "/path", "/answr", "/answer/status"}
    assert mistakes(answer)["/answr"] == "unknown key; did you mean answer?"


def test_every_mistake_of_a_list_is_named_and_none_of_it_is_added(api):
    answer = api.post(ADDRESS, json={"items": [ALL, {**ONE, "times": 0}, {**ALL, "path": "/v3/senders"}]})

    assert (answer.status_code, ids(api)) == (400, [])
    assert mistakes(answer).keys() == {"/items/1/times", "/items/2/path"}
    assert "getSenders" in mistakes(answer)["/items/2/path"]


@pytest.mark.parametrize(
    ("call", "place"),
    [
        (lambda api: api.post(ADDRESS, json={"id": "a", **ONE}), "/id"),
        (lambda api: api.post(ADDRESS, json={"items": [ONE, {"id": "a", **ONE}]}), "/items/1/id"),
        (lambda api: api.put(ADDRESS, json={"items": [{"id": "b", **ONE}, {"id": "b", **ONE}]}), "/items/1/id"),
    ],
    ids=["one that is there", "one of a list that is there", "two of a list that is to be all"],
)
def test_duplicate_stub_ids_are_refused(api, call, place):
    before = added(api, {"id": "a", **ALL})

    answer = call(api)

    assert (answer.status_code, list(mistakes(answer))) == (409, [place])
    assert listed(api) == [before]


def test_a_stub_is_not_replaced_by_one_of_another_id(api):
    before = added(api, {"id": "a", **ALL})

    answer = api.put(f"{ADDRESS}/a", json={"id": "b", **ONE})

    assert (answer.status_code, mistakes(answer)) == (400, {"/id": "not the id of this stub: got 'b', expected 'a'"})
    assert listed(api) == [before]


def test_stubs_beyond_the_limit_are_refused(make_api):
    api = make_api({"stubs": [ALL] * (MOST_STUBS - 1)})
    added(api, ALL)

    answer = api.post(ADDRESS, json=ALL)

    assert (answer.status_code, "got 1,001, expected at most 1,000" in answer.json["detail"]) == (409, True)
    assert api.get(ADDRESS).json["count"] == MOST_STUBS
    assert api.put(ADDRESS, json={"items": [ONE] * MOST_STUBS}).json["count"] == MOST_STUBS


def test_stubs_are_written_as_yaml_too(api):
    text = "items:\n  - {method: GET, path: /v3/contacts, answer: {status: 2000}}\n"

    answer = api.post(ADDRESS, data=text, content_type="application/yaml")

    assert (answer.status_code, list(mistakes(answer))) == (400, ["/items/0/answer/status"])
    assert answer.json["detail"].startswith("body:2: items[0].answer.status: ")
