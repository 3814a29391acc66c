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


def test_the_request_stands_in_the_journal_of_that_workspace_alone(api, jo):
    api.get("/v3/senders", headers=there("jo"))

    assert len(jo.journal) == 1
    assert api.get("/_mock/requests").json["count"] == 0


def test_the_workspaces_own_key_opens_it(api, jo):
    assert api.get("/v3/account", key=jo.key, headers=there("jo")).status_code == 200


@pytest.mark.parametrize("name", ["", "nowhere", "Jo", "jo,jo", "../jo"])
def test_an_unknown_name_is_refused(api, jo, name):
    answer = api.get("/v3/senders", headers=there(name))

    assert (answer.status_code, answer.json["code"]) == (404, "not_found")
    assert jo.journal == []


def test_a_key_of_another_workspace_is_refused(api, jo, new_workspace):
    other = new_workspace(api, "empty", name="other")

    answers = [api.get("/v3/account", key=key, headers=there("jo")) for key in (other.key, "xkeysib-acme")]

    assert [answer.status_code for answer in answers] == [401, 401]


def test_a_key_of_some_workspace_under_an_unknown_name_is_401(api, jo):
    assert api.get("/v3/account", key=jo.key, headers=there("nowhere")).status_code == 401


def test_an_unknown_key_gets_no_workspace_of_its_own_in_a_named_one(make_api, new_workspace):
    api = make_api(keys="isolate")
    new_workspace(api, "empty", name="jo")

    assert api.get("/v3/account", key="made-up", headers=there("jo")).status_code == 401
    assert len(api.store) == 2


def test_an_address_that_names_the_same_workspace_is_no_harm(api, jo):
    assert api.get("/w/jo/v3/senders", headers=there("jo")).status_code == 200
    assert len(jo.journal) == 1


@pytest.mark.parametrize("path", ["/v3/senders", "/realms/partner/oauth/authorize", "/shared/none"])
@pytest.mark.parametrize("name", ["default", "nowhere"])
def test_an_address_that_names_another_workspace_is_refused(api, jo, path, name):
    assert api.get(f"/w/jo{path}", headers=there(name)).status_code == 400


def test_the_header_counts_on_addresses_without_a_key(api, jo):
    found = api.get("/realms/partner/.well-known/openid-configuration", headers=there("jo"))
    unknown = api.get("/realms/partner/.well-known/openid-configuration", headers=there("nowhere"))

    assert found.json["issuer"] == "http://localhost/w/jo/realms/partner"
    assert unknown.status_code == 404


def test_a_page_of_another_origin_may_send_it(api):
    answer = api.client.options("/v3/senders", headers={"Access-Control-Request-Headers": "x-mock-workspace"})

    assert answer.headers["Access-Control-Allow-Headers"] == "*"
