"""Many workspaces at once behind one socket, each as if it were alone: same journal, same state."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest
from random_user import RandomUser
from wire import Wire

THREADS, ROUNDS, STEPS = 8, 4, 6


def play(root, story, name, seed):
    """A workspace's whole script, in rounds; between two of them the others have their turn."""
    with Wire(root, name) as workspace:
        status, made = workspace.ask("POST", "/_mock/workspaces", {"scenario": story, "name": name, "seed": seed})
        assert status == 201, made
        workspace.key = made["api_key"]
        random_user = RandomUser(workspace.ask, seed)
        for _ in range(ROUNDS):
            random_user.play(STEPS)
            yield
        yield {
            "made": {name: value for name, value in made.items() if name != "url"},
            "state": workspace.ask("GET", "/_mock/state")[1],
            "journal": [comparable(row) for row in workspace.ask("GET", "/_mock/requests?limit=1000")[1]["items"]],
            "mails": workspace.ask("GET", "/_mock/mailbox?limit=1000")[1],
            "coverage": workspace.ask("GET", "/_mock/coverage")[1],
            "clock": workspace.ask("GET", "/_mock/clock")[1]["now"],
        }


def comparable(entry):
    """An entry without what depends on the machine: when it was in real time, how long it took, the server's port."""
    headers = {name: value for name, value in entry["request"]["headers"].items() if name != "host"}
    transitions = [{**change, "real_at": None} for change in entry["transitions"]]
    request = {**entry["request"], "headers": headers}
    return {**entry, "ms": 0, "real_at": None, "request": request, "transitions": transitions}


def together(scripts):
    """What each script finds, when every thread plays several of them by turns."""
    with ThreadPoolExecutor(THREADS) as pool:
        lists = list(pool.map(by_turns, [scripts[number::THREADS] for number in range(THREADS)]))
    return [lists[number % THREADS][number // THREADS] for number in range(len(scripts))]


def by_turns(scripts):
    found = [None] * len(scripts)
    for _ in range(ROUNDS + 1):
        found = [next(script) for script in scripts]
    return found


@pytest.mark.parametrize("count", [8, pytest.param(64, marks=pytest.mark.slow)])
@pytest.mark.parametrize("rests", [False, True], ids=["in memory", "passivated"])
def test_workspaces_under_load_are_each_as_if_alone(serve, story, count, rests, tmp_path):
    options = {"store": f"sqlite:{tmp_path / 'store.db'}", "store_cache": 2} if rests else {}
    shared = serve("empty", **options)

    def script(root, number):
        return play(root, story, f"w{number}", 1000 + number)

    crowded = together([script(shared, number) for number in range(count)])

    for number, found in enumerate(crowded):
        (alone,) = by_turns([script(serve("empty"), number)])
        assert found == alone, f"workspace {number}"
    assert sum(len(found["journal"]) for found in crowded) > count * ROUNDS * STEPS / 2
    assert len({row["status"] for found in crowded for row in found["journal"]}) > 5
    assert any(row["fault"] for found in crowded for row in found["journal"])
    assert len({found["clock"] for found in crowded}) > 5
