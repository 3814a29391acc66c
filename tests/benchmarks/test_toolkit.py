"""What workspaces, journal, coverage, faults and the pytest plugin cost, as ratios measured in one run.

Absolute figures are printed; only ratios fail.
"""

import json
import os
import statistics
import subprocess
import sys
import time

import pytest
from benchmarks.bench import ASGI, HERE, KEY, MOCK, get, post, started
from benchmarks.connections import request
from benchmarks.processor import REQUESTS, Load, in_turns, servers

from mockserver import MockServer

pytestmark = pytest.mark.benchmark

WORKSPACE = str(HERE / "workspace.yaml")
BARE = [sys.executable, str(HERE / "bare.py"), WORKSPACE]
#: How many empty requests journal, coverage and fault rules may add to a request, in processor time. On an idle machine
#: and with four more busy programs on two cores it is 1.0 to 1.5.
MOST_ADDED = 2
OTHERS = ("createSender", "updateSender", "deleteSender", "createDomain", "createWebhook")


def seconds(*actions, times=100):
    """The median of many runs of each, in turns."""
    taken = [[] for _ in actions]
    for _ in range(times):
        for action, each in zip(actions, taken, strict=True):
            start = time.perf_counter()
            action()
            each.append(time.perf_counter() - start)
    return map(statistics.median, taken)


@pytest.mark.parametrize("call", ["workspaces", "reset"])
def test_a_fresh_workspace_costs_less_than_ten_times_a_health_check(show, call):
    with started([*MOCK, "standard"]) as (root, _):
        health, made = seconds(lambda: get(f"{root}/_mock/health"), lambda: post(f"{root}/_mock/{call}", {}))

    show(f"POST /_mock/{call}: {made * 1000:.2f} ms, {made / health:.1f} times GET /_mock/health")
    assert made / health < 10


def seconds_to_import_flask():
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    command = [sys.executable, "-c", "import flask"]
    (taken,) = seconds(lambda: subprocess.run(command, env=environment, check=True), times=7)
    return taken


def test_a_server_in_process_starts_within_an_import_of_flask_and_stops_in_a_fifth_of_that(show):
    flask = seconds_to_import_flask()
    up, down = [], []
    for _ in range(7):
        start = time.perf_counter()
        server = MockServer()
        get(f"{server.url}/v3/senders")
        answered = time.perf_counter()
        server.stop()
        up.append(answered - start)
        down.append(time.perf_counter() - answered)

    up, down = statistics.median(up), statistics.median(down)
    show(f"import flask {flask * 1000:.0f} ms, MockServer() {up * 1000:.1f} ms, stop {down * 1000:.1f} ms")
    assert up <= flask
    assert down <= flask / 5


#: Writes down how long each test takes, with the setup and the teardown of its fixtures.
STOPWATCH = """
import json
import pathlib
import time

import pytest

took = {}


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item):
    began = time.perf_counter()
    result = yield
    took.setdefault(item.originalname, []).append(time.perf_counter() - began)
    return result


def pytest_sessionfinish():
    pathlib.Path("took.json").write_text(json.dumps(took))
"""
#: Tests without a fixture and with one, in turns.
TESTS = """
import pytest

each = pytest.mark.parametrize("index", range(200), scope="session")


@each
def test_without(index):
    pass


@each
def test_with(index, mockserver):
    pass
"""


def seconds_of_tests(folder):
    """How long a test that does nothing takes by its name: the median, so without the start of its server."""
    (folder / "conftest.py").write_text(STOPWATCH)
    (folder / "test_turns.py").write_text(TESTS)
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"]
    subprocess.run(command, cwd=folder, stdout=subprocess.DEVNULL, check=True)
    took = json.loads((folder / "took.json").read_text())
    return {name: statistics.median(each) for name, each in took.items()}


def test_a_test_with_a_workspace_of_its_own_costs_a_fraction_of_an_import_of_flask(show, tmp_path):
    took = seconds_of_tests(tmp_path)
    each = took["test_with"] - took["test_without"]

    show(f"the plugin's fixture costs a test {each * 1000:.1f} ms; the aim is 5 ms")
    assert each <= seconds_to_import_flask() / 20


def add_fault_rules(root, number):
    """Rules that match no request of these benchmarks, half of them by operation and half by query."""
    for index in range(number):
        match = {"operation": OTHERS[index % len(OTHERS)]} if index % 2 else {"query": {"page": index}}
        post(f"{root}/_mock/faults", {"fault": "server_error", "match": match})


@pytest.mark.parametrize("rules", [0, 20])
def test_journal_coverage_and_fault_rules_cost_at_most_a_few_empty_requests(show, rules):
    reads = [request("GET", "/v3/senders", KEY)] * REQUESTS
    with servers(ASGI, BARE, [*MOCK, WORKSPACE]) as found:
        add_fault_rules(found[-1].root, rules)
        turns = in_turns(*(Load(server, reads) for server in found))

    empty, bare, mock = map(statistics.median, zip(*turns, strict=True))
    added = statistics.median((mock - bare) / empty for empty, bare, mock in turns)
    show(
        f"empty request {empty:.0f} µs, GET of ten senders {bare:.0f} µs, with journal, coverage and {rules} fault "
        f"rules {mock:.0f} µs: they add {added:.2f} empty requests"
    )
    assert added <= MOST_ADDED
