"""Those that ask at once what other servers have done wait for one answer, which is not older than their question."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from mockserver.core.workspaces.keeping import KeepingError

PATIENCE = 20
ASKING = 8


class Gate:
    """The news of an engine: the first to hear them waits until it is open, and has heard what was there before."""

    def __init__(self, engine):
        self._news, engine.news = engine.news, self
        self.calls, self.fails = 0, False
        self.reached, self.is_open = threading.Event(), threading.Event()

    def __call__(self):
        self.calls += 1
        found = self._news()
        if self.calls == 1:
            self.reached.set()
            assert self.is_open.wait(PATIENCE)
        if self.fails:
            raise KeepingError("nobody can tell")
        return found


@pytest.fixture
def gate(two):
    return Gate(two.engine)


@pytest.fixture
def asking(two):
    """Lets threads ask for news; gives their results once all have asked."""
    asked = threading.Semaphore(0)
    two.store.before_hearing = asked.release

    def begin(pool, count):
        found = [pool.submit(two.store.hear) for _ in range(count)]
        assert all(asked.acquire(timeout=PATIENCE) for _ in found)
        return found

    return begin


def test_all_that_ask_meanwhile_share_the_next_answer(gate, asking):
    with ThreadPoolExecutor(ASKING + 1) as pool:
        (first,) = asking(pool, 1)
        assert gate.reached.wait(PATIENCE)
        others = asking(pool, ASKING)
        gate.is_open.set()
        for each in (first, *others):
            each.result(PATIENCE)

    assert gate.calls == 2


def test_an_answer_that_was_on_its_way_is_not_for_who_asks_later(one, two, gate, asking):
    with ThreadPoolExecutor(2) as pool:
        asking(pool, 1)
        assert gate.reached.wait(PATIENCE)
        one.make("made-meanwhile")
        (later,) = asking(pool, 1)
        gate.is_open.set()
        later.result(PATIENCE)

    assert "made-meanwhile" in two.store


def test_an_answer_that_fails_is_for_nobody_else(gate, asking):
    gate.fails = True
    with ThreadPoolExecutor(3) as pool:
        asking(pool, 1)
        assert gate.reached.wait(PATIENCE)
        others = asking(pool, 2)
        gate.is_open.set()
        for each in others:
            with pytest.raises(KeepingError):
                each.result(PATIENCE)

    assert gate.calls == 3
