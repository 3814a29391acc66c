"""A workspace that was written down and read again is the same to all who use it."""

import pytest
from same_workspace import lost
from stored_workspace import read_again

from mockserver.core.traffic.mail import WAITING, Sending
from mockserver.resources.webhooks.history import Files
from mockserver.scenario.documents.library import Library

SENDER = {"name": "New", "email": "new@acme.test"}
every_scenario = pytest.mark.parametrize(
    "name", [pytest.param(name, marks=pytest.mark.slow) if name == "large" else name for name in Library().names()]
)


@pytest.fixture
def make_busy(make_api):
    """A factory of APIs of scenarios in whose workspaces something of every kind has happened."""

    def made(name):
        api = make_api(name)
        api.post("/v3/senders", json=SENDER)
        api.post("/v3/domains", json={"name": "new.test"})
        webhook = {"url": "http://127.0.0.1:9/hook", "events": ["delivered"], "type": "transactional"}
        assert api.post("/v3/webhooks", json=webhook).status_code in (201, 403)
        latency = {"type": "uniform", "low_ms": 0.0, "high_ms": 0.5}
        fault = {"fault": "latency", "probability": 0.5, "distribution": latency}
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


@every_scenario
def test_busy_workspace_survives_a_round_trip(name, make_busy):
    workspace = make_busy(name).workspace

    assert lost(workspace) is None


def test_a_workspace_goes_on_to_draw_keys_with_the_mark_of_its_replica(make_api):
    api = make_api(replica="a")
    name = api.post("/_mock/workspaces").json["name"]

    read = read_again(api.store.get(name))

    assert read.state.draw_api_key().endswith("Ra")
    assert read.origin.keyring.own([None, None], ())[1][0].endswith("Ra")


def test_numbers_of_faults_are_shown_as_they_were_given(api):
    latency = {"type": "lognormal", "median_ms": 3, "sigma": 1}
    assert api.post("/_mock/faults", json={"fault": "latency", "probability": 1, "distribution": latency}).json

    assert lost(api.workspace) is None


def test_files_of_exports_go_in_the_order_in_which_they_were_ready(make_api):
    api = make_api({"accounts": [{"name": "acme", "api_keys": ["acme"], "enterprise": True}]}, key="acme")
    for _ in range(3):
        body = {"event": "allEvents", "type": "transactional", "days": 7, "notifyURL": "http://127.0.0.1:9/ready"}
        assert api.post("/v3/webhooks/export", json=body).status_code == 202
        api.advance("PT1M")

    read = read_again(api.workspace)

    ids = [[row.id for row in workspace.state.record(Files).ring] for workspace in (read, api.workspace)]
    assert ids[0] == ids[1]
    assert len(ids[0]) == 3
