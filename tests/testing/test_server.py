"""A server in this process and one that runs elsewhere do the same; and how the latter is reached."""

import socket
import threading

import pytest

from mockserver import MockServer, MockServerError
from mockserver.testing.handles import server as module


def test_the_default_workspace_is_at_the_root(server, ask):
    assert server.url.startswith("http://127.0.0.1:")
    assert server.url[-1].isdigit()
    assert repr(server) == f"<MockServer at {server.url}>"
    assert (server.default.name, server.default.url) == ("default", f"{server.url}/v3")
    assert server.default.api_key == "xkeysib-acme"
    assert ask(server.default, "GET", "/account", key="whatever").status == 200


def test_the_default_workspace_is_reset_to_any_scenario_and_stays(server, workspace, ask):
    for scenario in ("onboarding", "standard"):
        server.reset(scenario)
        assert server.default.scenario == scenario
    ask(server.default, "DELETE", "/senders/1")
    ask(workspace, "DELETE", "/senders/1")

    server.reset()

    assert ask(server.default, "GET", "/senders").json["senders"][0]["id"] == 1
    assert ask(workspace, "GET", "/senders").json["senders"][0]["id"] == 2
    with pytest.raises(MockServerError, match="the default workspace cannot be deleted") as refusal:
        server.default.drop()
    assert refusal.value.status == 409


def test_a_strict_workspace_is_one_of_the_servers_own_scenario():
    with MockServer({"accounts": [{"name": "mine"}]}) as server:
        server.reset("empty")
        with server.workspace(strict=True) as workspace:
            assert [account.name for account in workspace.accounts] == ["mine"]
            assert workspace.state.get()["strict"] is True


def test_all_workspaces_are_listed_the_one_used_last_first(server, monkeypatch):
    monkeypatch.setattr(module, "PAGE", 2)
    with server.workspace(name="one"), server.workspace(name="two") as two:
        names = [workspace.name for workspace in server.workspaces()]
        assert names[:2] == ["two", "one"]
        assert "default" in names
        assert len(set(names)) == len(names)

        assert server.workspaces()[0].accounts == two.accounts


def test_drop_all_drops_the_workspaces_that_this_object_has_made(server):
    others = MockServer.connect(server.url, server.token)
    theirs, own = server.workspace(), [others.workspace(), others.workspace()]

    others.drop_all()

    names = {workspace.name for workspace in server.workspaces()}
    assert theirs.name in names
    assert names.isdisjoint(workspace.name for workspace in own)
    theirs.drop()
    others.stop()


def test_on_leaving_is_called_before_a_workspace_is_reset_or_dropped(server, ask):
    others = MockServer.connect(server.url, server.token)
    told = []
    others.on_leaving = lambda workspace: told.append((workspace.name, len(workspace.requests.all())))

    with others.workspace(name="told") as workspace:
        ask(workspace, "GET", "/account")
        workspace.reset()
    workspace.drop()
    with server.workspace(name="not-told"):
        pass

    assert told == [("told", 1), ("told", 0)]
    others.stop()


def test_threads_share_a_server(server, ask):
    found, gate = [], threading.Barrier(8)

    def work(number):
        gate.wait()
        with server.workspace("empty", seed=number) as workspace:
            for turn in range(5):
                ask(workspace, "POST", "/senders", json={"name": f"{number}-{turn}", "email": f"{turn}@acme.test"})
            found.append((number, [mail.to for mail in workspace.mailbox.all()], len(workspace.requests.all())))

    threads = [threading.Thread(target=work, args=[number]) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert sorted(found) == [(number, [f"{turn}@acme.test" for turn in (4, 3, 2, 1, 0)], 5) for number in range(8)]


def test_proxies_of_the_environment_are_ignored(server, monkeypatch):
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:9")
    monkeypatch.delenv("no_proxy", raising=False)

    assert server.default.name == "default"


def test_server_address_may_contain_a_path(running):
    """A gateway may add a path; the prefix of a workspace takes its place here."""
    for end in ("/v3", "/v3/", "/"):
        with MockServer.connect(running + end) as server:
            assert server.url == running
    with MockServer.connect(f"{running}/w/default") as server, server.workspace() as workspace:
        assert workspace.url == f"{running}/w/default/w/{workspace.name}/v3"
        assert server.default.scenario == "standard"


@pytest.mark.parametrize("url", ["127.0.0.1:8003", "ftp://127.0.0.1", "http://", ""])
def test_a_malformed_address_is_refused(url):
    with pytest.raises(ValueError, match="it begins with http:// or https://"):
        MockServer.connect(url)


def test_an_address_where_nobody_answers_raises_an_error_at_once():
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{unused.getsockname()[1]}"

        with pytest.raises(MockServerError, match=f"^no server at {url}; start one with `") as refusal:
            MockServer.connect(url)

    assert (refusal.value.status, refusal.value.errors) == (None, ())


def test_a_server_that_is_no_mock_or_speaks_no_tls_raises_an_error(running):
    with pytest.raises(MockServerError, match="it does not speak TLS there"):
        MockServer.connect(running.replace("http://", "https://"))
    with pytest.raises(MockServerError, match="gets no answer of a mock server") as refusal:
        MockServer.connect(f"{running}/v4")

    assert refusal.value.status == 401


def test_an_interrupted_call_leaves_no_connection_behind(running, monkeypatch):
    """Python would warn of an unclosed socket, and the next call would read the answer to the interrupted one."""

    def interrupt(_):
        raise KeyboardInterrupt

    with MockServer.connect(running) as server:
        with monkeypatch.context() as patch:
            patch.setattr("http.client.HTTPConnection.getresponse", interrupt)
            with pytest.raises(KeyboardInterrupt):
                server.client.call("GET", "/_mock/scenarios")

        assert server.default.name == "default"


@pytest.mark.parametrize(("token", "what"), [(None, "missing"), ("another", "wrong")])
def test_a_control_token_that_is_not_the_right_one_is_refused(token, what):
    with MockServer(control_token="the-right-one") as server:
        with pytest.raises(MockServerError, match=f"{what} control token") as refusal:
            MockServer.connect(server.url, token)
        assert refusal.value.status == 401

        with MockServer.connect(server.url, "the-right-one") as other:
            assert other.default.name == "default"


def test_a_connection_that_was_closed_meanwhile_is_opened_again():
    first = MockServer()
    with MockServer.connect(first.url) as server:
        first.stop()
        with pytest.raises(MockServerError, match="no server at"):
            _ = server.default
        with MockServer(port=int(first.url.rpartition(":")[2])) as second:
            _ = server.default
            second.stop()
            second.start()
            second.stop()
        with MockServer(port=int(first.url.rpartition(":")[2])):
            assert server.default.name == "default"


def test_a_server_whose_token_stands_in_a_file_is_reached_with_it(tmp_path):
    (tmp_path / "token").write_text("sesame\n")

    with MockServer("empty", control_token_file=str(tmp_path / "token")) as server:
        assert (server.token, server.default.scenario) == ("sesame", "empty")
