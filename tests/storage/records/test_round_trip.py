"""A workspace that was written down and read again is the same to all who use it."""

import pytest
from held_workspace import read_again
from same_workspace import lost

from mockserver.resources.webhooks.history import Files
from mockserver.scenario.documents.library import Library

every_scenario = pytest.mark.parametrize(
    "name", [pytest.param(name, marks=pytest.mark.slow) if name == "large" else name for name in Library().names()]
)


@every_scenario
def test_a_workspace_in_which_much_has_happened_is_the_same(name, make_busy):
    workspace = make_busy(name).workspace

    assert lost(workspace) is None


def test_a_workspace_goes_on_to_draw_keys_with_the_mark_of_its_replica(make_api):
    api = make_api(replica="a")
    name = api.post("/_mock/workspaces").json["name"]

    read = read_again(api.store.get(name))

    assert read.state.draw_api_key().endswith("Ra")
    assert read.origin.keyring.own([None, None], ())[1][0].endswith("Ra")


def test_plan_changes_that_wait_are_the_same(make_api):
    change = {"subAccountIds": [2, 3], "credits": {"email": 100}}
    subs = [{"name": name, "id": number, "role": "sub_account", "of": "m"} for number, name in ((2, "eu"), (3, "us"))]
    api = make_api(
        {
            "clock": {"start": "2026-01-15T09:00:00Z", "frozen": True},
            "behaviour": {"bulk_plan": {"after": "PT1H"}},
            "accounts": [{"name": "m", "id": 1, "role": "master", "pool": {"credits": {"email": 1000}}}, *subs],
        }
    )
    for _ in range(2):
        assert api.put("/v3/corporate/subAccounts/plan", json=change).status_code == 202

    assert lost(api.workspace) is None


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
