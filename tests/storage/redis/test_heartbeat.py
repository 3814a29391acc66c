"""A server knows when others may take it for dead."""

from threading import Event

import pytest

from mockserver.storage.redis import heartbeat
from mockserver.storage.redis.heartbeat import Heartbeat


@pytest.fixture
def beats():
    """Makes a heartbeat, which ends with the test."""
    made, free = [], Event()

    def make(beat):
        made.append(Heartbeat(lambda: beat(free)))
        return made[-1]

    yield make
    free.set()
    for each in made:
        each.close()


def test_a_server_that_has_stood_still_for_longer_than_its_lease_says_so(beats, monkeypatch):
    heart = beats(Event.wait)
    before = heart.failure

    monkeypatch.setattr(heartbeat, "LEASE_MS", 0)

    assert (before, heart.failure) == (None, "the store has not heard of this server for a while")
