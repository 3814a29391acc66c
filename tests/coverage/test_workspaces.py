"""Whose coverage it is: of a workspace, or of all that the server has seen."""

import pytest


@pytest.fixture
def headers_of(api):
    """Makes a workspace; gives the headers that lead to it."""

    def make(name):
        answer = api.post("/_mock/workspaces", json={"name": name})
        assert answer.status_code == 201
        return {"api-key": answer.json["api_key"]}

    return make


def calls(found):
    return {name: row["calls"] for name, row in found["operations"].items()}


def test_a_fresh_workspace_has_met_nothing(api, coverage):
    found = coverage(api)

    assert (found["percent"], found["operations"], found["transitions"]) == (0.0, {}, {})


def test_a_workspace_counts_its_own_requests_only(api, headers_of, coverage):
    one, other = headers_of("one"), headers_of("other")
    api.get("/v3/senders", headers=one)
    api.get("/v3/account", headers=other)

    assert calls(coverage(api, headers={"X-Mock-Workspace": "one"})) == {"getSenders": 1}
    assert calls(coverage(api, "?workspace=other")) == {"getAccount": 1}


def test_a_star_adds_up_over_all_workspaces(api, headers_of, coverage):
    api.get("/v3/senders", headers=headers_of("one"))
    api.get("/v3/senders", headers=headers_of("other"))
    api.get("/v3/account")

    assert calls(coverage(api, "?workspace=*")) == {"getAccount": 1, "getSenders": 2}


def test_coverage_of_a_dropped_workspace_stays_in_the_total(api, headers_of, coverage):
    api.get("/v3/senders", headers=headers_of("one"))
    before = coverage(api, "?workspace=*")

    api.delete("/_mock/workspaces/one")

    assert coverage(api, "?workspace=*") == before
    assert calls(before) == {"getSenders": 1}


def test_coverage_before_a_reset_stays_in_the_total(api, coverage):
    api.get("/v3/senders")
    api.post("/_mock/reset")
    api.get("/v3/senders")

    assert calls(coverage(api)) == {"getSenders": 1}
    assert calls(coverage(api, "?workspace=*")) == {"getSenders": 2}


def test_coverage_of_an_evicted_workspace_stays_in_the_total(make_api, coverage):
    api = make_api(workspaces_limit=2)
    key = api.post("/_mock/workspaces", json={"name": "old"}).json["api_key"]
    api.get("/v3/senders", key=key)

    api.post("/_mock/workspaces", json={"name": "new"})

    assert api.get("/_mock/coverage?workspace=old").status_code == 404
    assert calls(coverage(api, "?workspace=*")) == {"getSenders": 1}


def test_coverage_goes_on_over_a_restore(api, coverage):
    api.post("/_mock/snapshots", json={"name": "before"})
    api.get("/v3/senders")
    api.post("/_mock/snapshots/before/restore")
    api.get("/v3/senders")

    assert calls(coverage(api)) == {"getSenders": 2}


def test_clearing_a_workspace_leaves_the_others(api, headers_of, coverage):
    one = headers_of("one")
    api.get("/v3/senders", headers=one)
    api.get("/v3/account")

    assert api.delete("/_mock/coverage?workspace=one").status_code == 204

    assert calls(coverage(api, "?workspace=*")) == {"getAccount": 1}


def test_clearing_all_forgets_workspaces_that_are_gone(api, headers_of, coverage):
    api.get("/v3/senders", headers=headers_of("one"))
    api.delete("/_mock/workspaces/one")
    api.get("/v3/account")

    assert api.delete("/_mock/coverage?workspace=*").status_code == 204

    assert calls(coverage(api, "?workspace=*")) == {}


def test_due_timers_are_counted_when_coverage_is_read(api, coverage):
    api.post("/v3/senders", json={"name": "Ada", "email": "ada@example.test"})
    api.store.default.state.clock.move_to(api.store.default.state.clock.now().replace(year=2100))

    assert coverage(api, "?workspace=default")["transitions"]["sender"]["expire_otp"] > 0


@pytest.mark.parametrize("method", ["GET", "DELETE"])
def test_an_unknown_workspace_is_not_found(api, method):
    answer = api.request(method, "/_mock/coverage?workspace=nowhere")

    assert (answer.status_code, answer.mimetype) == (404, "application/problem+json")
    assert "nowhere" in answer.json["detail"]


def test_requests_that_lead_nowhere_are_not_counted(api, coverage):
    api.get("/v3/nowhere")
    api.request("OPTIONS", "/v3/senders")

    assert coverage(api, "?workspace=*")["operations"] == {}


def test_a_refusal_before_the_door_counts_for_its_operation(make_api, coverage):
    api = make_api(keys="known")
    api.get("/v3/account", key="xkeysib-unknown")

    assert coverage(api)["operations"]["getAccount"]["codes"] == {"unauthorized": {"natural": 1, "injected": 0}}


def test_a_workspace_that_is_not_counted_adds_nothing_to_the_servers_total(api, coverage):
    made = api.post("/_mock/workspaces", json={"name": "quiet", "counted": False}).json
    api.get("/v3/senders", headers={"api-key": made["api_key"]})

    before = coverage(api, "?workspace=*")
    api.post("/w/quiet/_mock/reset")
    api.get("/v3/senders", headers={"api-key": made["api_key"]})
    api.delete("/_mock/workspaces/quiet")

    assert (calls(before), calls(coverage(api, "?workspace=*"))) == ({}, {})
