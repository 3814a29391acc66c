from datetime import UTC, datetime
from pathlib import Path
from types import MappingProxyType

import pytest

from mockserver import MockServerError

ONE_SENDER = {
    "clock": {"start": datetime(2026, 2, 1, tzinfo=UTC)},
    "senders": [{"name": "Ada", "email": "ada@acme.test"}],
}


def test_a_workspace_has_an_address_and_an_api_key(server, workspace, ask):
    assert workspace.url == f"{server.url}/w/{workspace.name}/v3"
    assert [(account.name, account.role) for account in workspace.accounts] == [("acme", "standalone")]
    assert workspace.api_key == workspace.key("acme") == workspace.accounts[0].api_key
    assert repr(workspace) == f"Workspace({workspace.name!r}, scenario='onboarding')"
    assert ask(workspace, "GET", "/account").status == 200


def test_drawn_keys_and_those_of_the_scenario_open_the_same_account(server, ask):
    with server.workspace("corporate-v2") as workspace:
        keys = workspace.key("eu"), "xkeysib-acme-eu"
        names = [ask(workspace, "GET", "/account", key=key).json["companyName"] for key in keys]

    assert (keys[0] != keys[1], names) == (True, ["Acme Europe"] * 2)


def test_the_trace_of_a_workspace_is_a_page_without_its_key(workspace, ask):
    ask(workspace, "GET", "/account")
    page = workspace.trace()

    assert page.startswith("<!doctype html>")
    assert ("getAccount</bdi>" in page, workspace.api_key in page) == (True, False)


@pytest.mark.parametrize("document", [ONE_SENDER, MappingProxyType(ONE_SENDER)])
def test_a_workspace_is_made_of_a_document(server, document):
    with server.workspace(document) as workspace:
        assert workspace.scenario == "document"
        assert len(workspace.machines.instances("sender")) == 1
        assert workspace.clock.now.month == 2


@pytest.mark.parametrize("kind", [str, Path])
def test_a_workspace_is_made_of_a_file_beside_the_tests(server, tmp_path, kind):
    path = tmp_path / "story.yaml"
    path.write_text("extends: onboarding\nclock: {start: 2026-02-01T00:00:00Z}\n")

    with server.workspace(kind(path)) as workspace:
        assert (workspace.clock.now.month, len(workspace.machines.instances("sender"))) == (2, 2)


def test_what_is_no_scenario_is_refused(server, tmp_path):
    path = tmp_path / "story.yaml"
    path.write_text("seed: 1\n- what\n")
    with pytest.raises(ValueError, match=r"story\.yaml:2: not YAML"):
        server.workspace(path)
    with pytest.raises(FileNotFoundError):
        server.workspace(tmp_path / "none.yaml")
    for path in (tmp_path, str(tmp_path)):
        with pytest.raises(IsADirectoryError, match=str(tmp_path)):
            server.workspace(path)
    with pytest.raises(TypeError, match="cannot be sent as JSON"):
        server.workspace({"seed": object()})


def test_a_workspace_is_dropped_with_its_keys_and_may_be_dropped_twice(server, ask):
    with server.workspace() as workspace:
        assert ask(workspace, "GET", "/account").status == 200

    assert workspace.name not in {other.name for other in server.workspaces()}
    assert ask(server.default, "GET", "/account", key=workspace.api_key).status == 401
    workspace.drop()
    with pytest.raises(MockServerError, match="unknown workspace"):
        _ = workspace.clock.now


def test_a_reset_restores_the_scenario_and_keeps_the_keys(workspace, ask):
    key = workspace.api_key
    ask(workspace, "DELETE", "/senders/1")
    workspace.clock.advance(hours=1)

    workspace.reset()

    assert (workspace.api_key, workspace.clock.now.hour, workspace.requests.all()) == (key, 9, [])
    assert len(ask(workspace, "GET", "/senders").json["senders"]) == 2


def test_a_reset_to_another_scenario_knows_its_accounts_and_an_invalid_one_changes_nothing(workspace, ask):
    workspace.reset("corporate-v2")
    with pytest.raises(MockServerError) as refusal:
        workspace.reset({"colour": "red"})

    assert refusal.value.status == 400
    assert (workspace.scenario, workspace.accounts[0].role) == ("corporate-v2", "master")
    assert ask(workspace, "GET", "/account", key=workspace.key(workspace.accounts[-1].name)).status == 200


def test_an_account_and_a_key_that_came_later_are_found(server, ask):
    with server.workspace("corporate-v2") as workspace:
        body = {"companyName": "Nova", "email": "nova@acme.test"}
        number = ask(workspace, "POST", "/corporate/subAccount", json=body).json["id"]
        name = workspace.state.get()["accounts"][-1]["name"]
        with pytest.raises(LookupError, match=f"the account '{name}' has no key"):
            workspace.key(name)

        ask(workspace, "POST", "/corporate/subAccount/key", json={"id": number, "name": "first"})

        assert ask(workspace, "GET", "/account", key=workspace.key(name)).json["email"] == "nova@acme.test"


def test_the_key_of_an_unknown_account_or_one_without_keys_raises_an_error(server):
    with server.workspace({"accounts": [{"name": "a", "api_keys": []}, {"name": "b"}]}) as workspace:
        assert workspace.key("b") == workspace.accounts[1].api_key
        with pytest.raises(LookupError, match="the account 'nobody' is not among a, b"):
            workspace.key("nobody")
        with pytest.raises(LookupError, match="the account 'a' has no key"):
            _ = workspace.api_key


def test_an_account_without_a_key_can_be_named(server):
    with server.workspace({"accounts": [{"name": "a"}, {"name": "b", "api_keys": []}]}) as workspace:
        workspace.seed({"webhooks": [{"url": "http://127.0.0.1:9/", "events": ["spam"]}]}, account="b")

        assert [call.account for call in workspace.trigger("spam", account="b")] == ["b"]
        with pytest.raises(LookupError, match="the account 'nobody' is not among a, b"):
            workspace.seed({"senders": []}, account="nobody")


def test_a_key_or_all_keys_of_an_account_are_refused_until_the_reset_when_they_are_revoked(server, ask):
    with server.workspace({"accounts": [{"name": "a"}, {"name": "b"}]}) as workspace:

        def statuses():
            return [ask(workspace, "GET", "/account", key=workspace.key(name)).status for name in "ab"]

        workspace.revoke_key(account="b")
        assert statuses() == [200, 401]
        workspace.revoke_key(workspace.api_key)
        assert statuses() == [401, 401]
        workspace.reset()
        assert statuses() == [200, 200]
