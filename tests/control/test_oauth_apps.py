"""`/_mock/oauth/apps` and `oauth_apps:` of a scenario: who may send users here."""

import pytest

DEFAULT_SCOPES = ["contacts:read", "contacts:write", "crm:read", "crm:write"]
APP = {
    "client_id": "crm-sync",
    "client_secret": "s3cret",
    "name": "CRM sync",
    "redirect_uris": ["http://127.0.0.1:5000/cb", "com.example.app:/cb"],
    "scopes": ["account:read"],
    "public": False,
    "account": "acme",
}


pytestmark = pytest.mark.api({"accounts": [{"name": "acme"}, {"name": "globex"}], "oauth_apps": [APP]})


@pytest.fixture
def public_api(make_api):
    """A workspace in which there are public apps."""
    return make_api({"behaviour": {"oauth_public_apps": True}, "oauth_apps": [APP]})


def test_apps_are_listed_in_parts_with_the_number_of_all(api):
    for number in range(3):
        api.post("/_mock/oauth/apps", json={"client_id": f"app-{number}"})

    assert api.get("/_mock/oauth/apps/crm-sync").json == api.get("/_mock/oauth/apps").json["items"][0] == APP
    listed = api.get("/_mock/oauth/apps?limit=2&offset=1").json
    assert ([app["client_id"] for app in listed["items"]], listed["count"]) == (["app-0", "app-1"], 4)


def test_a_new_app_has_credentials_and_the_four_scopes_of_spec(api):
    answer = api.post("/_mock/oauth/apps", json={})

    assert answer.status_code == 201
    app = answer.json
    assert (app["scopes"], app["redirect_uris"], app["account"], app["public"]) == (DEFAULT_SCOPES, [], "acme", False)
    assert app["name"] == app["client_id"]
    assert len(app["client_id"]) == 32
    assert set(app["client_id"]) <= set("0123456789abcdef")
    assert len(app["client_secret"]) == 48
    assert api.get(f"/_mock/oauth/apps/{app['client_id']}").json == app


def test_new_apps_share_no_credentials_within_or_between_workspaces_of_a_seed(api):
    names = [api.post("/_mock/workspaces", json={"seed": 1}).json["name"] for _ in range(2)]
    headers = [{"X-Mock-Workspace": name} for name in (names[0], *names)]
    apps = [api.post("/_mock/oauth/apps", json={}, headers=row).json for row in headers]

    assert apps[0]["client_id"] != apps[1]["client_id"]
    assert len({app["client_secret"] for app in apps}) == 3


@pytest.mark.parametrize(("method", "path"), [("post", ""), ("put", "/crm-sync")])
def test_there_are_no_public_apps_unless_the_workspace_says_so(api, method, path):
    answer = getattr(api, method)(f"/_mock/oauth/apps{path}", json={"public": True})

    told = "public apps are not allowed: got true, expected false, or behaviour.oauth_public_apps: true"
    assert (answer.status_code, answer.json["errors"]) == (400, [{"path": "/public", "message": told}])
    assert api.get("/_mock/oauth/apps").json["items"] == [APP]


def test_a_scenario_with_a_public_app_says_that_there_are_public_apps(api):
    document = {"oauth_apps": [{"client_id": "phone", "public": True}]}

    answer = api.post("/_mock/reset", json={"scenario": document})

    assert (answer.status_code, [row["path"] for row in answer.json["errors"]]) == (400, ["/oauth_apps/0/public"])
    document["behaviour"] = {"oauth_public_apps": True}
    assert api.post("/_mock/reset", json={"scenario": document}).status_code == 200


@pytest.mark.parametrize(
    "change",
    [
        {"name": "Sync"}, {"scopes": ["all"]}, {"scopes": []},
        {"redirect_uris": ["https://app.test/cb?tenant=1"]}, {"client_secret": "another"}, {"account": "globex"},
    ],
)  # fmt: skip
def test_app_change_keeps_unnamed_members(api, change):
    assert api.put("/_mock/oauth/apps/crm-sync", json=change).json == {**APP, **change}
    assert api.get("/_mock/oauth/apps/crm-sync").json == {**APP, **change}


def test_null_in_the_place_of_the_secret_draws_a_new_one(api):
    secret = api.put("/_mock/oauth/apps/crm-sync", json={"client_secret": None}).json["client_secret"]

    assert len(secret) == 48


def test_an_app_that_becomes_public_loses_its_secret_and_gets_one_when_it_becomes_private(public_api):
    public = public_api.put("/_mock/oauth/apps/crm-sync", json={"public": True}).json
    made = public_api.post("/_mock/oauth/apps", json={"public": True, "client_secret": "x"}).json
    for app in (public, made):
        assert (app["public"], app.get("client_secret")) == (True, None)

    assert len(public_api.put("/_mock/oauth/apps/crm-sync", json={"public": False}).json["client_secret"]) == 48


def test_app_is_unknown_after_its_deletion(api):
    assert api.delete("/_mock/oauth/apps/crm-sync").status_code == 204

    assert api.get("/_mock/oauth/apps").json["count"] == 0
    for method in ("GET", "PUT", "DELETE"):
        assert api.request(method, "/_mock/oauth/apps/crm-sync", json={"name": "x"}).status_code == 404


