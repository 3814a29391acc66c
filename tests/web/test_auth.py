"""Which account a key or a token opens, and how other callers are refused (contract/errors#statuses)."""

import pytest

WORKSPACE = {
    "accounts": [
        {"name": "first", "api_keys": ["xkeysib-first"], "revoked_keys": ["xkeysib-old"], "email": "first@acme.test"},
        {"name": "second", "api_keys": ["xkeysib-second"], "email": "second@acme.test"},
    ]
}


@pytest.mark.parametrize(
    ("key", "email"), [("xkeysib-first", "first@acme.test"), ("xkeysib-second", "second@acme.test")]
)
def test_a_key_opens_its_account(make_api, key, email):
    assert make_api(WORKSPACE).get("/v3/account", key=key).json["email"] == email


def test_an_unknown_key_opens_the_first_account_in_mode_any(make_api):
    assert make_api(WORKSPACE, keys="any").get("/v3/account", key="who").json["email"] == "first@acme.test"


def test_an_unknown_key_is_refused_in_mode_known(make_api):
    answer = make_api(WORKSPACE, keys="known").get("/v3/account", key="who")

    assert (answer.status_code, answer.json) == (401, {"code": "unauthorized", "message": "Key not found"})


@pytest.mark.parametrize("mode", ["any", "known"])
def test_a_revoked_key_is_refused_in_every_mode(make_api, mode):
    answer = make_api(WORKSPACE, keys=mode).get("/v3/account", key="xkeysib-old")

    assert (answer.status_code, answer.json["message"]) == (401, "Key not found")


@pytest.mark.parametrize("headers", [{}, {"api-key": ""}, {"x-api-key": "xkeysib-first"}])
def test_a_request_without_key_and_token_is_refused_with_a_message_that_says_so(make_api, headers):
    answer = make_api(WORKSPACE).client.get("/v3/account", headers=headers)

    assert (answer.status_code, answer.json) == (
        401,
        {"code": "unauthorized", "message": "authentication not found in headers"},
    )


@pytest.mark.parametrize("path", ["/v3/nowhere", "/v4/senders", "/elsewhere"])
def test_authentication_comes_before_routing(make_api, path):
    api = make_api(WORKSPACE, keys="known")

    assert api.get(path, key="who").status_code == 401
    assert api.get(path, key="xkeysib-first").status_code == 404


@pytest.mark.parametrize(
    ("allowed", "status"), [(["127.0.0.1"], 200), (["127.0.0.0/8"], 200), (["203.0.113.0/24", "::1"], 401)]
)
def test_where_ip_addresses_are_authorised_callers_from_others_are_refused(make_api, allowed, status):
    answer = make_api({**WORKSPACE, "behaviour": {"authorised_ips": allowed}}).get("/v3/account")

    assert answer.status_code == status
    assert status == 200 or "127.0.0.1" in answer.json["message"]


CORPORATE = {
    "accounts": [
        {"name": "m", "role": "master", "api_keys": ["xkeysib-m"]},
        {"name": "s", "id": 1000002, "role": "sub_account", "of": "m"},
    ]
}


@pytest.fixture
def corporate(make_api):
    return make_api(CORPORATE, key="xkeysib-m", keys="any")


def new_key(api):
    return api.post("/v3/corporate/subAccount/key", json={"id": 1000002, "name": "CI"}).json["key"]


def test_a_key_that_the_service_has_made_dies_with_its_account(corporate):
    key = new_key(corporate)
    assert corporate.get("/v3/account", key=key).status_code == 200

    corporate.delete("/v3/corporate/subAccount/1000002")

    assert corporate.get("/v3/account", key=key).status_code == 401


def test_a_key_that_the_service_has_made_dies_with_its_workspace(corporate):
    key = new_key(corporate)

    corporate.post("/_mock/reset", json={"scenario": "empty"})

    assert corporate.get("/v3/account", key=key).status_code == 401


def test_a_key_that_is_made_again_after_a_reset_opens_its_account_again(corporate):
    """Keys follow from the seed: the first key after a reset is the first key before it."""
    key = new_key(corporate)
    corporate.post("/_mock/reset")

    assert new_key(corporate) == key
    assert corporate.get("/v3/account", key=key).status_code == 200
