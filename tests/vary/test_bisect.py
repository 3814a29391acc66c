"""`mockserver bisect` names the draws that make a command fail, in few runs, and leaves nothing running."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from itertools import combinations
from pathlib import Path

import pytest
import yaml
from cli_runner import invoke

from mockserver import MockServer
from mockserver.cli.bisect import _find, groups, smallest
from mockserver.cli.program import Misused
from mockserver.scenario.vary import draw, place_of

PROGRAM = str(Path(__file__).with_name("program.py"))
#: The planted mistakes of the program, each with the draw by which it fails.
PLANTED = {
    "absent_members": "absent_members",
    "dkim": "dkim: cname",
    "domain_id": "domain_id: hex",
    "lost_answer": "lost_answer",
    "member_order": "member_order",
    "late_row": "late_row",
    "proxy_page": "proxy_page",
    "rate_limited": "rate_limited",
    "sentence_codes": "sentence_codes: observed",
    "small_chunks": "small_chunks",
    "stale_read": "stale_read",
    "unknown_members": "unknown_members",
    "webhook_duplicates": "webhook_duplicates: refuse",
}
DRAWS = {row.name: row for seed in range(20) for row in draw(seed)}
GROUPS = groups(list(DRAWS.values()))
#: The most runs for a program with one mistake.
MOST_RUNS = 13


@pytest.fixture
def run(tmp_path):
    """Runs `mockserver bisect` with a command, in a folder of its own."""
    output = tmp_path / "bisect.yaml"

    def bisect(*command, options=()):
        return invoke(("bisect", "--output", str(output), *options, "--", *command), {})

    bisect.output = output
    return bisect


# ---------------------------------------------------------------------- the algorithm


def test_no_draws_of_a_group_take_the_same_place_and_none_is_left_out():
    places = [[place_of(row) for row in group] for group in GROUPS]
    assert [len(set(row)) for row in places] == [len(row) for row in places]
    assert sorted(row.name for group in GROUPS for row in group) == sorted(DRAWS)


@pytest.mark.parametrize("seed", range(30))
def test_the_draws_of_a_seed_are_one_group(seed):
    assert len(groups(draw(seed))) == 1


@pytest.mark.parametrize("name", DRAWS)
def test_any_draw_is_found_in_few_runs(name):
    runs = []

    def fails(rows):
        runs.append(rows)
        return DRAWS[name] in rows

    failing = next(group for group in GROUPS if fails(group))
    assert smallest(failing, fails) == [DRAWS[name]]
    assert len(runs) + 6 <= MOST_RUNS  # the first run has no draws, and the last five confirm what was found


@pytest.mark.parametrize("pair", list(combinations(range(6), 2)))
def test_draws_that_fail_only_together_are_found(pair):
    rows = GROUPS[0][:6]
    wanted = [rows[index] for index in pair]
    assert smallest(rows, lambda tried: all(row in tried for row in wanted)) == wanted


class FlakyRuns:
    """Runs of a command that fails by chance, whatever the draws are."""

    output = outcome = ""

    def __init__(self, seed):
        self._random = random.Random(seed)
        self._rate = 0.05 + 0.15 * seed / 128

    def fails(self, rows):
        return self._random.random() < self._rate


def test_flaky_commands_are_called_flaky_and_not_blamed_on_draws():
    blamed = flaky = 0
    for seed in range(128):
        try:
            blamed += bool(_find(FlakyRuns(seed), list(DRAWS.values())))
        except Misused as refused:
            flaky += "the command is flaky" in str(refused)
    assert (blamed <= 1, flaky > 30) == (True, True), (blamed, flaky)  # chance alone allows one


# ---------------------------------------------------------------------- the command


@pytest.mark.parametrize(("mistake", "name"), PLANTED.items())
def test_a_planted_mistake_is_named_in_few_runs(run, tmp_path, mistake, name):
    runs = tmp_path / "runs"
    found = run(sys.executable, PROGRAM, mistake, str(runs))
    assert (found.exit_code, found.stdout.splitlines()[0]) == (1, f"fails when {DRAWS[name].says}")
    assert len(runs.read_text().splitlines()) <= MOST_RUNS


def test_the_scenario_that_is_left_reproduces_the_failure(run, tmp_path):
    run(sys.executable, PROGRAM, "lost_answer", str(tmp_path / "runs"))
    text = run.output.read_text()
    assert text.startswith("# fails when the answer to the first write is lost")
    assert yaml.safe_load(text) == {"extends": "standard", **DRAWS["lost_answer"].entry}
    with MockServer(run.output) as server:
        words = [sys.executable, PROGRAM, "lost_answer", str(tmp_path / "runs")]
        ended = subprocess.run(
            words, env={**os.environ, "MOCKSERVER_URL": server.url}, check=False, capture_output=True
        )
    assert b"lost_answer" in ended.stderr


def test_the_scenarios_own_options_and_rules_stay(run, tmp_path):
    path = tmp_path / "mine.yaml"
    path.write_text("extends: standard\nvary: 3\nbehaviour: {otp_lifetime: PT1M}\nfaults: [{fault: latency, ms: 1}]\n")
    options = ("--seed", "0", "--scenario", str(path))
    found = run(sys.executable, PROGRAM, "dkim", str(tmp_path / "runs"), options=options)
    assert found.exit_code == 1, found.output
    assert yaml.safe_load(run.output.read_text()) == {
        "extends": "standard",
        "behaviour": {"dkim": "cname", "otp_lifetime": "PT1M"},
        "faults": [{"fault": "latency", "ms": 1}],
    }


def test_a_scenario_with_a_preset_is_tried_with_what_the_preset_has_not(run, tmp_path):
    path = tmp_path / "mine.yaml"
    path.write_text("behaviour: recorded\n")
    words = [sys.executable, "-c", OF_THE_PRESET]

    found = run(*words, options=("--seed", "0", "--scenario", str(path)))

    assert found.exit_code == 1, found.output
    assert yaml.safe_load(run.output.read_text()) == {"behaviour": {"preset": "recorded", "dkim": "txt"}}


#: Fails if DKIM records are not those of the preset `recorded`.
OF_THE_PRESET = """
import json, os, urllib.request
state = json.load(urllib.request.urlopen(os.environ["MOCKSERVER_URL"] + "/_mock/state"))
assert "dkim" not in state["behaviour"]
"""
#: Fails if a workspace that it makes of another scenario has DKIM records as CNAME.
OF_ITS_OWN_SCENARIO = """
import json, os, urllib.request
def call(path, body=None):
    data = None if body is None else json.dumps(body).encode()
    return json.load(urllib.request.urlopen(urllib.request.Request(os.environ["MOCKSERVER_URL"] + path, data=data)))