BAD = [
    ({"client_secret": "with blank"}, "/client_secret"),
    ({"client_secret": ""}, "/client_secret"),
    ({"name": ""}, "/name"),
    ({"scopes": ["contacts:delete"]}, "/scopes/0"),
    ({"scopes": "all"}, "/scopes"),
    ({"public": "yes"}, "/public"),
    ({"account": "nobody"}, "/account"),
    ({"secret": "x"}, "/secret"),
    ({"redirect_uris": ["/cb"]}, "/redirect_uris/0"),
    ({"redirect_uris": ["https://app.test/cb#x"]}, "/redirect_uris/0"),
    ({"redirect_uris": ["https://user@app.test/cb"]}, "/redirect_uris/0"),
    ({"redirect_uris": ["https:///cb"]}, "/redirect_uris/0"),
    ({"redirect_uris": ["https://app.test:x/cb"]}, "/redirect_uris/0"),
    ({"redirect_uris": ["javascript:alert(1)"]}, "/redirect_uris/0"),
    ({"redirect_uris": ["http://app.test/c b"]}, "/redirect_uris/0"),
    ({"redirect_uris": ["localhost:5000/cb"]}, "/redirect_uris/0"),
    ({"redirect_uris": ["https://app.test/cb"] * 101}, "/redirect_uris"),
]


@pytest.mark.parametrize(("body", "path"), BAD)
def test_a_bad_app_names_its_mistake_and_changes_nothing(api, body, path):
    for answer in (api.post("/_mock/oauth/apps", json=body), api.put("/_mock/oauth/apps/crm-sync", json=body)):
        assert (answer.status_code, [error["path"] for error in answer.json["errors"]]) == (400, [path])
    assert api.get("/_mock/oauth/apps").json["items"] == [APP]


def test_client_id_and_empty_change_are_refused_with_their_place(api):
    for method, path, body, status, where in [
        ("POST", "", {"client_id": "with blank"}, 400, "/client_id"),
        ("POST", "", {"client_id": "crm-sync"}, 409, "/client_id"),
        ("PUT", "/crm-sync", {"client_id": "other"}, 400, "/client_id"),
        ("PUT", "/crm-sync", {}, 400, ""),
    ]:
        answer = api.request(method, f"/_mock/oauth/apps{path}", json=body)
        assert (answer.status_code, [error["path"] for error in answer.json["errors"]]) == (status, [where])


def test_a_bad_app_of_a_scenario_is_found(api):
    for apps, path in [
        ([APP, APP], ["oauth_apps", 1, "client_id"]),
        ([{"account": "nobody"}], ["oauth_apps", 0, "account"]),
        ([{"redirect_uris": ["x"]}], ["oauth_apps", 0, "redirect_uris", 0]),
    ]:
        answer = api.put("/_mock/state", json={"accounts": [{"name": "acme"}], "oauth_apps": apps})
        assert (answer.status_code, answer.json["errors"][0]["path"]) == (400, "/" + "/".join(map(str, path)))


def test_a_scope_that_is_given_twice_stands_once(api):
    scopes = ["account:read", "crm:read", "account:read"]
    made = api.post("/_mock/oauth/apps", json={"client_id": "new", "scopes": scopes}).json
    changed = api.put("/_mock/oauth/apps/crm-sync", json={"scopes": scopes}).json
    state = {"accounts": [{"name": "acme"}], "oauth_apps": [{**APP, "scopes": scopes}]}
    assert api.put("/_mock/state", json=state).status_code == 200
    loaded = api.get("/_mock/oauth/apps/crm-sync").json

    assert [row["scopes"] for row in (made, changed, loaded)] == [["account:read", "crm:read"]] * 3


def test_seeded_apps_are_added_to_the_scenario_apps(api):
    api.post("/_mock/seed", json={"oauth_apps": [{"client_id": "other"}]})

    assert [row["client_id"] for row in api.get("/_mock/oauth/apps").json["items"]] == ["crm-sync", "other"]
    assert api.post("/_mock/seed", json={"oauth_apps": [{"client_id": "other"}]}).status_code == 409


def test_public_apps_can_be_seeded_away_unless_there_are_some(public_api):
    document = {"behaviour": {"oauth_public_apps": False}}
    assert public_api.post("/_mock/seed", json=document).status_code == 200
    assert public_api.get("/_mock/state").json["behaviour"] == {"preset": "documented"}
    public_api.post("/_mock/seed", json={"behaviour": {"oauth_public_apps": True}})
    public_api.post("/_mock/oauth/apps", json={"client_id": "phone", "public": True})
    public_api.put("/_mock/clock", json={"frozen": True})
    before = public_api.get("/_mock/state").json

    refused = public_api.post("/_mock/seed", json=document)

    assert refused.status_code == 400
    message = "must be true, as the app 'phone' is public: got false"
    assert refused.json["errors"] == [{"path": "/behaviour/oauth_public_apps", "message": message}]
    assert public_api.get("/_mock/state").json == before
    assert public_api.put("/_mock/state", json=before).status_code == 200


def test_written_state_holds_the_apps(public_api):
    api = public_api
    api.post("/_mock/oauth/apps", json={"public": True, "name": "Phone"})
    before = api.get("/_mock/oauth/apps").json

    assert api.put("/_mock/state", json=api.get("/_mock/state").json).status_code == 200

    assert api.get("/_mock/oauth/apps").json == before


def test_the_state_of_a_workspace_whose_app_was_deleted_still_loads(api):
    query = {"client_id": "crm-sync", "redirect_uri": APP["redirect_uris"][0], "scope": "account:read"}
    skipped = {"mock_user": "owner@acme.test", "mock_consent": "accept"}
    assert api.get("/realms/partner/oauth/authorize", query_string=query | skipped).status_code == 302
    api.delete("/_mock/oauth/apps/crm-sync")

    assert api.put("/_mock/state", json=api.get("/_mock/state").json).status_code == 200
    assert [row["state"] for row in api.get("/_mock/machines/oauth_grant").json["items"]] == ["revoked"]
