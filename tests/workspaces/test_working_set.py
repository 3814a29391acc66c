"""The working set: workspaces are loaded when something is due in them, and rest when they are too many."""

from __future__ import annotations

import time

import pytest
from servers_of_one_store import Cluster
from shelf import Shelf, small_store

from mockserver.core.workspaces.keeping import KeepingError
from mockserver.storage.working_set import WorkingSet


@pytest.fixture
def shelf():
    return Shelf()


@pytest.fixture
def store(shelf):
    """A store with the workspaces `default`, `a`, `b` and `c`."""
    found = small_store(shelf)
    for name in "abc":
        found.create(name=name)
    return found


def loaded(store):
    return [workspace.name for workspace in store.loaded()]


def test_those_used_longest_ago_rest_while_there_are_more_than_there_may_be(store):
    store.get("a")
    WorkingSet(store, 2).turn()
    assert loaded(store) == ["default", "a"]


def test_none_rests_while_there_are_no_more(store):
    WorkingSet(store, 4).turn()
    assert loaded(store) == ["default", "a", "b", "c"]


def test_one_that_cannot_rest_stays_and_a_later_one_rests(store):
    store.peek("a").watchers.add(print)
    WorkingSet(store, 3).turn()
    assert loaded(store) == ["default", "a", "c"]


def test_those_that_are_not_kept_yet_rest_later(store, shelf):
    working_set = WorkingSet(store, 1)
    shelf.is_up_to_date = False
    working_set.turn()
    assert loaded(store) == ["default", "a", "b", "c"]

    shelf.is_up_to_date = True
    working_set.turn()
    assert loaded(store) == ["default"]


@pytest.mark.parametrize(
    ("known", "is_loaded"),
    [
        ({"due_at": time.time() - 1}, True),
        ({"due_at": time.time() + 3600}, False),
        ({"due_at": None}, False),
        ({"due_at": None, "is_busy": True}, True),
        ({"due_at": time.time() + 3600, "is_busy": True}, True),
    ],
    ids=["due", "due later", "never due", "busy", "busy and due later"],
)
def test_after_a_start_what_is_due_or_was_under_way_is_loaded(store, shelf, known, is_loaded):
    shelf.tell("a", **known)
    again = small_store(shelf)
    WorkingSet(again).turn()
    assert ("a" in loaded(again)) is is_loaded


def test_what_is_due_is_loaded_in_the_order_in_which_it_was_due(store, shelf):
    for name, ago in (("a", 1), ("b", 3), ("c", 2)):
        shelf.tell(name, due_at=time.time() - ago)
    again = small_store(shelf)
    WorkingSet(again).turn()
    assert shelf.names == ["default", "b", "c", "a"]


def test_one_that_cannot_be_read_is_told_once_and_the_others_are_loaded(store, shelf, caplog):
    for name in "ab":
        shelf.tell(name, due_at=1.0)
    shelf.damaged["a"] = "it is damaged"
    working_set = WorkingSet(small_store(shelf))
    working_set.turn()
    working_set.turn()

    assert [row.message for row in caplog.records] == [
        "what is due in workspace a does not happen: workspace a cannot be read: it is damaged"
    ]
    assert shelf.names == ["default", "b"]


def test_its_thread_loads_what_becomes_due_and_ends(store, shelf):
    shelf.tell("a", due_at=time.time() + 0.01)
    working_set = WorkingSet(small_store(shelf))
    working_set.open()
    try:
        assert shelf.has_loaded("a")
    finally:
        working_set.close()
    assert not working_set._thread.is_alive()  # noqa: SLF001  # that it ends is the point


# ---------------------------------------------------------------------- servers of one store


@pytest.fixture
def cluster():
    found = Cluster()
    yield found
    found.close()


def due_soon(server, name):
    """A workspace in which something is due at once, as soon as anybody looks."""
    workspace = server.make(name)
    with workspace.lock:
        account = workspace.state.first_account
        workspace.state.timers.set(workspace.state.clock.now(), account.id, "sender", 1, "expire_otp")
    del workspace
    server.keeping.settle()


def test_what_is_due_where_a_server_has_died_is_loaded_by_another(cluster):
    one, two = cluster.start(), cluster.start()
    due_soon(one, "a")
    cluster.kill(one)
    WorkingSet(two.store).turn()
    assert "a" in loaded(two.store)


def test_what_is_due_where_a_server_lives_is_left_to_it(cluster, caplog):
    one, two = cluster.start(), cluster.start()
    due_soon(one, "a")
    WorkingSet(two.store).turn()
    assert (loaded(two.store), caplog.records) == ([], [])


def test_of_the_servers_that_are_left_one_loads_it(cluster, caplog):
    one, two, three = (cluster.start() for _ in range(3))
    due_soon(one, "a")
    cluster.kill(one)
    for server in (two, three):
        WorkingSet(server.store).turn()
    assert [("a" in loaded(server.store)) for server in (two, three)] == [True, False]
    assert caplog.records == []


def test_what_is_due_is_loaded_once_the_database_can_be_read_again(cluster, monkeypatch):
    one, two = cluster.start(), cluster.start()
    due_soon(one, "a")
    cluster.kill(one)
    working_set, now = WorkingSet(two.store), time.time()
    two.store.keep_up()
    two.engine.trouble = "the database is away"
    working_set.turn()
    two.engine.trouble = None
    monkeypatch.setattr("mockserver.storage.working_set.time.time", lambda: now + 60)
    working_set.turn()
    assert "a" in loaded(two.store)


def test_what_was_lost_and_nobody_has_taken_is_loaded_again(cluster):
    one = cluster.start()
    one.make("a")
    one.engine.trouble = "the database is away"
    with pytest.raises(KeepingError):
        one.add_key("a", "never kept")
    one.engine.trouble = None
    WorkingSet(one.store).turn()
    assert "a" in loaded(one.store)


def test_one_that_rests_may_be_loaded_by_another_server(cluster):
    one, two = cluster.start(), cluster.start()
    one.make("a")
    WorkingSet(one.store, 1).turn()
    assert two.store.get("a") is not None
