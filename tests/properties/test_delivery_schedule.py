"""Any pattern of answers gives the attempts that the table says (contract/deliveries), however the time is cut up."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

START = datetime(2026, 1, 15, 9, tzinfo=UTC)
#: The moments of the five requests, in minutes.
MOMENTS = (0, 10, 70, 190, 670)
ANSWERS = [200, 204, 299, 301, 400, 404, 410, 429, 500, 503, 599, "timed out", "refused"]
PATTERNS = st.lists(st.sampled_from(ANSWERS), min_size=5, max_size=5)
#: Where the twelve hours are cut, in minutes.
CUTS = st.sets(st.integers(1, 719), max_size=4)


def outcome_of(answer):
    return {"status": answer} if isinstance(answer, int) else {"error": answer}


def table(pattern, on_5xx):
    """State and attempts, as the contract has them."""
    attempts = []
    for minutes, answer in zip(MOMENTS, pattern, strict=True):
        at = START + timedelta(minutes=minutes)
        attempts.append((f"{at:%Y-%m-%dT%H:%M:%SZ}", outcome_of(answer)))
        if not isinstance(answer, int) or answer == 429 or (answer >= 500 and on_5xx == "retry"):
            continue
        return "delivered" if answer < 300 else "dropped", attempts
    return "dropped", attempts


@pytest.fixture(params=["retry", "drop"])
def api(request, make_api):
    found = make_api(
        {
            "clock": {"start": "2026-01-15T09:00:00Z", "frozen": True},
            "behaviour": {"webhook_5xx": request.param},
            "webhooks": [{"id": 1, "url": "http://127.0.0.1:9/hook", "events": ["delivered"]}],
        }
    )
    found.on_5xx = request.param
    return found


@given(pattern=PATTERNS, cuts=CUTS)
def test_delivery_attempts_match_the_retry_table(api, elsewhere, pattern, cuts):
    api.workspace.effects = effects = elsewhere()
    effects.answer_at_once = lambda job: outcome_of(pattern[len(effects.calls) - 1])
    assert api.post("/_mock/reset").status_code == 200

    api.post("/_mock/trigger", json={"event": "delivered"})
    for cut in (*sorted(cuts), 720):
        api.put("/_mock/clock", json={"now": (START + timedelta(minutes=cut)).isoformat()})
    (found,) = api.get("/_mock/deliveries").json["items"]

    state, attempts = table(pattern, api.on_5xx)
    told = [(row["at"], {name: row[name] for name in ("status", "error") if name in row}) for row in found["attempts"]]
    assert (found["state"], told) == (state, attempts)
    assert len(effects.calls) == len(attempts)
    assert (found["next_at"], found["in_flight"]) == (None, False)