name = call("/_mock/workspaces", {"scenario": "onboarding"})["name"]
assert "dkim" not in call(f"/w/{name}/_mock/state")["behaviour"]
"""


def test_workspaces_of_another_scenario_have_the_draws_too(run):
    found = run(sys.executable, "-c", OF_ITS_OWN_SCENARIO, options=("--seed", "0"))
    assert (found.exit_code, "dkim: cname" in found.stdout) == (1, True)


def test_a_good_command_ends_with_0(run):
    found = run(sys.executable, "-c", "", options=("--seed", "0"))
    assert (found.exit_code, found.stdout) == (0, "no draw makes the command fail\n")
    assert not run.output.exists()


def test_a_command_that_fails_without_draws_ends_with_2_and_its_output(run):
    found = run(sys.executable, "-c", "raise SystemExit('as always')")
    assert found.exit_code == 2
    assert "as always\nError: the command fails without draws: exit status 1." in found.stderr


#: Fails at the second run only: the first has no draws.
BY_CHANCE = """
import pathlib, sys
path = pathlib.Path(sys.argv[1])
path.write_text(path.read_text() + "run " if path.exists() else "run ")
assert path.read_text() != "run run "
"""


def test_a_command_that_fails_by_chance_is_called_flaky(run, tmp_path):
    found = run(sys.executable, "-c", BY_CHANCE, str(tmp_path / "runs"), options=("--seed", "0"))
    assert (found.exit_code, "the command is flaky" in found.stderr) == (2, True)
    assert not run.output.exists()


def test_a_run_that_takes_too_long_has_failed(run):
    found = run(sys.executable, "-c", "import time; time.sleep(60)", options=("--timeout", "0.2s"))
    assert (found.exit_code, "no end within 0.2 s" in found.stderr) == (2, True)


REFUSED = {
    "no command": ((), (), "Missing argument"),
    "an unknown command": (("/no/such/command",), (), "'/no/such/command' cannot be run"),
    "no seeds": (("true",), ("--seeds", "few"), "'few' is neither a seed, as 7, nor several seeds, as 0..19."),
    "seeds in reverse": (("true",), ("--seeds", "9..1"), "'9..1' has 0 seeds, expected 1 to 1,000."),
    "too many seeds": (("true",), ("--seeds", "1..9999"), "'1..9999' has 9,999 seeds, expected 1 to 1,000."),
    "an unknown scenario": (("true",), ("--scenario", "standart"), "did you mean standard?"),
}


@pytest.mark.parametrize(("command", "options", "message"), REFUSED.values(), ids=REFUSED)
def test_what_cannot_be_run_is_refused(run, command, options, message):
    found = run(*command, options=options)
    assert (found.exit_code, message in found.stderr) == (2, True), found.stderr


def test_a_mistake_of_a_scenario_is_told_with_its_line(run, tmp_path):
    path = tmp_path / "mine.yaml"
    path.write_text("extends: standard\nseed: often\n")
    found = run("true", options=("--scenario", str(path)))
    assert (found.exit_code, "seed: not an integer: got 'often'" in found.stderr) == (2, True), found.stderr


# ---------------------------------------------------------------------- interruption

#: Tells the address of the server and two processes, and waits.
WAITING = """
import os, pathlib, subprocess, sys, time
child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
pathlib.Path(sys.argv[1]).write_text(f"{os.getpid()} {child.pid} {os.environ['MOCKSERVER_URL']}")
time.sleep(600)
"""


def is_there(pid):
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    # A process whose end nobody has asked for yet is gone as well.
    stat = Path(f"/proc/{pid}/stat")
    return not stat.exists() or stat.read_text().rpartition(")")[2].split()[0] != "Z"


@pytest.mark.parametrize(
    ("number", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129), (signal.SIGKILL, -9)]
)
def test_an_interruption_leaves_no_command_and_no_server(tmp_path, number, status):
    told = tmp_path / "told"
    os.mkfifo(told)
    words = ["-m", "mockserver", "bisect", "--", sys.executable, "-c", WAITING, str(told)]
    with subprocess.Popen([sys.executable, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        parent, child, url = told.read_text().split()
        process.send_signal(number)
        out, err = process.communicate(timeout=30)
    assert (process.returncode, out, err) == (status, b"", b"")
    deadline = time.monotonic() + 20
    while number == signal.SIGKILL and is_there(int(child)) and time.monotonic() < deadline:
        time.sleep(0.05)  # a process that watches ends them
    assert [is_there(int(pid)) for pid in (parent, child)] == [False, False]
    ended = subprocess.run(
        [sys.executable, "-m", "mockserver", "health", "--url", url], check=False, capture_output=True
    )
    assert ended.returncode == 1
