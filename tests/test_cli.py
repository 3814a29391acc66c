"""The commands: what they print, and how they end."""

import json
import os
import signal
import socket
import subprocess
import sys
import urllib.request

import pytest
from click.testing import CliRunner

from mockserver import cli
from mockserver.core import errors


@pytest.fixture
def run(monkeypatch):
    for name in list(os.environ):
        if name.startswith("MOCKSERVER_"):
            monkeypatch.delenv(name)

    def invoke(*arguments, **environment):
        return CliRunner().invoke(cli.commands, arguments, env=environment)

    return invoke


@pytest.mark.parametrize(
    "command", [[], ["serve"], ["health"], ["scenarios", "list"], ["scenarios", "check"], ["scenarios", "show"],
                ["machines"], ["openapi"], ["verify"]],
)  # fmt: skip
def test_every_command_has_help(run, command):
    answer = run(*command, "--help")

    assert (answer.exit_code, answer.output.startswith("Usage:")) == (0, True)


def test_scenarios_are_listed(run):
    assert "onboarding " in run("scenarios", "list").output
    assert {"name", "description"} <= json.loads(run("scenarios", "list", "--json").output)[0].keys()


def test_all_scenarios_are_checked_and_well(run):
    answer = run("scenarios", "check")

    assert answer.exit_code == 0
    assert "standard: ok" in answer.output


def test_a_bad_scenario_is_found_wanting(run, tmp_path):
    path = tmp_path / "mine.yaml"
    path.write_text("seeed: 1\n")

    answer = run("scenarios", "check", str(path))

    assert (answer.exit_code, answer.output) == (1, f"{path}:1: seeed: unknown key; did you mean seed?\n")


def test_the_check_is_given_as_json(run, tmp_path):
    path = tmp_path / "mine.yaml"
    path.write_text("seeed: 1\n")

    rows = json.loads(run("scenarios", "check", str(path), "empty", "--json").output)

    assert rows["empty"] == []
    assert {"file": str(path), "line": 1, "path": "/seeed"}.items() <= rows[str(path)][0].items()


def test_a_scenario_is_shown_with_all_that_it_extends(run, tmp_path):
    (tmp_path / "mine.yaml").write_text(
        "extends: onboarding\ndescription: Mine.\nclock: {start: 2026-02-01T09:00:00Z}\n"
    )

    shown = json.loads(run("scenarios", "show", "mine", "--scenarios", str(tmp_path), "--json").output)

    assert shown["description"] == "Mine."
    assert shown["clock"] == {"start": "2026-02-01T09:00:00Z", "frozen": True}
    assert run("scenarios", "show", "empty").output.startswith("description:")


def test_a_scenario_that_is_not_there_is_told(run):
    answer = run("scenarios", "show", "nowhere")

    assert (answer.exit_code, "there is no scenario 'nowhere'" in answer.output) == (1, True)


def test_the_machines_are_drawn(run):
    assert "%% sender\nstateDiagram-v2\n" in run("machines").output
    assert json.loads(run("machines", "--json").output)[0]["mermaid"].startswith("stateDiagram-v2")


def test_the_document_is_printed(run):
    assert run("openapi").output.startswith("info:")
    assert json.loads(run("openapi", "--json").output)["openapi"].startswith("3.1")


def test_an_unknown_setting_stops_the_start_with_its_nearest_known_name(run):
    answer = run("serve", MOCKSERVER_SCENARO="empty")

    assert answer.exit_code == 2
    assert "unknown setting MOCKSERVER_SCENARO; did you mean MOCKSERVER_SCENARIO?" in answer.output


@pytest.mark.parametrize(
    "name",
    ["MOCKSERVER_SERVICE_HOST", "MOCKSERVER_SERVICE_PORT_HTTP", "MOCKSERVER_PORT_8003_TCP_ADDR", "MOCKSERVER_URL",
     "MOCKSERVER_TOKEN"],
)  # fmt: skip
def test_what_kubernetes_and_clients_set_is_ignored(run, name):
    answer = run("serve", "--scenario", "nowhere", **{name: "x"})

    assert "there is no scenario" in answer.output


