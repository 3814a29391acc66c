"""What it costs to keep workspaces in a file, beside the same in memory, as ratios measured in one run.

Absolute figures are printed; only ratios fail.
"""

import statistics
import subprocess
import time
from functools import partial

import pytest
from benchmarks.bench import HERE, MOCK, MOCK_WITH_LOG, get, post, started
from benchmarks.loads import hundreds
from benchmarks.processor import SERVER_CORE, seconds, servers

from mockserver import Settings, create_app

pytestmark = pytest.mark.benchmark

#: At least so many requests of which none, every fifth and each writes are answered in the processor time that they
#: take in memory, the saving included. The aims are 0.7 for reads and 0.15 for writes; 0.76 to 0.83, 0.35 to 0.41 and
#: 0.25 to 0.27 are measured.
READS, MIXED, WRITES = 0.65, 0.3, 0.15
#: No request of a hundred writes.
NEVER = 1_000
#: How long requests go on, in seconds, so that traces are saved several times, and how long the last save takes.
LOADED_S, WRITTEN_S = 3, 1.5
#: How many times as long as without any workspace a server may take until its first answer, and a workspace that rests
#: as one in memory may take to be made. The aims are 400 ms and 20 ms.
START, FIRST_USE = 1.5, 2.0
WORKSPACES = 1_000


@pytest.mark.parametrize(
    ("every", "share"), [(NEVER, READS), (5, MIXED), (1, WRITES)], ids=["reads", "mixed", "writes"]
)
def test_requests_to_workspaces_in_a_file_cost_little_more_than_in_memory(show, tmp_path, every, share):
    command = [*MOCK_WITH_LOG, str(HERE / "workspace.yaml")]
    storage = [*command, "--store", f"sqlite:{tmp_path / 'store.db'}"]
    with servers(command, storage, log=subprocess.DEVNULL) as found:
        before = [seconds(server.process) for server in found]
        loads, count, until = hundreds(every), 0, time.monotonic() + LOADED_S
        while time.monotonic() < until:
            load, count = next(loads), count + 100
            for server in found:
                server.connections.statuses(load)
        time.sleep(WRITTEN_S)
        memory, kept = (seconds(server.process) - was for server, was in zip(found, before, strict=True))

    in_memory, in_file = (f"{used / count * 1e6:.0f} µs" for used in (memory, kept))
    show(f"{every=}: {in_memory} a request in memory, {in_file} in a file, share {memory / kept:.2f}")
    assert memory / kept >= share


@pytest.fixture(scope="module")
def full(tmp_path_factory):
    """The settings of a server whose file holds a thousand workspaces."""
    store = f"sqlite:{tmp_path_factory.mktemp('full') / 'store.db'}"
    app = create_app(Settings(store=store, workspaces_limit=2 * WORKSPACES))
    for number in range(WORKSPACES):
        app.store.storage.run(partial(app.store.create, name=f"w{number}"))
    app.close()
    return ("--store", store, "--workspaces-limit", str(2 * WORKSPACES))


def _start(command):
    """What a server takes of the processor until its first answer, and how long that is, in milliseconds."""
    begun = time.perf_counter()
    with started(command, SERVER_CORE) as (root, process):
        get(f"{root}/v3/senders")
        return seconds(process) * 1000, (time.perf_counter() - begun) * 1000


def test_a_server_with_a_thousand_workspaces_starts_soon(show, full):
    commands = [*MOCK, "standard"], [*MOCK, "standard", *full]
    pairs = [[_start(command) for command in commands] for _ in range(6)][1:]
    ratio = statistics.median(kept[0] / memory[0] for memory, kept in pairs)

    memory, kept = (min(pair[index][1] for pair in pairs) for index in (0, 1))
    show(f"first answer: in memory {memory:.0f} ms, with {WORKSPACES:,} workspaces {kept:.0f} ms, ratio {ratio:.2f}")
    assert ratio <= START


def test_a_workspace_that_rests_is_there_soon(show, full):
    def taken_ms(act):
        begun = time.perf_counter()
        act()
        return (time.perf_counter() - begun) * 1000

    with started([*MOCK, "standard", *full], SERVER_CORE) as (root, _):
        names = range(100, 900, 20)
        first = statistics.median(taken_ms(lambda: get(f"{root}/w/w{name}/_mock/clock")) for name in names)  # noqa: B023  # called at once
        made = statistics.median(taken_ms(lambda: post(f"{root}/_mock/workspaces", {})) for _ in names)

    show(f"first use of a workspace that rests: {first:.1f} ms; to make one: {made:.1f} ms; ratio {first / made:.1f}")
    assert first / made <= FIRST_USE
