"""The bare package: handles, plugin and commands with nothing but click and the standard library."""

import fnmatch
import json

import pytest

import mockserver

pytestmark = pytest.mark.slow  # an environment is made

#: What to do, at the end of a sentence on what is missing.
ADVICE = "which is not installed here: pip install 'brevo-mockserver[server] @ file:///"
#: Of these packages the modules that need more: what pytest loads, and handles that go with another library.
NEEDING_MORE = tuple(f"testing.{name}" for name in ("exclusion", "plugin", "sessions.*", "container", "verify"))
#: Imports every module of the packages that need nothing, and prints those that cannot be imported, and of whom all
#: others are that were imported since. Some interpreters bring modules of their own, such as `sitecustomize`.
WALK = """
import importlib, json, pkgutil, sys

before = {name.partition(".")[0] for name in sys.modules}
failed = []
for package in ("mockserver.cli", "mockserver.settings", "mockserver.testing"):
    for found in pkgutil.walk_packages(importlib.import_module(package).__path__, package + "."):
        try:
            importlib.import_module(found.name)
        except ImportError:
            failed.append(found.name)
others = {name.partition(".")[0] for name in sys.modules} - sys.stdlib_module_names - before
print(json.dumps([failed, sorted(others)]))
"""


def needs_more(module):
    return any(fnmatch.fnmatch(module, pattern) for pattern in NEEDING_MORE)


def test_nothing_else_is_installed(bare):
    installed = [line.partition("==")[0] for line in bare.pip("list", "--format", "freeze").splitlines()]

    assert installed == ["brevo-mockserver", "click"]


def test_every_module_of_handles_and_commands_needs_click_and_the_standard_library_only(bare):
    failed, others = json.loads(bare.run("python", "-c", WALK).stdout)

    assert [name for name in failed if not needs_more(name.removeprefix("mockserver."))] == []
    assert set(others) <= {"mockserver", "click", "__mp_main__"}


@pytest.mark.parametrize("program", ["mockserver", "brevo-mockserver"])
def test_both_programs_tell_the_version(bare, program):
    assert bare.run(program, "--version").stdout == f"mockserver, version {mockserver.__version__}\n"


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ("health", ""), ("wait", ""), ("env", ""), ("coverage", ""), ("app list", "No apps.\n"),
        ("stubs list", "No stubs.\n"),
    ],
)  # fmt: skip
def test_a_command_asks_a_server_of_another_environment(bare, server_url, words, told):
    ended = bare.run("mockserver", *words.split(), MOCKSERVER_URL=server_url)

    assert (ended.returncode, ended.stderr) == (0, told)


@pytest.mark.parametrize(
    "words",
    [
        ["serve"], ["scenarios", "list"], ["scenarios", "check"], ["scenarios", "show", "standard"], ["machines"],
        ["openapi"], ["verify"],
    ],
    ids=" ".join,
)  # fmt: skip
def test_a_command_that_needs_the_server_says_so(bare, words):
    ended = bare.run("mockserver", *words)

    command = " ".join(["mockserver", *(["machines", "list"] if words == ["machines"] else words)])
    command = command.removesuffix(" standard")
    assert (ended.returncode, ended.stdout) == (2, "")
    assert ended.stderr.startswith(f"Error: {command} needs the server, {ADVICE}")


#: Uses what a test would, of a workspace of a server elsewhere; `get` asks its API something.
HANDLES = """
import json, sys, urllib.request
from mockserver import MockServer

def get(workspace, path):
    call = urllib.request.Request(workspace.url + path, headers={"api-key": workspace.api_key})
    with urllib.request.build_opener(urllib.request.ProxyHandler({})).open(call) as answer:
        return json.load(answer)

with MockServer.connect(sys.argv[1]) as server, server.workspace("onboarding", seed=7) as acme:
    assert get(acme, "/senders")["senders"]
    acme.clock.advance(minutes=20)
    fault = acme.faults.add("server_error", times=1)
    fault.remove()
    acme.requests.verify(operation="getSenders", count=1)
    assert acme.state.get()["seed"] == 7
    assert acme.mailbox.all() is not None and acme.machines.instances("sender")
    assert acme.coverage.percent > 0
    print("done")
"""
COROUTINES = """
import asyncio, sys
from mockserver import AsyncMockServer

async def main():
    server = await AsyncMockServer.connect(sys.argv[1])
    async with await server.workspace("onboarding") as acme:
        await acme.clock.advance(minutes=20)
        assert await acme.machines.instances("sender")
    print("done")

asyncio.run(main())
"""


@pytest.mark.parametrize("program", [HANDLES, COROUTINES], ids=["blocking", "coroutines"])
def test_the_handles_reach_a_server_of_another_environment(bare, server_url, program):
    ended = bare.run("python", "-W", "error", "-c", program, server_url)

    assert (ended.stdout, ended.stderr) == ("done\n", "")


#: What a test does with scenarios in files, which the server reads.
FILES = """
import sys
from pathlib import Path
from mockserver import MockServer, MockServerError

good, wrong, broken = (Path(f"{name}.yaml") for name in ("good", "wrong", "broken"))
good.write_text("description: &text Mine.\\naccounts: [{name: mine}]\\n")
wrong.write_text("seed: 1\\nacounts: []\\n")
broken.write_text("seed: 1\\n- what\\n")
with MockServer.connect(sys.argv[1]) as server, server.workspace(good) as mine:
    for change in (lambda: None, lambda: mine.reset(str(good.absolute())), lambda: mine.state.put(good)):
        change()
        assert mine.state.get()["description"] == "Mine." and mine.key("mine")
    for path in (wrong, broken):
        try:
            mine.reset(path)
        except (MockServerError, ValueError) as error:
            print(type(error).__name__, str(error))
"""


def test_the_handles_take_scenarios_in_files(bare, server_url, tmp_path):
    ended = bare.run("python", "-W", "error", "-c", FILES, server_url, cwd=tmp_path)

    assert ended.stderr == ""
    assert ended.stdout.splitlines() == [
        "MockServerError 400: wrong.yaml:2: acounts: unknown key; did you mean accounts?",
        "ValueError broken.yaml:2: not YAML: did not find expected key",
    ]


def test_the_commands_take_scenarios_in_files(bare, server_url, tmp_path):
    (tmp_path / "mine.yaml").write_text("accounts: [{name: mine}]\n")

    made = bare.run("mockserver", "workspaces", "new", "mine.yaml", "--json", cwd=tmp_path, MOCKSERVER_URL=server_url)

    assert (made.returncode, made.stderr) == (0, "")
    assert [row["name"] for row in json.loads(made.stdout)["accounts"]] == ["mine"]


@pytest.mark.parametrize(
    ("program", "what"), [("MockServer()", "a server in this process"), ("create_app()", "mockserver.create_app")]
)
def test_what_needs_the_server_in_python_says_so(bare, program, what):
    ended = bare.run("python", "-c", f"import mockserver; mockserver.{program}")

    assert f"ServerMissingError: {what} needs the server, {ADVICE}" in ended.stderr.splitlines()[-1]
