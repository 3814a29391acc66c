"""The working set: workspaces are loaded when something is due in them, and rest when they are too many."""

from __future__ import annotations

import time

import pytest
from memory_storage import MemoryStorage, small_store
from stepped import Stepped

from mockserver.storage.working_set import WorkingSet


@pytest.fixture
def storage():
    return MemoryStorage()


@pytest.fixture
def store(storage):
    """A store with the workspaces `default`, `a`, `b` and `c`."""
    found = Stepped(small_store(storage))
    for name in "abc":
        found.create(name=name)
    return found


def loaded(store):
    return [workspace.name for workspace in store.loaded()]


def test_least_recently_used_workspaces_are_passivated_above_the_limit(store):
    store.get("a")
    WorkingSet(store.inner, 4).turn()
    assert loaded(store) == ["default", "b", "c", "a"]
    WorkingSet(store.inner, 2).turn()
    assert loaded(store) == ["default", "a"]


def test_busy_workspace_stays_and_a_later_one_is_passivated(store):
    store.peek("a").watchers.add(print)
    WorkingSet(store.inner, 3).turn()
    assert loaded(store) == ["default", "a", "c"]


def test_unsaved_workspaces_are_passivated_later(store, storage):
    working_set = WorkingSet(store.inner, 1)
    storage.is_up_to_date = False
    working_set.turn()
    assert loaded(store) == ["default", "a", "b", "c"]

    storage.is_up_to_date = True
    working_set.turn()
    assert loaded(store) == ["default"]


@pytest.mark.parametrize(("in_s", "is_loaded"), [(-1, True), (3600, False), (None, False)])
def test_after_a_start_what_is_due_is_loaded(store, storage, in_s, is_loaded):
    storage.due["a"] = None if in_s is None else time.time() + in_s
    again = Stepped(small_store(storage))
    WorkingSet(again.inner).turn()
    assert ("a" in loaded(again)) is is_loaded


def test_due_workspaces_are_loaded_in_due_order(store, storage):
    for name, ago in (("a", 1), ("b", 3), ("c", 2)):
        storage.due[name] = time.time() - ago
    again = Stepped(small_store(storage))
    WorkingSet(again.inner).turn()
    assert storage.names == ["default", "b", "c", "a"]


def test_unreadable_workspace_is_logged_once_and_the_others_are_loaded(store, storage, caplog):
    for name in "ab":
        storage.due[name] = 1.0
    storage.damaged["a"] = "it is damaged"
    working_set = WorkingSet(small_store(storage))
    working_set.turn()
    working_set.turn()

    assert [row.message for row in caplog.records] == [
        "timers of workspace a do not fire: workspace a cannot be read: it is damaged"
    ]
    assert storage.names == ["default", "b"]


def test_its_thread_loads_what_becomes_due_and_ends(store, storage):
    storage.due["a"] = time.time() + 0.01
    working_set = WorkingSet(small_store(storage))
    working_set.open()
    try:
        assert storage.has_loaded("a")
    finally:
        working_set.close()
    assert not working_set._thread.is_alive()  # noqa: SLF001  # that it ends is the point


def test_workspace_that_cannot_be_passivated_is_logged_once_and_the_others_leave_the_memory(store, storage, caplog):
    storage.damaged["a"] = "it is too large"
    working_set = WorkingSet(store.inner, 1)
    working_set.turn()
    working_set.turn()

    assert loaded(store) == ["default", "a"]
    assert [row.message for row in caplog.records] == ["workspace a stays in memory: it is too large"]
