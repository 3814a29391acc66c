"""The commands: what they print, and how they end."""

import dataclasses
import gc
import json
import os
import pty
import re
import socket
import subprocess
import sys
from pathlib import Path
from unittest import mock

import jsonschema
import pytest

import mockserver
from mockserver import Settings, cli, create_app
from mockserver.cli import serving
from mockserver.cli.environment import forget_kubernetes
from mockserver.settings import declared


def parsed(words, **environment):
    """The values of the flags of `serve`, for some words and variables."""
    variables = {name: value for name, value in os.environ.items() if not name.startswith("MOCKSERVER_")}
    with mock.patch.dict(os.environ, {**variables, **environment}, clear=True):
        return serving.serve.make_context("serve", list(words)).params


def test_whatever_writes_a_file_takes_both_names_of_the_option():
    """Who knows one of the names from one command need not know another from the next."""
    flags = [tuple(option.opts) for _, command in cli.commands.walk() for option in command.params]

    assert {names for names in flags if any(name.startswith("--out") for name in names)} == {("--out", "--output")}


def test_scenarios_are_listed_and_checked(run):
    assert "onboarding " in run("scenarios", "list").output
    assert {"name", "description"} <= json.loads(run("scenarios", "list", "--json").output)[0].keys()
    answer = run("scenarios", "check")
    assert (answer.exit_code, "standard: ok" in answer.output) == (0, True)


def test_the_schema_of_scenarios_is_printed_or_written_to_a_file(run, tmp_path):
    path = tmp_path / "scenario.schema.json"
    printed = run("scenarios", "schema").stdout

    answer = run("scenarios", "schema", "--output", str(path))

    jsonschema.Draft202012Validator.check_schema(json.loads(printed))
    assert (answer.exit_code, answer.output, path.read_text(encoding="utf-8")) == (0, "", printed)
    answer = run("scenarios", "schema", "--output", str(tmp_path / "nowhere" / "schema.json"))
    assert (answer.exit_code, "cannot write" in answer.stderr) == (2, True)


def test_a_bad_scenario_is_found_wanting_with_its_line(run, tmp_path):
    path = tmp_path / "mine.yaml"
    path.write_text("seeed: 1\n")

    answer = run("scenarios", "check", str(path))
    assert (answer.exit_code, answer.output) == (1, f"{path}:1: seeed: unknown key; did you mean seed?\n")

    path.write_text("strict: on\naccounts:\n- name: NO\n")
    ambiguous = "ambiguous, as YAML 1.1 and 1.2 differ: got"
    advice = "write it in quotes, or a boolean as true or false"
    assert run("scenarios", "check", str(path)).output == (
        f"{path}:1: strict: {ambiguous} on; {advice}\n{path}:3: accounts[0].name: {ambiguous} NO; {advice}\n"
    )

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
    answer = run("scenarios", "show", "nowhere")

    assert (answer.exit_code, "unknown scenario 'nowhere'" in answer.output) == (1, True)


def test_the_machines_and_the_document_are_printed(run):
    assert "%% sender\nstateDiagram-v2\n" in run("machines", MOCKSERVER_URL="http://127.0.0.1:9").output
    assert json.loads(run("machines", "--json").output)[0]["mermaid"].startswith("stateDiagram-v2")
    assert run("openapi").output.startswith("info:")
    assert json.loads(run("openapi", "--json").output)["openapi"].startswith("3.1")


def test_a_setting_that_is_misspelt_stops_the_start_with_its_nearest_known_name(run):
    for name, near in [
        ("SCENARO", "SCENARIO"), ("LOGFORMAT", "LOG_FORMAT"), ("CONTROL_TOKN", "CONTROL_TOKEN"), ("PROT", "PORT"),
        ("scenario", "SCENARIO"), ("ALLOWED_HOSTS", "ALLOWED_HOST"), ("KEY", "KEYS"), ("TOKENS", "TOKEN"),
    ]:  # fmt: skip
        answer = run("serve", **{f"MOCKSERVER_{name}": "empty"})
        assert answer.exit_code == 2
        assert f"unknown setting MOCKSERVER_{name}; did you mean MOCKSERVER_{near}?" in answer.output


@pytest.mark.parametrize("name", ["MOCKSERVER_LOG_LEVEL", "MOCKSERVER_BIN", "MOCKSERVER_PICTURE", "MOCKSERVER_VERSION"])
def test_a_variable_of_another_program_is_warned_of_and_ignored(run, name):
    answer = run("serve", "--scenario", "nowhere", **{name: "x"})

    assert answer.stderr.startswith(f"warning: {name} is no setting of this program, and is ignored\n")
    assert "unknown scenario" in answer.stderr


