"""What a world writes of itself is good, and makes the same world again."""

import pytest

FROZEN = {"clock": {"start": "2026-01-15T09:00:00Z", "frozen": True}}


@pytest.fixture
def world_of(make_api):
    """A factory of worlds at a moment that stands still."""
    return lambda document=None, **settings: make_api({**FROZEN, **(document or {})}, **settings)


def state_put_back(api):
    """The state before and after it is put in its own place."""
    api.put("/_mock/clock", json={"frozen": True})
    before = api.get("/_mock/state").json
    answer = api.put("/_mock/state", json=before)
    assert answer.status_code == 200, answer.json
    return before, api.get("/_mock/state").json


def assert_same(api):
    before, after = state_put_back(api)
    assert after == before


def test_a_key_opens_an_account_once(make_api):
    answer = make_api("empty").put("/_mock/state", json={"accounts": [{"name": "a", "api_keys": ["k", "l", "k"]}]})

    assert answer.status_code == 400
    assert answer.json["detail"].startswith("accounts[0].api_keys[2]: this key stands there twice")


def test_a_sub_account_has_a_name_of_its_own(make_api):
    api = make_api("corporate-v2", key="xkeysib-acme")
    number = api.get("/_mock/state").json["resume"]["ids"]["account"]
    taken = [f"sub-{number + 1}", f"sub-{number + 1}-2"]
    api.post("/_mock/seed", json={"accounts": [{"name": name, "id": row} for row, name in enumerate(taken, 77)]})

    made = api.post("/v3/corporate/subAccount", json={"companyName": "x", "email": "a@b.test"})

    assert api.world.accounts[made.json["id"]].name == f"sub-{number + 1}-3"
    assert_same(api)
