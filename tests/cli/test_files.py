"""Files that commands read: their mistakes with file and line, JSON, variables, and folders in place of files."""

import json
import sys

import pytest

#: A part of a scenario with three mistakes, and with text that is no YAML.
WRONG, UNREADABLE = (
    "accounts:\n- {name: a, role: owner}\n- name: b\n  pln: 3\n  senders:\n  - {name: A, email: x}\n",
    "senders:\n- {name: A\n",
)
SEED = "senders:\n- name: A\n  email: x\n- {name: B, emial: a@b.test}\n"
MISTAKES = [
    "{file}:2: accounts[0].role: unknown value: got 'owner'",
    "{file}:4: accounts[1].pln: unknown key",
    "{file}:6: accounts[1].senders[0].email: not an e-mail address: got 'x'",
]
CHECKED = [f"{command} {{file}}" for command in (
    "state put", "state diff", "reset --scenario", "workspaces new", "scenarios check", "stubs new",
    "serve --scenario", "bisect --scenario", "store import new.db",
)]  # fmt: skip


@pytest.fixture(params=["with the server's libraries", "without"])
def libraries(request, monkeypatch):
    """Lets the commands that need them be refused, or not, the modules that read YAML."""
    if request.param == "without":
        monkeypatch.setitem(sys.modules, "mockserver.scenario.documents.reading", None)
    return request.param


def begins(text, beginnings):
    """Whether each line of a text begins as it should."""
    lines = text.splitlines()
    return len(lines) == len(beginnings) and all(map(str.startswith, lines, beginnings))


@pytest.mark.parametrize("command", CHECKED)
@pytest.mark.parametrize("suffix", ["yaml", "yml", "json"])
def test_each_mistake_of_a_scenario_has_file_and_line_in_every_command(run_here, tmp_path, command, suffix):
    for name, text, mistakes in [
        ("wrong", WRONG, MISTAKES),
        ("unreadable", UNREADABLE, ["{file}:2: not YAML: did not find expected"]),
    ]:
        file = tmp_path / f"{name}.{suffix}"
        file.write_text(text)
        words = command.format(file=file).split()

        found = run_here(*words, *(["--", "true"] if words[0] == "bisect" else []))

        rows = [row.format(file=file) for row in mistakes]
        assert (found.exit_code > 0, begins(found.output, rows)) == (True, True), found.output


@pytest.mark.usefixtures("libraries")
def test_each_mistake_of_a_file_that_the_server_reads_has_file_and_line(run_here, tmp_path):
    for command, text, mistakes in [
        ("state put", WRONG, MISTAKES),
        ("reset --scenario", WRONG, MISTAKES),
        ("workspaces new", WRONG, MISTAKES),
        ("seed", SEED, ["{file}:3: senders[0].email: ", "{file}:4: senders[1].email: ", "{file}:4: senders[1].emi"]),
        ("seed", UNREADABLE, ["{file}:2: not YAML: "]),
    ]:  # fmt: skip
        file = tmp_path / "mine.yaml"
        file.write_text(text)

        found = run_here(*command.split(), str(file))

        rows = [row.format(file=file) for row in mistakes]
        assert (found.exit_code, found.stdout, begins(found.stderr, rows)) == (2, "", True), found.stderr


def test_each_mistake_of_an_app_has_file_and_line(run_here, tmp_path):
    file = tmp_path / "app.yaml"
    file.write_text("name: x\nredirect_uris: [/cb]\nscope: all\n")

    found = run_here("app", "new", "--file", str(file))

    assert (found.exit_code, begins(found.stderr, [f"{file}:2: redirect_uris[0]: ", f"{file}:3: scope: "])) == (
        2,
        True,
    )


def test_mistakes_of_generated_rows_name_no_line(run_here):
    found = run_here("seed", "--generate", "sendrs=3")

    assert (found.exit_code, ": generate.sendrs: unknown key; did you mean senders?" in found.stderr) == (2, True)


# ---------------------------------------------------------------------- JSON


@pytest.mark.parametrize("suffix", ["yaml", "yml", "json"])
def test_a_scenario_may_be_json_in_every_command(run_here, tmp_path, suffix):
    document = {
        "clock": {"start": "2026-01-15T09:00:00Z", "frozen": True},
        "accounts": [{"name": "J\U0001f600 \\ud83d\\ude00"}],
    }
    document |= {"stubs": [{"id": "n", "method": "GET", "path": "/v3/notes", "answer": {"text": "a"}}]}
    (tmp_path / f"team.{suffix}").write_text(json.dumps(document, indent="\t" if suffix == "json" else 1))
    (tmp_path / "scenario.schema.json").write_text("{}")
    file = str(tmp_path / f"team.{suffix}")
    for line in [
        f"state put {file}", f"state diff {file}", f"reset --scenario {file}", f"workspaces new {file}",
        f"stubs new --replace {file}", f"scenarios check {file}", "scenarios check team", "scenarios show team",
        "stubs new --replace team",
    ]:  # fmt: skip
        words = [*line.split(), *(["--scenarios", str(tmp_path)] if "team" in line.split() else [])]
        found = run_here(*words)
        assert found.exit_code == 0, (words, found.output)

    assert (
        json.loads(run_here("state", "get", "--json").stdout)["accounts"][0]["name"] == document["accounts"][0]["name"]
    )
    assert "scenario.schema" not in run_here("scenarios", "--scenarios", str(tmp_path)).output


# ---------------------------------------------------------------------- what is no scenario


def test_a_missing_scenario_is_told_with_the_folder_and_its_names(run, tmp_path):
    for name in ("shop.yaml", "team.json", "notes.txt"):
        (tmp_path / name).write_text("{}")
    (tmp_path / "cart.yaml").mkdir()
    for words, told in [
        ("serve --scenario nowhere", f"; {tmp_path} has cart, shop, team"),
        ("serve --scenario sho", f"unknown scenario 'sho'; did you mean shop?; {tmp_path} has cart, shop, team"),
        ("scenarios show nowhere", f"; {tmp_path} has cart, shop, team"),
        ("serve --scenario cart", f"{tmp_path}/cart.yaml: is a folder, not a file; Docker makes one if"),
        (f"serve --scenario {tmp_path}/cart.yaml", f"{tmp_path}/cart.yaml: is a folder, not a file; Docker makes"),
        ("scenarios check", f"{tmp_path}/cart.yaml: is a folder, not a file; Docker makes one if the file of a bind"),
    ]:
        found = run(*words.split(), MOCKSERVER_SCENARIOS=str(tmp_path))
        assert (found.exit_code, told in found.output) == (1, True), found.output


def test_a_variable_in_a_scenario_is_told_with_its_line(run_here, tmp_path, caplog):
    file = tmp_path / "mine.yaml"
    file.write_text("description: ${A}\n# ${B}\nseed: 3\nsenders:\n- {name: '${NAME:-x}', email: 'a@b.test'}\n")
    told = [f"warning: {file}:{line}: {name} is not replaced" for line, name in ((1, "${A}"), (5, "${NAME:-x}"))]

    for words in ["state put", "reset --scenario", "workspaces new"]:
        found = run_here(*words.split(), str(file))
        assert (found.exit_code, begins(found.stderr, told)) == (0, True), found.stderr
    assert run_here("scenarios", "check", str(file)).exit_code == 0
    assert begins("\n".join(row.getMessage() for row in caplog.records), told)