def test_what_kubernetes_and_clients_set_is_ignored(run):
    for name, value in [
        ("SERVICE_HOST", "10.0.0.1"), ("SERVICE_PORT_HTTP", "8003"), ("PORT_8003_TCP_ADDR", "10.0.0.1"),
        ("PORT_8003_TCP", "tcp://10.0.0.1:8003"), ("EU_SERVICE_HOST", "10.0.0.1"), ("EU_PORT", "tcp://10.0.0.1:8003"),
        ("EU_PORT_8003_TCP_PROTO", "tcp"), ("URL", "x"), ("TOKEN", "x"),
    ]:  # fmt: skip
        answer = run("serve", "--scenario", "nowhere", **{f"MOCKSERVER_{name}": value})
        assert answer.output.startswith("unknown scenario")


def test_an_address_in_the_place_of_the_port_is_kubernetes_too():
    environment = {"MOCKSERVER_PORT": "tcp://10.0.0.1:8003", "OTHER": "x"}

    forget_kubernetes(environment)

    assert environment == {"OTHER": "x"}


def test_a_misused_flag_ends_with_2(run):
    for arguments in [
        ["--port", "99999"], ["--keys", "some"], ["--colour"], ["--log-format", "xml"], ["--workspaces-limit", "1"],
        ["--journal-limit", "0"], ["--body-limit", "many"], ["--seed", str(2**63)],
    ]:  # fmt: skip
        assert run("serve", *arguments).exit_code == 2


@pytest.mark.parametrize("flag", serving.serve.params, ids=lambda flag: flag.name)
def test_every_flag_of_serve_is_a_variable_and_a_setting(flag):
    assert flag.envvar == f"MOCKSERVER_{flag.opts[-1].removeprefix('--').replace('-', '_').upper()}"
    assert flag.name in {field.name for field in dataclasses.fields(Settings)}


def test_every_setting_is_a_flag_with_the_same_default():
    """But for the log, which is the command's own: a server within another program is silent."""
    flags = {flag.name: flag.default for flag in serving.serve.params}

    defaults = {field.name: field.default for field in dataclasses.fields(Settings) if field.default is not None}
    assert {name: flags[name] for name in defaults} == defaults | {"log_format": "text"}


def test_every_limit_is_told_with_what_becomes_of_what_goes_beyond_it():
    named = {field.name for field in dataclasses.fields(Settings) if field.name.endswith(("_limit", "_timeout"))}

    assert {row.name for row in declared() if row.declaration.beyond} == named
    assert {flag.name for flag in serving.serve.params if flag.section == "Limits"} == named


def test_several_names_stand_in_one_variable_or_are_given_one_by_one_and_a_flag_says_yes():
    for given, found in [("a.test", ("a.test",)), (" a.test, b.test ,", ("a.test", "b.test")), ("", ())]:
        assert parsed([], MOCKSERVER_ALLOWED_HOST=given)["allowed_host"] == found
    arguments = ["--allowed-host", "a.test", "--allowed-host", "b.test,c.test"]
    assert parsed(arguments)["allowed_host"] == ("a.test", "b.test", "c.test")
    assert [parsed(words)["forward_writes"] for words in ([], ["--forward-writes"])] == [False, True]


def test_an_empty_secret_in_the_environment_stops_the_start(run):
    for options, variable, told in [
        ([], "MOCKSERVER_CONTROL_TOKEN", "the control token is empty"),
        (["--forward-to", "http://127.0.0.1:9"], "MOCKSERVER_FORWARD_KEY", "the key of forwarded calls is empty"),
    ]:  # fmt: skip
        for value in ("", " ", "\n"):
            answer = run("serve", "--port", "0", *options, **{variable: value})
            assert (answer.exit_code, told in answer.output) == (2, True)


def test_forward_key_and_control_token_are_never_printed_by_serve(run):
    for options, variable, told in [
        (["--forward-to", "nowhere"], "MOCKSERVER_FORWARD_KEY", (2, "calls cannot be forwarded to")),
        (["--scenario", "nowhere"], "MOCKSERVER_CONTROL_TOKEN", (1, "unknown scenario")),
    ]:  # fmt: skip
        answer = run("serve", *options, **{variable: "sesame"})
        assert (answer.exit_code, told[1] in answer.output) == (told[0], True)
        assert "sesame" not in answer.output + run("serve", "--help", **{variable: "sesame"}).output


