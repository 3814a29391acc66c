"""`mockserver app`: apps are registered, changed and forgotten on a running server."""

import json

import pytest
import requests


@pytest.fixture
def app_server(serve):
    return serve("empty")


@pytest.fixture
def run(run, app_server):
    """Runs a command for apps, of the one server."""
    return lambda *arguments: run("app", *arguments, MOCKSERVER_URL=app_server)


@pytest.fixture
def app(run):
    return json.loads(run("new", "--name", "CRM", "--redirect-uri", "http://127.0.0.1:5000/cb", "--json").output)


def listed(run):
    return json.loads(run("list", "--json").output)


def test_a_new_app_is_printed_with_its_credentials(run, app):
    assert listed(run) == [app]
    assert (app["name"], app["redirect_uris"], len(app["client_secret"])) == ("CRM", ["http://127.0.0.1:5000/cb"], 48)


def test_a_new_app_is_printed_line_by_line_for_people(run):
    credentials = ("--client-id", "abc", "--client-secret", "xyz")
    answer = run("new", "--name", "CRM", *credentials, "--scope", "account:read", "--scope", "all")

    assert answer.output.splitlines() == [
        "client_id: abc", "client_secret: xyz", "name: CRM", "redirect_uris:", "scopes: account:read all",
        "public: no", "account: acme",
    ]  # fmt: skip


def test_apps_are_listed_a_line_each_and_an_update_changes_what_is_given(run, app):
    assert run("list").output == f"{app['client_id']}  CRM  http://127.0.0.1:5000/cb\n"

    run("update", app["client_id"], "--scope", "all", "--private", "--new-secret")

    (changed,) = listed(run)
    assert (changed["scopes"], changed["public"], changed["name"]) == (["all"], False, "CRM")
    assert changed["client_secret"] != app["client_secret"]


def test_an_app_becomes_public_only_where_the_workspace_has_public_apps(run, app, app_server):
    refused = run("update", app["client_id"], "--public")
    assert refused.exit_code != 0
    assert "behaviour.oauth_public_apps" in refused.output

    requests.post(f"{app_server}/_mock/reset", json={"scenario": "oauth-public"}, timeout=10)
    run("update", "0123456789abcdef0123456789abcdef", "--public")
    assert [row["public"] for row in listed(run)] == [True, True]


@pytest.mark.parametrize("written", ["scopes: [all]\nname: Sync\n", '{"scopes": ["all"], "name": "Sync"}'])
def test_a_configuration_file_is_uploaded_and_options_win_over_it(run, app, tmp_path, written):
    file = tmp_path / "app.yaml"
    file.write_text(written)

    answer = run("update", app["client_id"], "--file", str(file), "--name", "CRM 2", "--json")

    assert json.loads(answer.output) == {**app, "scopes": ["all"], "name": "CRM 2"}
    file.write_text("name: 2026-01-02\n")  # no date
    assert json.loads(run("new", "--file", str(file), "--json").output)["name"] == "2026-01-02"


def test_what_is_printed_can_be_uploaded_again_but_not_for_another_app(run, app, tmp_path):
    file = tmp_path / "app.json"
    file.write_text(json.dumps({**app, "name": "Sync"}))
    assert run("update", app["client_id"], "--file", str(file)).exit_code == 0
    assert listed(run)[0]["name"] == "Sync"

    file.write_text('{"client_id": "other"}')
    assert run("update", app["client_id"], "--file", str(file)).exit_code == 2


def test_app_delete_removes_the_oauth_app(run, app):
    assert run("delete", app["client_id"]).output == f"deleted: {app['client_id']}\n"
    assert listed(run) == []


def test_what_is_wrong_is_told_and_ends_with_2(run):
    for arguments, told in [
        (
            ["new", "--name", "x", "--scope", "everything"],
            "scopes[0]: unknown value: got 'everything', expected one of: all,",
        ),
        (["new", "--scope", "all"], "an app needs a name, or a redirect URI"),
        (["new", "--redirect-uri", "/cb"], "redirect_uris[0]: invalid value: got '/cb', expected an absolute URL"),
        (["new", "--name", "x", "--account", "nobody"], "no account is named 'nobody'"),
        (["update", "nobody", "--name", "x"], "unknown client_id"),
        (["update", "nobody"], "there is nothing to change"),
        (["delete", "a?c"], "unknown client_id"),
        (["list", "--workspace", "nowhere"], "unknown workspace"),
    ]:
        answer = run(*arguments)
        assert (answer.exit_code, told in answer.output) == (2, True), answer.output


def test_a_file_that_holds_no_app_is_misuse(run, tmp_path):
    for written, told in [
        ("- a list\n", "app.yaml:1: an app must be a mapping"),
        ("scopes: [\n", "not YAML"),
        ("name: x\nredirect_uris: !!binary YQ==\n", "app.yaml:2: redirect_uris: unsupported YAML tag"),
        ("name: .nan\n", "app.yaml:1: name: not a number of JSON: got .nan"),
        ("- " * 3_000, "nested too deeply"),
        ("{" * 3_000, "nested too deeply"),
        ("name: \ud800", "cannot be read: not UTF-8 at byte 6"),
        ("", "app.yaml:1: it is empty; write {} if that is meant"),
    ]:
        file = tmp_path / "app.yaml"
        file.write_bytes(written.encode(errors="surrogatepass"))
        answer = run("new", "--file", str(file))
        assert (answer.exit_code, told in answer.stderr) == (2, True), answer.stderr


def test_the_app_is_one_of_the_workspace_that_is_named(run, app_server):
    requests.post(f"{app_server}/_mock/workspaces", json={"name": "mine"}, timeout=10)
    run("new", "--workspace", "mine", "--name", "Mine")

    assert listed(run) == []
    assert len(json.loads(run("list", "--workspace", "mine", "--json").output)) == 1
