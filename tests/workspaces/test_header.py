"""`X-Mock-Workspace` names the workspace of a request, to the mocked API as to the control API."""

from __future__ import annotations

import pytest


@pytest.fixture
def jo(api, new_workspace):
    return new_workspace(api, "empty", name="jo")


def there(name):
    return {"X-Mock-Workspace": name}


def test_an_unknown_key_opens_the_workspace_that_the_header_names(api, jo):
    api.post("/v3/senders", json={"name": "Jo", "email": "jo@acme.test"}, headers=there("jo"))

    assert "jo@acme.test" in str(jo.state)
    assert "jo@acme.test" not in api.get("/_mock/state").text
    assert (len(jo.journal), api.get("/_mock/requests").json["count"]) == (1, 0)


def test_a_header_that_agrees_with_the_key_or_the_address_is_accepted(api, jo):
    assert api.get("/v3/account", key=jo.key, headers=there("jo")).status_code == 200
    assert api.get("/w/jo/v3/senders", headers=there("jo")).status_code == 200
    assert len(jo.journal) == 2


def test_an_unknown_name_is_refused(api, jo):
    for name in ("", "nowhere", "Jo", "jo,jo", "../jo"):
        answer = api.get("/v3/senders", headers=there(name))

        assert (answer.status_code, answer.json["code"]) == (404, "not_found")
        assert jo.journal == []


def test_a_key_of_another_workspace_is_refused(api, jo, new_workspace):
    other = new_workspace(api, "empty", name="other")
    api.post("/_mock/seed", json={"accounts": [{"name": "eu", "api_keys": ["of-default"]}]})

    for key, name in ((other.key, "jo"), ("of-default", "jo"), (jo.key, "nowhere")):
        assert api.get("/v3/account", key=key, headers=there(name)).status_code == 401


def test_an_unknown_key_gets_no_workspace_of_its_own_in_a_named_one(make_api, new_workspace):
    api = make_api(keys="isolate")
    new_workspace(api, "empty", name="jo")

    assert api.get("/v3/account", key="made-up", headers=there("jo")).status_code == 401
    assert len(api.store) == 2


def test_an_address_that_names_another_workspace_is_refused(api, jo):
    for path in ("/v3/senders", "/realms/partner/oauth/authorize", "/shared/none"):
        for name in ("default", "nowhere"):
            assert api.get(f"/w/jo{path}", headers=there(name)).status_code == 400


def test_the_header_counts_on_addresses_without_a_key(api, jo):
    found = api.get("/realms/partner/.well-known/openid-configuration", headers=there("jo"))
    unknown = api.get("/realms/partner/.well-known/openid-configuration", headers=there("nowhere"))

    assert found.json["issuer"] == "http://localhost/w/jo/realms/partner"
    assert unknown.status_code == 404


def test_a_page_of_another_origin_may_send_it(api):
    answer = api.client.options("/v3/senders", headers={"Access-Control-Request-Headers": "x-mock-workspace"})

    assert answer.headers["Access-Control-Allow-Headers"] == "*"
