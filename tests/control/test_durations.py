"""Durations in bodies of the control API and in scenarios: `16m` as well as `PT16M`."""

import pytest

NOW = "2026-01-15T09:00:00Z"
CLOCK = {"start": NOW, "frozen": True}


FORWARD = "the clock moves forward only: reset the workspace, or restore a snapshot"
REFUSED = [
    *(("/_mock/clock/advance", body, FORWARD) for body in ({"by": "-1h"}, {"by": "-PT1H"}, {"seconds": -3600})),
    ("/_mock/clock/advance", {"by": "soon"}, "by: not a duration, such as 16m, 1h30m, 2d or PT16M: got 'soon'"),
    ("/_mock/faults", {"fault": "latency", "ms": "soon"},
     "ms: neither a number nor a duration such as 16m, 1h30m, 2d or PT16M"),
]  # fmt: skip


@pytest.mark.parametrize(("path", "body", "told"), REFUSED)
def test_length_is_refused_with_the_reason_or_examples(api, path, body, told):
    answer = api.post(path, json=body)

    assert answer.status_code == 400
    assert told in answer.json["detail"]


@pytest.mark.parametrize("length", ["16m", "PT16M"])
def test_scenario_takes_both_forms_of_a_duration(make_api, length):
    domain = {"name": "shop.test", "created_at": f"-{length}"}

    api = make_api({"clock": CLOCK, "behaviour": {"otp_lifetime": length}, "domains": [domain]})
    state = api.get("/_mock/state")

    assert state.json["behaviour"]["otp_lifetime"] == "PT16M"
    assert state.json["accounts"][0]["domains"][0]["created_at"] == "2026-01-15T08:44:00Z"


def test_fault_takes_a_duration_for_a_number_and_shows_the_number(api):
    for rule, member, number in [
        ({"fault": "latency", "ms": "2s"}, "ms", 2000),
        ({"fault": "latency", "ms": "1.5ms"}, "ms", 1.5),
        ({"fault": "server_error", "ttl_s": "16m"}, "ttl_s", 960),
        ({"fault": "server_error", "ttl_s": "PT16M"}, "ttl_s", 960),
    ]:
        answer = api.post("/_mock/faults", json=rule)
        assert (answer.status_code, answer.json[member]) == (201, number)


def test_receiver_takes_a_duration_for_its_delay(api):
    answer = api.put("/_mock/receivers/shop", json={"delay_ms": "2s"})

    assert answer.json["answers"]["delay_ms"] == 2000
