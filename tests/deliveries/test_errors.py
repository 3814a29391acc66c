"""A timer or a call whose action fails is over, and no request fails because of it."""

import pytest

from mockserver.resources.deliveries import model as attempts
from mockserver.resources.deliveries.delivery import Delivery, Target
from mockserver.resources.senders.model import SENDER

HOOK = {"url": "http://127.0.0.1:9/x", "type": "marketing", "events": ["delivered"]}


@pytest.fixture
def frozen(make_api):
    api = make_api("empty")
    api.put("/_mock/clock", json={"frozen": True})
    return api


def fail(*_):
    raise ValueError("nobody has thought of this")


def test_a_timer_whose_action_fails_is_told_in_the_log_only(frozen, monkeypatch, caplog):
    frozen.post("/v3/senders", json={"name": "a", "email": "a@acme.test"})
    monkeypatch.setattr(type(SENDER), "fall_due", fail)

    assert frozen.post("/_mock/clock/advance", json={"by": "P1D"}).status_code == 200
    assert frozen.get("/v3/senders").status_code == 200
    assert "has failed in workspace default" in caplog.text


def test_a_call_that_cannot_be_written_is_dropped_with_its_reason(frozen, monkeypatch, caplog):
    frozen.post("/_mock/seed", json={"webhooks": [HOOK]})
    monkeypatch.setattr(attempts, "OutgoingRequest", fail)
    frozen.post("/_mock/trigger", json={"type": "marketing", "event": "delivered"})

    (found,) = frozen.get("/_mock/deliveries?state=dropped&wait=5").json["items"]
    assert (found["state"], found["in_flight"]) == ("dropped", False)
    assert "the mock cannot write the call: ValueError" in found["attempts"][0]["error"]
    assert frozen.get("/_mock/state").status_code == 200
    assert "cannot be written" in caplog.text


def test_payload_of_odd_values_is_written(frozen):
    delivery = Delivery(1, Target("http://127.0.0.1:9"), [{"a": {1, 2}, "b": "\ud800"}], ["x"], None, None)

    assert delivery.body == rb'{"a":"{1, 2}","b":"?"}'
