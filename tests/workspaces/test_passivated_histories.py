"""A workspace that comes and goes answers as one that never leaves the memory, byte for byte."""

from __future__ import annotations

import re
from random import Random

import pytest
from examples import rounds
from memory_storage import MemoryStorage
from random_user import RandomUser

#: What tells real time, and so differs between any two workspaces.
REAL = re.compile(rb'"(made_at|real_at|ms|offset_s)": *("[^"]*"|-?[0-9.e+-]+|null)')


class Pair:
    """The same workspace of two applications, one of which lets it rest between requests, as its source decides."""

    def __init__(self, resting, staying, seed):
        self._resting, self._staying, self._random = resting, staying, Random(seed)
        self.rests = 0

    def ask(self, method, path, body=None, *, key=None):
        """The status and JSON of the answer that both give; what that has begun is over then."""
        if self._random.random() < 0.5:
            self.rests += self._resting.api.store.passivate("w")
        resting, staying = (side.ask(method, path, body, key=key) for side in (self._resting, self._staying))
        assert seen(resting) == seen(staying), (method, path)
        for side in (self._resting, self._staying):
            side.post("/_mock/clock/advance", {"by": "PT0S"})  # which waits for calls
        return staying.status_code, staying.get_json(silent=True)


def seen(answer):
    headers = [(name, value) for name, value in answer.headers if name != "Content-Length"]
    return answer.status, headers, REAL.sub(b"", answer.data)


@pytest.fixture
def make_pair(make_api, new_workspace, monkeypatch, story):
    staying = make_api("empty")
    storage = MemoryStorage()
    monkeypatch.setattr("mockserver.app.mock.storage_of", lambda _: storage)
    resting = make_api("empty")
    return lambda seed: Pair(*(new_workspace(api, story, seed=1, name="w") for api in (resting, staying)), seed)


#: What is looked at in the end, beside what was answered on the way.
EVERYTHING = (
    "/_mock/state",
    "/_mock/requests?limit=1000",
    "/_mock/mailbox?limit=1000",
    "/_mock/deliveries?limit=1000",
    "/_mock/timers",
    "/_mock/clock",
    "/_mock/faults",
    "/_mock/coverage",
    "/_mock/snapshots",
    "/_mock/calls",
    "/_mock/workspaces/w",
)


@pytest.mark.parametrize(
    "seed", [1, *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(2, 2 + rounds(20)))]
)
def test_clients_cannot_tell_that_a_workspace_was_passivated(make_pair, seed):
    pair = make_pair(seed)
    RandomUser(pair.ask, seed).play(50)
    for path in EVERYTHING:
        pair.ask("GET", path)
    assert pair.rests > 10
