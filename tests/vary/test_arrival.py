"""How webhook calls arrive with `behaviour.webhook_calls`."""

from __future__ import annotations

import pytest

from mockserver.resources.deliveries.delivery import Delivery

WEBHOOK = {"url": "https://x.test/hook", "events": ["delivered"], "type": "transactional", "id": 1}
START = "2026-01-15T09:00:00Z"
LATER = "2026-01-15T09:00:03Z"
#: The moments of two events' calls, by the option.
ARRIVALS = {
    "once": [START, START],
    "doubled": [START] * 4,
    "swapped": [LATER, START],
    "late": [LATER, LATER],
}


def moments(api):
    for _ in range(2):
        api.post("/_mock/trigger", json={"event": "delivered"})
    rows = api.get("/_mock/deliveries").json["items"]  # a call that is due at once has begun
    first = {row["id"]: row["attempts"][0]["at"] if row["attempts"] else row["next_at"] or START for row in rows}
    return [first[number] for number in sorted(first)]


def scenario(option, **webhook):
    clock = {"start": START, "frozen": True}
    return {"clock": clock, "behaviour": {"webhook_calls": option}, "webhooks": [{**WEBHOOK, **webhook}]}


@pytest.mark.parametrize(("option", "expected"), ARRIVALS.items())
def test_calls_arrive_as_the_option_says(make_api, option, expected):
    assert moments(make_api(scenario(option))) == expected


def test_doubled_calls_have_ids_of_their_own_and_equal_payloads(make_api):
    api = make_api(scenario("doubled"))
    api.post("/_mock/trigger", json={"event": "delivered"})
    first, second = api.workspace.state.first_account.rows_of(Delivery).values()
    assert first.id != second.id
    assert first.payloads == second.payloads


@pytest.mark.parametrize("option", ["doubled", "swapped", "late"])
def test_a_batched_webhook_is_called_once(make_api, option):
    api = make_api(scenario(option, batched=True))
    assert len(set(moments(api))) == 1
    assert api.get("/_mock/deliveries").json["count"] == 1
