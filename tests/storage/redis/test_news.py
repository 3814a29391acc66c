"""Servers of a store hear what the others do, and of their own doings nothing."""

from __future__ import annotations

import pytest

from mockserver.core.workspaces.keeping import Cleared, Departed, Known, Outline
from mockserver.storage.batch import Batch

BUSY = Outline("acme", ["k"], 1764000000.25, is_busy=True)
#: How others see it while it is held.
HELD = Outline("acme", ["k"])


def test_a_new_workspace_is_news_in_which_nothing_is_due(one, other, made):
    made(one, keys=["k"], due_at=1764000000.25, is_busy=True)
    assert other.news() == [Known(HELD)]
    assert other.news() == []


def test_servers_hear_nothing_of_themselves(one, made):
    made(one)
    one.let_go(BUSY)
    one.evict("acme")
    assert one.news() == []


def test_what_is_written_without_a_new_key_is_no_news(one, other, made, written):
    made(one, keys=["k"])
    other.news()
    written(one, keys=["k"], due_at=17.0)
    assert other.news() == []


def test_a_new_key_is_news(one, other, made, written):
    made(one, keys=["k"])
    other.news()
    written(one, keys=["k", "new"])
    assert other.news() == [Known(Outline("acme", ["k", "new"]))]


def test_of_a_workspace_that_is_let_go_all_is_told(one, other, made):
    made(one, keys=["k"])
    other.news()
    one.let_go(BUSY)
    assert other.news() == [Known(BUSY)]


def test_workspaces_that_go_are_news(one, other, made):
    made(one, "dropped")
    made(one, "evicted")
    other.news()
    one.write(Batch(removed=["dropped"]))
    one.evict("evicted")
    assert other.news() == [Departed("dropped", "dropped"), Departed("evicted", "evicted")]


def test_counts_that_are_cleared_are_news(one, other):
    one.clear_counts()
    assert other.news() == [Cleared()]


def test_what_the_outlines_tell_is_no_news(one, other, made):
    made(one, keys=["k"], due_at=17.0)
    assert other.outlines() == [HELD]
    assert other.news() == []


def test_of_a_dead_server_all_is_told(one, other, made, silenced):
    made(one, keys=["k"], due_at=BUSY.due_at, is_busy=True)
    other.news()
    silenced(one)
    other.beat()
    assert other.news() == [Known(BUSY)]


def test_a_server_hears_which_workspaces_it_has_lost_while_it_was_away(one, other, made, silenced):
    made(one)
    made(one, "kept")
    silenced(one)
    other.take("acme")
    one.beat()
    assert one.lost() == {"acme"}
    assert one.lost() == set()


@pytest.fixture
def forgotten(redis_server):
    """Lets the events be forgotten that are older than the last one."""
    return lambda: redis_server.command("XTRIM mockserver:events MAXLEN 1")


def test_a_server_that_falls_behind_hears_of_all_workspaces_of_others_and_of_those_that_went(
    one, other, made, forgotten
):
    made(one, "gone")
    made(one, keys=["k"])
    made(other, "own")
    other.news()
    one.write(Batch(removed=["gone"]))
    one.let_go(BUSY)
    forgotten()
    assert other.news() == [Departed("gone", "dropped"), Known(BUSY)]
    assert other.news() == []
