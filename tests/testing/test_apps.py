import pytest
import requests

from mockserver import MockServerError

CALLBACK = "http://127.0.0.1:5000/cb"


@pytest.fixture
def app(workspace):
    return workspace.apps.create(name="CRM", redirect_uris=[CALLBACK], scopes=["account:read"])


def test_an_app_is_registered_with_credentials_of_its_own(workspace, app):
    assert (app.name, app.redirect_uris, app.scopes, app.public) == ("CRM", (CALLBACK,), ("account:read",), False)
    assert (len(app.client_id), len(app.client_secret)) == (32, 48)
    assert workspace.apps.get(app.client_id) == app
    assert workspace.apps.list() == [app]


def test_an_app_changes_as_it_is_told_and_is_deleted(workspace, app):
    changed = workspace.apps.update(app.client_id, name="Sync", scopes=["all"])

    assert changed == app._replace(name="Sync", scopes=("all",))
    assert workspace.apps.get(app.client_id) == changed
    workspace.apps.delete(app.client_id)
    assert workspace.apps.list() == []
    with pytest.raises(MockServerError, match="unknown client_id"):
        workspace.apps.get(app.client_id)


def test_the_way_to_a_token_begins_at_the_workspaces_own_address(workspace, app):
    (owner,) = {user["email"] for user in workspace.state.get()["accounts"][0]["users"] if user["admin"]}
    query = {"client_id": app.client_id, "redirect_uri": CALLBACK, "scope": "account:read"}
    skipped = {"mock_user": owner, "mock_consent": "accept"}
    back = requests.get(f"{workspace.auth_url}/authorize", {**query, **skipped}, allow_redirects=False, timeout=10)
    code = back.headers["Location"].partition("?code=")[2]

    tokens = requests.post(
        f"{workspace.auth_url}/token", {"code": code}, auth=(app.client_id, app.client_secret), timeout=10
    )
    bearer = {"Authorization": f"Bearer {tokens.json()['access_token']}"}
    assert requests.get(f"{workspace.url}/account", headers=bearer, timeout=10).json()["email"] == owner
