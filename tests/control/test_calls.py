"""The record of control calls: those that have changed something, with what they have caused."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

SCENARIO = {
    "clock": {"start": "2026-01-15T09:00:00Z", "frozen": True},
    "accounts": [{
        "name": "acme", "api_keys": ["xkeysib-acme"],
        "webhooks": [{"url": "http://127.0.0.1:9/hook", "events": ["delivered"]}],
        "senders": [{"id": 1, "name": "A", "email": "a@acme.test", "state": "awaiting_verification"}],
    }],
}  # fmt: skip


pytestmark = pytest.mark.api(SCENARIO)


def calls(api):
    """The calls since the one that has given the application its scenario."""
    rows = api.get("/_mock/calls").json["items"]
    return rows[:-1] if rows[-1]["path"] == "/_mock/reset" else rows


def cause(identifier):
    return [{"kind": "control", "id": identifier}]


def test_a_call_that_has_changed_something_is_recorded(api):
    answer = api.put("/_mock/clock", json={"frozen": False})

    [call] = calls(api)
    moments = [datetime.fromisoformat(call.pop(name)) for name in ("at", "real_at")]
    assert moments[0] >= datetime(2026, 1, 15, 9, tzinfo=UTC)
    assert timedelta() <= datetime.now(UTC) - moments[1] < timedelta(minutes=1)
    assert call == {
        "id": answer.headers["X-Mock-Call"], "method": "PUT", "path": "/_mock/clock", "query": {},
        "body": {"frozen": False}, "status": 200, "transitions": [], "caused": [], "caused_by": [],
    }  # fmt: skip


def test_one_call_is_found_by_the_header_of_its_answer(api):
    identifier = api.post("/_mock/snapshots").headers["X-Mock-Call"]

    assert api.get(f"/_mock/calls/{identifier}").json == calls(api)[0]
    assert api.get("/_mock/calls/nowhere").status_code == 404


def test_calls_that_change_nothing_are_not_recorded(api):
    for method, path, body in [
        ("GET", "/_mock/state", None), ("GET", "/_mock/clock", None),
        ("POST", "/_mock/requests/verify", {"match": {}, "count": 0}), ("POST", "/_mock/receiver/hook", {}),
        ("PUT", "/_mock/clock", {"frozen": 5}), ("POST", "/_mock/machines/sender/9/verify", None),
    ]:  # fmt: skip
        answer = api.request(method, path, json=body)
        assert "X-Mock-Call" not in answer.headers
        assert calls(api) == []


def test_an_event_fired_by_hand_names_its_call_and_the_call_names_its_transition(api):
    identifier = api.post("/_mock/machines/sender/1/resend_otp").headers["X-Mock-Call"]

    call = calls(api)[0]
    [change] = call["transitions"]
    mail = api.get("/_mock/mailbox").json["items"][0]
    assert (change["event"], change["caused_by"]) == ("resend_otp", cause(identifier))
    assert change["caused"] == call["caused"]
    assert {row["kind"] for row in call["caused"]} == {"timer", "mail"}
    assert mail["caused_by"] == cause(identifier)
    assert mail["request"] is None


def test_the_calls_to_webhooks_of_an_event_that_was_raised_name_the_control_call(api):
    answer = api.post("/_mock/trigger", json={"event": "delivered"})

    [delivery] = answer.json["items"]
    assert delivery["caused_by"] == cause(answer.headers["X-Mock-Call"])
    assert {"kind": "delivery", "id": str(delivery["id"])} in calls(api)[0]["caused"]


def test_effects_of_a_request_do_not_name_an_earlier_control_call(api):
    api.post("/_mock/machines/sender/1/resend_otp")
    answer = api.post("/v3/senders", json={"name": "B", "email": "b@acme.test"})

    mail = api.get("/_mock/mailbox?to=b@acme.test").json["items"][0]
    assert mail["caused_by"] == [{"kind": "request", "id": answer.headers["sib-request-id"]}]


def test_a_timer_that_a_seeded_row_has_names_the_call(api):
    row = {"id": 7, "name": "B", "email": "b@acme.test", "state": "awaiting_verification"}
    answer = api.post("/_mock/seed", json={"senders": [row]})

    timer = next(row for row in api.get("/_mock/clock/timers").json["items"] if row["key"] == 7)
    assert timer["caused_by"] == cause(answer.headers["X-Mock-Call"])


def test_query_and_body_of_a_call_are_recorded_without_secrets(api):
    api.post("/_mock/keys/revoke", json={"key": "xkeysib-acme"})
    api.delete("/_mock/coverage?workspace=default")
    api.post("/_mock/clock/advance", data='{"by": "PT1S"}', content_type="multipart/form-data; boundary=x")

    multipart, query, secret = calls(api)
    assert multipart["body"] == "***"
    assert query["query"] == {"workspace": "default"}
    assert secret["body"]["key"] == "***"


def test_a_body_that_is_too_large_is_left_out(make_api):
    api = make_api(SCENARIO, journal_bytes_limit=20_000)
    document = {"description": "x" * 6_000, **SCENARIO}
    assert api.put("/_mock/state", json=document).status_code == 200

    call = calls(api)[0]
    assert call["body"] is None
    assert call["left_out"] > 6_000


def test_oldest_control_calls_are_evicted(make_api):
    api = make_api(SCENARIO, journal_limit=2)
    for _ in range(3):
        api.post("/_mock/clock/advance", json={"seconds": 1})

    found = api.get("/_mock/calls?limit=1&offset=1").json
    assert (len(found["items"]), found["count"], found["evicted"]) == (1, 2, 2)


def test_a_reset_forgets_the_calls_before_it_and_is_recorded_itself(api):
    api.post("/_mock/clock/advance", json={"seconds": 1})
    identifier = api.post("/_mock/reset").headers["X-Mock-Call"]

    found = api.get("/_mock/calls").json["items"]
    assert [(call["id"], call["path"]) for call in found] == [(identifier, "/_mock/reset")]


@pytest.mark.parametrize("way", ["restore", "document"])
def test_calls_go_on_over_another_state(api, way):
    api.post("/_mock/snapshots", json={"name": "kept"})
    state = api.get("/_mock/state").json
    if way == "restore":
        api.post("/_mock/snapshots/kept/restore")
    else:
        api.put("/_mock/state", json=state)

    paths = [call["path"] for call in calls(api)]
    assert len(paths) == 2
    assert paths[1] == "/_mock/snapshots"


def test_a_new_workspace_tells_how_it_was_made(api):
    answer = api.post("/_mock/workspaces", json={"name": "mine"})

    [call] = api.get("/w/mine/_mock/calls").json["items"]
    assert (call["id"], call["path"]) == (answer.headers["X-Mock-Call"], "/_mock/workspaces")
    assert calls(api) == []


def test_ids_of_calls_shift_no_other_ids(make_api):
    quiet, busy = make_api(SCENARIO), make_api(SCENARIO)
    busy.post("/_mock/clock/advance", json={"seconds": 0})
    sender = {"name": "B", "email": "b@acme.test"}

    answers = [api.post("/v3/senders", json=sender).headers["sib-request-id"] for api in (quiet, busy)]

    assert answers[0] == answers[1]
    assert quiet.get("/_mock/mailbox").json == busy.get("/_mock/mailbox").json


def test_a_delivery_that_gets_an_id_again_is_that_of_the_later_call(api):
    api.post("/_mock/snapshots", json={"name": "kept"})
    first = api.post("/_mock/trigger", json={"event": "delivered"})
    api.post("/_mock/snapshots/kept/restore")
    second = api.post("/_mock/trigger", json={"event": "delivered"})

    [delivery] = second.json["items"]
    assert delivery["id"] == first.json["items"][0]["id"]
    assert delivery["caused_by"] == cause(second.headers["X-Mock-Call"])
    assert api.get(f"/_mock/calls/{first.headers['X-Mock-Call']}").json["caused"] == []
