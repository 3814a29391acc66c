"""Our server beside mountebank, Prism and WireMock, each with the same ten senders to list and one to create.

    apt-get install --no-install-recommends default-jre-headless nodejs npm wrk
    (cd tests/benchmarks/peers && npm install --ignore-scripts --no-package-lock)
    .venv/bin/pytest -m peers tests/benchmarks/peers

PEERS names another folder to install into, which needs a copy of `package.json`; PEERS_TABLE a file for the table.
Two minutes on two quiet cores. Absolute figures are printed; only ratios fail.
"""

import json
import os
from contextlib import ExitStack
from pathlib import Path

import pytest
from benchmarks.peers.comparison import MEMORY, P99, READ, START, WRITE, Aim, Figures, table
from benchmarks.peers.running import running
from benchmarks.peers.servers import MOUNTEBANK, OURS, PATH, PRISM, SERVERS, WIREMOCK, Answers, missing

pytestmark = pytest.mark.peers

STARTS = 3
#: Many short turns: what else a machine does comes and goes within seconds.
ROUNDS, SECONDS = 7, 1
#: Java's compiler and Node's need some thousand requests before the rates stay as they are.
WARM_UP_SECONDS = 3
AIMS = (
    Aim(READ, more_is_better=True, others=(MOUNTEBANK.name, PRISM.name, WIREMOCK.name)),
    Aim(WRITE, more_is_better=True, others=(MOUNTEBANK.name, PRISM.name)),
    Aim(MEMORY, more_is_better=False, others=(MOUNTEBANK.name, PRISM.name, WIREMOCK.name)),
    Aim(START, more_is_better=False, others=(MOUNTEBANK.name,)),
)


@pytest.fixture
def servers():
    """All servers, where everything that they need is installed."""
    if lacking := missing():
        pytest.fail(f"not installed: {', '.join(lacking)}\n{__doc__}", pytrace=False)
    return SERVERS


@pytest.fixture
def answers(servers, tmp_path):
    """What ours answers, which its peers are given to answer, too."""
    with running(OURS, tmp_path / "answers", answers=None) as ours:
        sender = json.dumps({"name": "Ops", "email": "ops@new.test"})
        return Answers(listed=ours.ask("GET", PATH), created=ours.ask("POST", PATH, sender))


def measure_starts(figures, folder, answers):
    """Milliseconds from a server's start to its first answer, nothing else running."""
    for turn in range(STARTS):
        for server, figure in figures.items():
            with running(server, folder / f"{turn} {server.name}", answers) as started:
                figure.add(START, started.first_answer * 1000)


def measure_loads(figures, folder, answers):
    """Rates in turns, all servers running, and in the end their memory."""
    with ExitStack() as stack:
        started = {server: stack.enter_context(running(server, folder / server.name, answers)) for server in figures}
        for each in started.values():
            assert json.loads(each.ask("GET", PATH)) == json.loads(answers.listed)
            each.read(WARM_UP_SECONDS)
            each.write(WARM_UP_SECONDS)
        for _ in range(ROUNDS):
            for server, each in started.items():
                each.reset()
                read, write = each.read(SECONDS), each.write(SECONDS)
                figures[server].add(READ, read.rate)
                figures[server].add(P99, read.p99_ms)
                figures[server].add(WRITE, write.rate)
        for server, each in started.items():
            figures[server].add(MEMORY, each.memory_mb())


def report(ours, figures):
    """The table, and what a reader has to know of each row."""
    yield from table(ours, figures.values())
    yield ""
    yield (
        f"wrk with 16 connections, {ROUNDS} turns of {SECONDS} s for reads and for writes, on the {os.cpu_count()} "
        "cores of the servers; p99 of reads; resident memory of all processes of a server after the load; "
        f"first answer of {STARTS} starts. Medians, and in brackets those of the ratios to ours."
    )
    yield ""
    yield from (f"- {server.name}: {server.note}." for server in figures)


def test_peers_are_slower_larger_and_later(show, servers, answers, tmp_path):
    figures = {server: Figures(server.name) for server in servers}
    measure_starts(figures, tmp_path, answers)
    measure_loads(figures, tmp_path, answers)

    lines = list(report(figures[OURS], figures))
    for line in lines:
        show(line)
    if path := os.environ.get("PEERS_TABLE"):
        Path(path).write_text("\n".join([*lines, ""]))
    if missed := [sentence for aim in AIMS for sentence in aim.missed(figures[OURS], figures.values())]:
        pytest.fail("\n".join(["aims missed:", *missed]), pytrace=False)
