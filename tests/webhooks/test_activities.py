"""What the service writes into the activity log by itself: keys that are made, plans that change."""

import pytest

START = "2026-01-15T09:00:00Z"


@pytest.fixture
def master(make_api):
    """A factory of workspaces of a master with the sub-accounts 2 to 4; its pool holds a hundred credits of e-mail."""

    def make(bulk="PT1H", *, enterprise=True):
        acme = {"name": "acme", "id": 1, "role": "master", "api_keys": ["acme"], "email": "owner@acme.test"}
        subs = [
            {"name": name, "id": number, "role": "sub_account", "of": "acme", "api_keys": [name]}
            for number, name in enumerate(("eu", "us", "asia"), 2)
        ]
        accounts = [{**acme, "enterprise": enterprise, "pool": {"credits": {"email": 100}}}, *subs]
        clock = {"start": START, "frozen": True}
        return make_api({"clock": clock, "behaviour": {"bulk_plan": {"after": bulk}}, "accounts": accounts}, key="acme")

    return make


#: Headers that say who asks, and how the activity log shows that.
AGENT = {"User-Agent": "billing/2.1"}
WHO = {"user_email": "owner@acme.test", "user_ip": "198.51.100.23", "user_agent": "billing/2.1"}


def ask(api, method, path, body):
    answer = api.request(method, path, json=body, headers=AGENT, environ_base={"REMOTE_ADDR": "198.51.100.23"})
    assert answer.status_code < 300, answer.text


def change_all(api, email):
    body = {"subAccountIds": [2, 3], "credits": {"email": email}}
    ask(api, "PUT", "/v3/corporate/subAccounts/plan", body)


def logs(api):
    return api.get("/v3/organization/activities").json["logs"]


def assigned(api):
    paths = [f"/v3/corporate/subAccount/{number}" for number in (2, 3)]
    return [api.get(path).json["planInfo"]["credits"]["emails"]["quantity"] for path in paths]


@pytest.mark.parametrize(
    ("method", "path", "body", "action"),
    [
        ("POST", "key", {"id": 2, "name": "ci"}, "create-api-key"),
        ("PUT", "2/plan", {"credits": {"email": 10}}, "update-plan"),
    ],
)
def test_new_key_and_changed_plan_are_written_down(master, method, path, body, action):
    api = master()
    ask(api, method, f"/v3/corporate/subAccount/{path}", body)
    assert logs(api) == [{"action": action, "date": "2026-01-15T09:00:00+00:00", **WHO}]


def test_a_refused_request_is_not_written_down(master):
    api = master()
    assert api.put("/v3/corporate/subAccount/2/plan", json={"credits": {"email": 101}}).status_code == 400
    assert api.post("/v3/corporate/subAccount/key", json={"id": 5, "name": "ci"}).status_code == 400
    assert logs(api) == []


def test_several_plans_change_on_the_clock_and_are_written_down_once(master):
    api = master()
    change_all(api, 50)
    api.advance("PT59M59S")
    assert (assigned(api), logs(api)) == ([0, 0], [])
    api.advance("PT1S")

    assert assigned(api) == [50, 50]
    assert logs(api) == [{"action": "update-plan", "date": "2026-01-15T10:00:00+00:00", **WHO}]


def test_a_bulk_change_without_a_delay_is_applied_when_the_answer_comes(master):
    api = master("PT0S")
    change_all(api, 50)
    assert (assigned(api), len(logs(api))) == ([50, 50], 1)


def test_a_bulk_change_that_the_pool_cannot_hold_changes_nothing_and_is_written_down(master):
    api = master()
    change_all(api, 40)
    api.advance("PT30M")
    ask(api, "PUT", "/v3/corporate/subAccount/4/plan", {"credits": {"email": 30}})

    api.advance("PT30M")

    assert assigned(api) == [0, 0]
    assert [row["action"] for row in logs(api)] == ["reject-plan-update", "update-plan"]


def test_of_two_changes_that_the_pool_cannot_both_hold_the_second_is_rejected(master):
    api = master()
    ask(api, "PUT", "/v3/corporate/subAccounts/plan", {"subAccountIds": [2], "credits": {"email": 60}})
    ask(api, "PUT", "/v3/corporate/subAccounts/plan", {"subAccountIds": [3], "credits": {"email": 60}})

    api.advance("PT1H")

    assert assigned(api) == [60, 0]
    assert sorted(row["action"] for row in logs(api)) == ["reject-plan-update", "update-plan"]
    assert {row["user_ip"] for row in logs(api)} == {WHO["user_ip"]}


def test_user_of_a_bulk_change_is_known_after_a_restart(master):
    api = master()
    change_all(api, 50)
    state = api.get("/_mock/state").json
    assert api.put("/_mock/state", json=state).status_code == 200
    assert api.get("/_mock/state").json == state

    api.advance("PT1H")

    assert logs(api) == [{"action": "update-plan", "date": "2026-01-15T10:00:00+00:00", **WHO}]


def test_the_activity_log_cannot_be_read_without_an_enterprise_plan(master):
    api = master(enterprise=False)
    ask(api, "POST", "/v3/corporate/subAccount/key", {"id": 2, "name": "ci"})
    assert api.get("/v3/organization/activities").status_code == 400
