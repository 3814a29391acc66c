"""Headers on every answer but 401, windows on the workspace's clock, counted per account (contract/rate-limits)."""

from datetime import timedelta

import pytest
from tables import tables

from mockserver.web.service.rate_limit import Window, Windows

#: The tables of the tests by name.
CASES = tables(__file__)
WORKSPACE = {
    "clock": {"start": "2026-01-15T09:00:00Z", "frozen": True},
    "accounts": [
        {"name": "one", "api_keys": ["one"], "attributes": {"normal": ["A"]}},
        {"name": "two", "api_keys": ["two"]},
    ],
}


def limits(answer):
    return tuple(int(answer.headers[f"x-sib-ratelimit-{name}"]) for name in ("limit", "remaining", "reset"))


def workspace(tier="general", enforce=False):
    return {**WORKSPACE, "behaviour": {"rate_limit": {"tier": tier, "enforce": enforce}}}


@pytest.mark.parametrize(("tier", "call", "limit", "reset"), CASES["limits"])
def test_limits_follow_tier_and_path(make_api, tier, call, limit, reset):
    method, path = call.split()
    answer = make_api(workspace(tier), key="one").request(method, path)

    assert limits(answer) == (limit, limit - 1, reset)


def test_the_headers_tell_the_window_in_which_fewer_requests_are_left(make_api):
    api = make_api(workspace(), key="one")
    state = api.workspace.state
    (account,) = [account for account in state.accounts.values() if account.name == "one"]
    account.record(Windows)["contacts", timedelta(hours=1)] = Window(state.clock.now(), 35_995)

    assert limits(api.get("/v3/contacts")) == (36_000, 4, 3600)


def test_all_other_paths_share_one_window(make_api):
    api = make_api(workspace(), key="one")

    api.get("/v3/senders")

    assert limits(api.get("/v3/account")) == (100, 98, 3600)


def test_rate_limit_windows_are_separate_per_account(make_api):
    api = make_api(workspace())

    api.get("/v3/senders", key="one")

    assert limits(api.get("/v3/senders", key="two"))[1] == 99


def test_the_reset_counts_down_on_the_workspaces_clock(make_api):
    api = make_api(workspace(), key="one")

    api.get("/v3/senders")
    api.advance("PT10M")

    assert limits(api.get("/v3/senders")) == (100, 98, 3000)


def test_a_window_starts_anew_when_it_is_over(make_api):
    api = make_api(workspace(), key="one")

    api.get("/v3/senders")
    api.advance("PT1H")

    assert limits(api.get("/v3/senders")) == (100, 99, 3600)


def test_over_the_limit_requests_are_answered_unless_the_scenario_enforces_it(make_api):
    api = make_api(workspace(), key="one")

    statuses = {api.get("/v3/senders").status_code for _ in range(101)}

    assert statuses == {200}


def test_with_enforce_the_request_over_the_limit_is_429_and_changes_nothing(make_api):
    api = make_api(workspace(enforce=True), key="one")
    assert {api.delete("/v3/contacts/attributes/normal/NONE").status_code for _ in range(10)} == {404}

    answer = api.delete("/v3/contacts/attributes/normal/A")

    assert (answer.status_code, answer.json["code"], limits(answer)) == (429, "too_many_requests", (10, 0, 1))
    api.advance("PT1S")
    assert api.delete("/v3/contacts/attributes/normal/A").status_code == 204


def test_a_refused_caller_is_not_counted_and_never_meets_429(make_api):
    api = make_api(workspace(enforce=True), keys="known", key="unknown")

    statuses = {api.delete("/v3/contacts/attributes/normal/A").status_code for _ in range(11)}

    assert statuses == {401}
    assert limits(api.get("/v3/contacts/attributes", key="one"))[1] == 9


@pytest.mark.parametrize("key", ["unknown", "one"])
@pytest.mark.parametrize("path", ["/v3/senders", "/v3/nowhere"])
def test_a_401_tells_no_rate_limit_by_nature_and_by_a_fault(make_api, path, key):
    answer = make_api(workspace(), keys="known").get(path, key=key, headers={"X-Mock-Fault": "unauthorized"})

    assert answer.status_code == 401
    assert [name for name, _ in answer.headers if name.startswith("x-sib-ratelimit")] == []
