"""A server in this process starts, takes settings and stops."""

import contextlib
import socket
import subprocess
import sys
import time

import pytest

from mockserver import MockServer, MockServerError


def test_a_server_runs_from_its_creation_on(begun):
    server = MockServer()

    assert server.default.scenario == "standard"
    assert [thread.name for thread in begun("mockserver")] == ["mockserver"]

    server.stop()
    assert begun("mockserver") == []


def test_a_server_may_be_started_and_stopped_twice_and_has_new_workspaces_then():
    with MockServer() as server:
        url = server.url
        server.start()
        assert server.url == url
        server.workspace(name="mine")
        server.stop()
        server.stop()

        server.start()

        assert [workspace.name for workspace in server.workspaces()] == ["default"]


def test_a_server_stops_at_once_despite_open_connections_and_hanging_requests(ask, later, begun):
    server = MockServer()
    workspace = server.workspace()
    workspace.faults.add("hang", match={"operation": "getAccount"})
    hanging = later(_ignoring_errors, ask, workspace, "GET", "/account")
    waiting = later(_ignoring_errors, workspace.mailbox.latest, wait=30)
    with socket.create_connection(("127.0.0.1", int(server.url.rpartition(":")[2]))) as idle:
        workspace.requests.wait(10, operation="getAccount")

        start = time.perf_counter()
        server.stop()

        # It takes milliseconds; a server that lets requests come to their end would take half a minute.
        assert time.perf_counter() - start < 5
        assert [thread for thread in begun("mockserver") if thread.name == "mockserver"] == []
        assert idle.recv(1) == b""
    hanging.join(5)
    waiting.join(5)
    assert not hanging.is_alive()
    assert not waiting.is_alive()


def _ignoring_errors(function, *arguments, **options):
    with contextlib.suppress(OSError, MockServerError):
        function(*arguments, **options)


def test_a_mock_server_takes_all_settings(ask):
    with MockServer("onboarding", seed=3, keys="known", journal_limit=1) as server:
        assert server.default.scenario == "onboarding"
        assert ask(server.default, "GET", "/account", key="unknown").status == 401
        assert len(server.default.requests.all()) == 1


def test_the_scenario_of_a_server_is_that_of_all_its_workspaces(tmp_path):
    path = tmp_path / "story.yaml"
    path.write_text("senders: [{name: Ada, email: ada@acme.test}]")

    for scenario in (path, str(path), {"senders": [{"name": "Ada", "email": "ada@acme.test"}]}):
        with MockServer(scenario) as server:
            assert len(server.workspace().machines.instances("sender")) == 1
            assert len(server.default.machines.instances("sender")) == 1


def test_an_invalid_scenario_is_refused_with_every_mistake():
    with pytest.raises(MockServerError) as refusal:
        MockServer({"colour": "red", "seed": "x"})

    assert {error["path"] for error in refusal.value.errors} == {"/colour", "/seed"}
    with pytest.raises(MockServerError, match="unknown scenario 'none'"):
        MockServer("none")


def test_a_port_that_is_taken_is_refused():
    with MockServer() as server, pytest.raises(OSError, match="cannot listen on"):
        MockServer(port=int(server.url.rpartition(":")[2]))


@pytest.mark.parametrize("exit_", ["", "raise SystemExit(0)"])
def test_a_program_that_does_not_stop_its_server_ends_without_output(exit_):
    # In its debug mode asyncio warns on a busy machine that a callback was slow; its errors stay.
    program = "import logging; logging.getLogger('asyncio').setLevel('ERROR'); "
    program += f"from mockserver import MockServer; print(MockServer().workspace().clock.now); {exit_}"
    command = [sys.executable, "-X", "dev", "-W", "error", "-c", program]
    run = subprocess.run(command, capture_output=True, text=True, timeout=30, check=False)

    assert (run.returncode, run.stderr) == (0, "")


def test_connections_of_a_client_that_is_never_closed_are_closed():
    """Python would otherwise warn of unclosed sockets, and warnings are errors in these tests."""
    with MockServer() as server:
        MockServer.connect(server.url).workspace().clock.freeze()
