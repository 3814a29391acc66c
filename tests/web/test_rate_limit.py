"""Headers on every answer, windows on the workspace's clock, counted per account (contract/rate-limits)."""

import pytest

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


@pytest.mark.parametrize(
    ("tier", "path", "limit", "reset"),
    [
        ("general", "/v3/senders", 100, 3600),
        ("general", "/v3/smtp/email/x", 300, 3600),
        ("general", "/v3/contacts/attributes/normal/A", 10, 1),
        ("advanced", "/v3/senders", 200, 3600),
        ("advanced", "/v3/contacts/attributes/normal/A", 20, 1),
        ("extended", "/v3/account", 600, 3600),
        ("extended", "/v3/smtp/email/x", 1800, 3600),
    ],
)
def test_limits_follow_tier_and_path(make_api, tier, path, limit, reset):
    api = make_api(workspace(tier), key="one")

    assert limits(api.delete(path)) == (limit, limit - 1, reset)


def test_all_other_paths_share_one_window(make_api):
    api = make_api(workspace(), key="one")

    api.get("/v3/senders")

    assert limits(api.get("/v3/account")) == (100, 98, 3600)


def test_each_account_has_its_own_windows(make_api):
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
    for _ in range(10):
        api.delete("/v3/contacts/attributes/normal/NONE")

    answer = api.delete("/v3/contacts/attributes/normal/A")

    assert (answer.status_code, answer.json["code"], limits(answer)) == (429, "too_many_requests", (10, 0, 1))
    api.advance("PT1S")
    assert api.delete("/v3/contacts/attributes/normal/A").status_code == 204


def test_with_enforce_refused_callers_over_the_limit_are_429(make_api):
    api = make_api(workspace(enforce=True), keys="known", key="unknown")

    path = "/v3/contacts/attributes/normal/A"
    statuses = [api.delete(path).status_code for _ in range(11)]

    assert statuses == [401] * 10 + [429]


@pytest.mark.parametrize("path", ["/v3/senders", "/v3/nowhere"])
def test_refused_callers_get_the_rate_limit_headers(make_api, path):
    answer = make_api(workspace(), keys="known").get(path, key="unknown")

    assert (answer.status_code, limits(answer)[0]) == (401, 100)
