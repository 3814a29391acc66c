"""Workspaces in which something of every kind has happened."""

import pytest

from mockserver.core.traffic.mailbox import WAITING, Sending

SENDER = {"name": "New", "email": "new@acme.test"}


@pytest.fixture
def make_busy(make_api):
    """A factory of APIs of scenarios in whose workspaces something of every kind has happened."""

    def made(name):
        api = make_api(name)
        api.post("/v3/senders", json=SENDER)
        api.post("/v3/domains", json={"name": "new.test"})
        webhook = {"url": "http://127.0.0.1:9/hook", "events": ["delivered"], "type": "transactional"}
        assert api.post("/v3/webhooks", json=webhook).status_code in (201, 403)
        fault = {
            "fault": "latency",
            "probability": 0.5,
            "distribution": {"type": "uniform", "low_ms": 0.0, "high_ms": 0.5},
        }
        assert api.post("/_mock/faults", json=fault).status_code == 201
        assert api.post("/_mock/receiver/shop", json={"a": 1}).status_code == 200
        api.get("/v3/senders")
        assert api.post("/_mock/trigger", json={"event": "delivered"}).status_code == 200
        assert api.post("/_mock/seed", json={"senders": [{"name": "s", "email": "s@acme.test"}]}).status_code == 200
        assert api.post("/_mock/snapshots", json={"name": "before"}).status_code == 201
        api.advance("PT1M")
        api.post("/v3/senders", json=SENDER | {"email": "newer@acme.test"})
        mailbox = api.workspace.state.mailbox
        for mail in list(mailbox)[:1]:  # not every scenario has sent one
            mailbox.note_sending(mail, Sending(WAITING, 2, "no answer"))
        return api

    return made