def test_an_address_in_the_place_of_the_port_is_kubernetes_too():
    environment = {"MOCKSERVER_PORT": "tcp://10.0.0.1:8003", "OTHER": "x"}

    cli.forget_kubernetes(environment)

    assert environment == {"OTHER": "x"}


@pytest.mark.parametrize("arguments", [["--port", "99999"], ["--keys", "some"], ["--colour"]])
def test_a_misused_flag_ends_with_2(run, arguments):
    assert run("serve", *arguments).exit_code == 2


def test_an_address_that_cannot_be_had_is_told(run):
    answer = run("serve", "--host", "203.0.113.1", "--port", "0")

    assert (answer.exit_code, answer.output.startswith("cannot listen on 203.0.113.1:0")) == (1, True)


def test_health_asks_a_running_server(run, serve):
    root = serve("empty")

    answer = run("health", "--url", root)

    assert (answer.exit_code, answer.output) == (0, f"ok: empty at {root}\n")
    assert json.loads(run("health", "--url", root, "--json").output)["status"] == "ok"


def test_health_asks_this_machine_by_default(run, serve):
    port = serve("empty").rpartition(":")[2]

    assert run("health", MOCKSERVER_PORT=port).exit_code == 0


@pytest.mark.parametrize("url", ["http://127.0.0.1:1", "ftp://127.0.0.1", "http://127.0.0.1:x"])
def test_health_is_found_wanting_where_nothing_answers(run, url):
    answer = run("health", "--url", url)

    assert (answer.exit_code, f"{url} does not answer" in answer.output) == (1, True)


def test_the_contract_is_replayed_here(run):
    answer = run("verify")

    assert answer.exit_code == 0
    assert answer.output.endswith("exchanges as promised\n")


def test_the_contract_is_replayed_against_a_running_server(run, serve):
    answer = run("verify", "--url", serve("empty"), "--json")

    assert (answer.exit_code, json.loads(answer.output)["differences"]) == (0, {})


def test_an_exchange_that_is_answered_otherwise_is_found_wanting(run, monkeypatch):
    monkeypatch.setattr("mockserver.core.errors.OTP_EXPIRED", errors.OTP_INVALID)
    monkeypatch.setattr("mockserver.resources.senders.model.OTP_EXPIRED", errors.OTP_INVALID)

    answer = run("verify")

    assert answer.exit_code == 1
    assert "$.code: wanted 'OTP code has expired', got 'Invalid OTP code provided'" in answer.output


def test_a_server_that_is_not_there_cannot_be_verified(run):
    assert run("verify", "--url", "http://127.0.0.1:1").exit_code == 1


@pytest.fixture
def started(tmp_path):
    """The program itself, with the first line that it writes."""
    port_file = tmp_path / "port"
    command = [sys.executable, "-m", "mockserver", "serve", "--port", "0", "--port-file", str(port_file)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        yield process, process.stdout.readline().strip(), port_file
    finally:
        process.kill()
        process.wait()
        process.stdout.close()


def test_the_address_is_the_first_line_and_in_the_port_file(started):
    _, root, port_file = started

    assert root == f"http://127.0.0.1:{port_file.read_text().strip()}"
    with urllib.request.urlopen(f"{root}/_mock/health") as answer:
        assert json.load(answer)["scenario"] == "standard"


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_stops_it_within_two_seconds_whatever_hangs(started, number):
    process, root, _ = started
    port = int(root.rpartition(":")[2])
    with socket.create_connection(("127.0.0.1", port)) as waiting:
        waiting.sendall(b"GET /_mock/mailbox?to=nobody&wait=30 HTTP/1.1\r\nHost: x\r\n\r\n")
        with urllib.request.urlopen(f"{root}/_mock/health") as answer:
            assert answer.status == 200

        process.send_signal(number)

        assert process.wait(timeout=2) in (0, -number)