def test_a_token_file_and_an_address_that_cannot_be_had_stop_the_start(run, tmp_path):
    answer = run("serve", "--control-token-file", str(tmp_path / "none"))
    assert (answer.exit_code, "cannot read the control token" in answer.output) == (2, True)

    answer = run("serve", "--host", "203.0.113.1", "--port", "0")
    assert (answer.exit_code, answer.output.startswith("cannot listen on 203.0.113.1:0")) == (1, True)
    assert gc.isenabled()


@pytest.mark.parametrize("option", ["--port", "--tls --tls-port", "--smtp-in"])
def test_a_port_that_is_taken_stops_the_start_with_the_next_step(run, option):
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        value = f"127.0.0.1:{port}" if option == "--smtp-in" else port
        free = "--smtp-in 127.0.0.1:0" if option == "--smtp-in" else f"{option.split()[-1]} 0"

        answer = run("serve", *([] if option == "--port" else ["--port", "0"]), *option.split(), str(value))

    assert (answer.exit_code, answer.stdout) == (1, "")
    assert answer.stderr.startswith(f"cannot listen on 127.0.0.1:{port}: ")
    assert answer.stderr.endswith(f"; stop the program that has the port, or choose a free port with {free}\n")


def test_health_asks_a_running_server_by_default_of_this_machine(run, serve):
    root = serve("empty")

    for end in ("", "/", "/v3", "/v3/"):
        answer = run("health", "--url", root + end)
        assert (answer.exit_code, answer.output) == (0, f"ok: empty at {root}\n")
    assert json.loads(run("health", "--url", root, "--json").output)["status"] == "ok"
    assert run("health", MOCKSERVER_PORT=root.rpartition(":")[2]).exit_code == 0


def test_health_asks_the_port_that_a_server_has_written_before_that_of_a_variable(run, serve, tmp_path):
    root = serve("empty")
    path = tmp_path / "port"
    missing = run("health", MOCKSERVER_PORT=root.rpartition(":")[2], MOCKSERVER_PORT_FILE=str(path))
    path.write_text(f"{root.rpartition(':')[2]}\n", encoding="ascii")

    assert missing.exit_code == 0
    assert run("health", MOCKSERVER_PORT="9", MOCKSERVER_PORT_FILE=str(path)).output == f"ok: empty at {root}\n"


def test_health_fails_with_a_sentence_when_no_server_answers(run):
    for url, sentence in [
        ("http://127.0.0.1:1", "no server at http://127.0.0.1:1; start one with `mockserver serve`"),
        ("http://no-such.invalid", "no mock server answers at http://no-such.invalid: the host name 'no-"),
        ("ftp://127.0.0.1", "ftp://127.0.0.1 is not the address of a server: it must begin with http:// or https://"),
        ("127.0.0.1:80", "127.0.0.1:80 is not the address of a server: it must begin with http:// or https://;"),
        ("http://127.0.0.1:x", "http://127.0.0.1:x is not the address of a server: Port could not be cast"),
    ]:
        answer = run("health", "--url", url)
        assert answer.exit_code == 1
        assert answer.stderr.startswith(sentence)


# ---------------------------------------------------------------------- how it speaks


def test_an_argument_or_a_variable_that_is_not_utf_8_is_refused_with_a_sentence(run):
    for words in ("mail show", "logs --path", "serve --scenario", "scenarios show", "", "store info --url"):
        answer = run(*words.split(), "\udcff")
        assert (answer.exit_code, answer.stderr) == (2, "Error: argument '\\xff': not UTF-8 text\n")

    answer = run("mail", MOCKSERVER_TOKEN="secret\udcff")

    assert (answer.exit_code, answer.stderr) == (2, "Error: variable MOCKSERVER_TOKEN: not UTF-8 text\n")


def program(*arguments, **options):
    command = [sys.executable, "-m", "mockserver", *arguments]
    return subprocess.run(command, stderr=subprocess.PIPE, text=True, timeout=20, check=False, **options)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that takes nothing")
@pytest.mark.parametrize("command", [("machines",), ("scenarios", "list"), ("serve", "--port", "0")])
def test_what_cannot_be_printed_is_told_in_a_sentence(command):
    with Path("/dev/full").open("w") as full:
        answer = program(*command, stdout=full)

    told = "Error: cannot write to the standard output: No space left on device\n"
    assert (answer.returncode, answer.stderr) == (2, told)


def test_an_address_that_nobody_reads_ends_the_server_with_a_sentence():
    end, written = os.pipe()
    os.close(end)
    with os.fdopen(written, "w") as nobody:
        answer = program("serve", "--port", "0", stdout=nobody)

    assert (answer.returncode, answer.stderr) == (2, "Error: cannot write to the standard output: Broken pipe\n")


