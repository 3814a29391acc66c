"""Programs with one planted mistake each, and programs without: lint names the former, and none of the latter."""

from __future__ import annotations

import shutil
from concurrent.futures import ThreadPoolExecutor

import pytest
from clients.trial.running import try_program
from clients.trial.table import FAULTY, FOLDER, GOOD, HANG_MS, HANG_S, SHARING
from examples import rounds

from mockserver.lint import waiting

#: How many of the faulty programs lint names at least.
NAMED = 23
#: How many programs run at once; chosen for two cores, as most of them wait most of the time.
AT_ONCE = 6

pytestmark = [
    pytest.mark.skipif(shutil.which("node") is None, reason="half of the programs need node"),
    pytest.mark.server(lint_timeout=HANG_S / 20),
]


@pytest.fixture
def short_hangs(monkeypatch):
    """Lets lint and the programs take a second and a half for 30 s."""
    monkeypatch.setattr(waiting, "_LONGEST_S", HANG_S / 20)
    return HANG_MS // 20 + 200


def is_named(program, trial):
    """Whether lint has found the planted mistake, and nothing else, in the requests that have it."""
    if {found.rule for found in trial.findings} != {program.rule}:
        return False
    if program.is_receiver:
        return all(found.deliveries for found in trial.findings)
    of = [trial.operations[identifier] for found in trial.findings for identifier in found.requests]
    return len(of) >= program.requests and (program.operation is None or set(of) == {program.operation})


def try_all(server, programs, seed, hang_ms):
    with ThreadPoolExecutor(AT_ONCE) as pool:
        trials = pool.map(lambda program: try_program(server, program, seed, hang_ms=hang_ms), programs)
        return dict(zip(programs, trials, strict=True))


def described(trials):
    return {str(program): [tuple(found) for found in trial.findings] for program, trial in trials.items()}


@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(1, rounds(50)))])
@pytest.mark.timeout(120)
def test_lint_names_the_planted_mistakes_and_nothing_else(server, short_hangs, seed):
    trials = try_all(server, FAULTY + GOOD, seed, short_hangs)

    assert {name: found for name, found in described({row: trials[row] for row in GOOD}).items() if found} == {}
    missed = {row: trials[row] for row in FAULTY if not is_named(row, trials[row])}
    assert len(FAULTY) - len(missed) >= NAMED, described(missed)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(rounds(10)))
@pytest.mark.timeout(240)
def test_lint_is_silent_about_threads_that_share_connections_and_wait(server, seed):
    programs = [program for program in SHARING if program.path.suffix != ".go" or shutil.which("go")]

    trials = try_all(server, programs, seed, 0)

    assert {name: found for name, found in described(trials).items() if found} == {}
    assert all(429 in trial.statuses for trial in trials.values())


@pytest.mark.slow
@pytest.mark.timeout(120)
def test_lint_names_clients_that_wait_for_longer_than_half_a_minute(server):
    patient = [program for program in FAULTY if program.rule == "no-timeout"]

    trials = try_all(server, patient, 0, HANG_MS)

    assert {row: trials[row] for row in patient if not is_named(row, trials[row])} == {}


def test_table_has_all_programs():
    assert sorted({str(row.path) for row in FAULTY + GOOD + SHARING}) == sorted(
        str(path)
        for folder in ("faulty", "good")
        for path in FOLDER.joinpath(folder).iterdir()
        if path.suffix in (".py", ".mjs", ".go")
    )
    assert (len(FAULTY), len(GOOD), len(SHARING)) == (24, 23, 29)
