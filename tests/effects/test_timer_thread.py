"""The timer thread: due timers of a workspace that cannot be used fire later, and those of others at their time."""

import threading
from datetime import timedelta

import pytest
from memory_storage import MemoryStorage, small_store
from stepped import Stepped, tells

from mockserver.core.effects import NoEffects
from mockserver.core.workspaces import rounds
from mockserver.core.workspaces.rounds import TIMERS
from mockserver.core.workspaces.storage import OutageError, StorageError
from mockserver.effects import timer_thread
from mockserver.effects.timer_thread import TimerThread


class Effects(NoEffects):
    def __init__(self, thread):
        self.watch = thread.watch


class BadTimes(MemoryStorage):
    """A storage in which the first steps of a workspace fail."""

    def __init__(self):
        super().__init__()
        self.errors = []

    def run(self, step):
        if self.errors and threading.current_thread().name == "timer thread":
            raise self.errors.pop()
        return super().run(step)


@pytest.fixture
def storage():
    return BadTimes()


@pytest.fixture
def thread(monkeypatch):
    monkeypatch.setattr(rounds, "AGAIN_S", 0.01)
    monkeypatch.setattr(timer_thread, "AGAIN_S", 0.01)
    found = TimerThread()
    yield found
    found.close()


@pytest.fixture
def store(storage, thread):
    return Stepped(small_store(storage, effects=Effects(thread)))


def caught_up(workspace, monkeypatch):
    """An event that is set when a workspace has caught up with the clock."""
    found, catch_up = threading.Event(), workspace.catch_up

    def watched(*arguments):
        try:
            return catch_up(*arguments)
        finally:
            found.set()

    monkeypatch.setattr(workspace, "catch_up", watched)
    return found


def set_timer(workspace):
    clock, account = workspace.state.clock, workspace.state.first_account
    workspace.set_timer(clock.now() + timedelta(milliseconds=1), account, "sender", 1, "expire")
    workspace.watch()


@pytest.mark.parametrize("error", [StorageError("it is damaged"), OutageError("Redis is away")])
def test_due_timer_fires_later_when_the_workspace_could_not_be_used(store, storage, monkeypatch, error):
    storage.errors += [error, error]
    workspace = store.create(name="a")
    done = caught_up(workspace, monkeypatch)
    set_timer(workspace)
    assert done.wait(30)


def test_due_timers_of_other_workspaces_fire_when_one_cannot_be_used(store, storage, monkeypatch, caplog):
    broken, well = store.create(name="a"), store.create(name="b")
    broken.run = lambda step: storage_is_damaged()
    done = caught_up(well, monkeypatch)
    set_timer(broken)
    set_timer(well)
    assert done.wait(30)
    assert {row.message for row in caplog.records} <= {"timers of workspace a do not fire: it is damaged"}


def storage_is_damaged():
    raise StorageError("it is damaged")


def test_due_workspaces_are_freed_when_they_leave_the_memory_before_their_turn(store, thread, monkeypatch):
    monkeypatch.setattr(thread, "_start", lambda: None)  # this test takes what is due
    set_timer(store.create(name="a"))
    (find,) = thread._late()  # noqa: SLF001  # as above
    assert find().name == "a"
    store.drop(store.get("a"))
    assert find() is None
    thread._catch_up(find)  # noqa: SLF001  # as above


def test_due_timers_do_not_fire_in_a_copy_that_has_left_the_memory(store, storage, thread, monkeypatch):
    monkeypatch.setattr(thread, "_start", lambda: None)  # this test takes what is due
    workspace, is_waiting = store.create(name="a"), threading.Event()
    storage.leave = tells(is_waiting)
    set_timer(workspace)
    (find,) = thread._late()  # noqa: SLF001  # as above
    catching_up = threading.Thread(target=thread._catch_up, args=(find,))  # noqa: SLF001

    def step():
        storage.hold(workspace)
        catching_up.start()
        assert is_waiting.wait(30)
        assert store.passivate("a")

    storage.run(step)
    catching_up.join(30)
    assert workspace.state.timers.count == 1
    assert store.get("a").state.timers.count == 0


def test_a_workspace_that_is_gone_puts_off_no_timers_of_the_next_one_of_its_name(store, thread, monkeypatch):
    monkeypatch.setattr(thread, "_start", lambda: None)  # this test takes what is due
    gone = store.create(name="a")
    set_timer(gone)
    (find,) = thread._late()  # noqa: SLF001  # as above
    store.drop(gone)
    thread._catch_up(find)  # noqa: SLF001  # as above

    assert not thread.rounds.is_put_off(TIMERS("a"))
    assert thread._late() is None  # noqa: SLF001  # as above