@pytest.mark.parametrize(("place", "why"), [("none/port", "No such file or directory"), ("full", "No space left")])
def test_a_port_that_cannot_be_written_is_told_in_a_sentence(run, tmp_path, place, why):
    file = "/dev/full" if place == "full" else str(tmp_path / place)

    answer = run("serve", "--port", "0", "--port-file", file)

    assert answer.exit_code == 2
    assert answer.stderr.startswith(f"Error: cannot write the port to {file}: {why}")


def test_a_refusal_gives_its_reason_first(run):
    for arguments in [
        ["serve", "--colour"], ["serve", "--port", "x"], ["app", "new"], ["scenarios", "show"], ["nothing"],
    ]:  # fmt: skip
        answer = run(*arguments)
        first, hint = answer.stderr.splitlines()
        assert (answer.exit_code, answer.stdout) == (2, "")
        assert first.startswith("Error: ")
        assert re.fullmatch("Try '.+ --help' for help.", hint)


@pytest.mark.parametrize("number", ["nan", "-nan", "inf"])
@pytest.mark.parametrize("command", [["coverage", "--fail-under"], ["wait", "--timeout"], ["serve", "--head-timeout"]])
def test_number_option_refuses_nan_and_infinity(run, command, number):
    """No bound holds back `nan`: nothing would be less than it, and no time up."""
    answer = run(*command, number)

    assert (answer.exit_code, f"Invalid value for '{command[1]}'" in answer.stderr) == (2, True)


@pytest.mark.parametrize("command", [["serve"], ["scenarios", "list"], ["scenarios", "check"]])
def test_a_folder_of_scenarios_that_is_not_there_is_refused(run, tmp_path, command):
    answer = run(*command, "--scenarios", str(tmp_path / "none"))

    assert (answer.exit_code, "does not exist" in answer.stderr) == (2, True)


def test_a_folder_of_scenarios_that_is_not_there_is_refused_within_a_program(tmp_path):
    with pytest.raises(ValueError, match="no such folder of scenarios: got"):
        create_app(Settings(scenarios=str(tmp_path / "none")))


@pytest.mark.parametrize("flag", ["-V", "--version"])
def test_version_option_prints_the_installed_version(run, flag):
    assert run(flag).output.endswith(f"version {mockserver.__version__}\n")


def test_lists_of_commands_cut_no_sentence_short(run):
    helps = run("--help").output + run("app", "--help").output + run("scenarios", "--help").output

    assert re.findall(r".*[a-z ]\.\.\.$", helps, re.MULTILINE) == []


@pytest.mark.parametrize("command", ["health", "wait", "env", "coverage", "verify"])
def test_help_names_the_variables_of_its_flags(run, command):
    words = " ".join(run(command, "--help").output.split())

    assert "MOCKSERVER_URL" in words
    assert "MOCKSERVER_TOKEN" in words or command == "health"


@pytest.mark.parametrize(
    ("option", "told"),
    [("--keys=any", "Any API key will do: curl -H "), ("--keys=known", "of the scenario: "),
     ("--keys=isolate", "its own workspace: "), ("--tls", "Any API key will do: curl --insecure -H ")],
)  # fmt: skip
def test_on_a_terminal_four_lines_tell_what_to_try(option, told):
    terminal, end = pty.openpty()
    command = [sys.executable, "-m", "mockserver", "serve", "--port", "0", option]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=end, text=True) as process:
        os.close(end)
        root = process.stdout.readline().strip()
        with os.fdopen(terminal, encoding="utf-8") as lines:
            pages, docs, who, stop = (lines.readline().strip() for _ in range(4))
            process.terminate()
            process.wait(timeout=10)

    assert pages == f"{root}/_mock/ui/ shows what happens here, and why, in a browser."
    assert docs == f"{root}/_mock/docs shows the API, to read and to try."
    assert told in who
    assert root in who
    assert stop == "Ctrl-C stops the server."


def test_a_command_imports_the_module_of_no_other_one():
    program = "import sys; from mockserver.cli import _SECTIONS, commands\n"
    program += "modules = {name: module for names in _SECTIONS.values() for name, module in names.items()}\n"
    program += "commands.get_command(None, 'machines')\n"
    program += "print(*sorted({name for name in modules.values() if f'mockserver.cli.{name}' in sys.modules}))"

    found = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)

    assert found.stdout.split() == ["machines"]
