"""What changes in workspaces is written, all of it and once, whatever happens meanwhile."""

import threading

import pytest
from shelf import small_store

from mockserver.core.workspaces.keeping import KeepingError
from mockserver.core.workspaces.origin import WorkspaceLimits
from mockserver.resources.registry import PARTS
from mockserver.settings import Settings
from mockserver.storage import encoding
from mockserver.storage.keeper import Keeper
from mockserver.storage.records.layout import layout
from mockserver.storage.sqlite import Engine, EngineError

#: How long a test waits for a thread, in seconds; far above the half second that a write waits.
TIMEOUT_S = 30


class WatchedEngine(Engine):
    """An engine that counts its writes, does `meanwhile` once in the next, and fails while `trouble` says why."""

    trouble = None

    def __init__(self, *arguments, **options):
        super().__init__(*arguments, **options)
        self.batches = []
        self.written = threading.Condition()
        self.meanwhile = []

    def write(self, batch):
        if self.trouble is not None:
            raise EngineError(self.trouble)
        while self.meanwhile:
            self.meanwhile.pop()()
        super().write(batch)
        with self.written:
            self.batches.append({outline.name for outline, _ in batch.workspaces})
            self.written.notify_all()

    def has_written(self, name):
        """Whether a workspace is written; waits for that."""
        with self.written:
            return self.written.wait_for(lambda: any(name in batch for batch in self.batches), TIMEOUT_S)


@pytest.fixture
def make_keeper(tmp_path):
    """A factory of keepers with the same file, each after the one before has ended."""
    made = []

    def make(*, waits=True):
        for earlier in made:
            earlier.close()
        engine = WatchedEngine(tmp_path / "mock.db", layout=layout())
        made.append(Keeper(engine, parts=PARTS, limits=WorkspaceLimits.of(Settings()), waits=waits))
        made[-1].engine = engine
        return made[-1]

    yield make
    for keeper in made:
        keeper.engine.trouble = None
        keeper.close()


@pytest.fixture
def keeper(make_keeper):
    return make_keeper()


@pytest.fixture
def store(keeper):
    """A store of which all is written."""
    found = small_store(keeper)
    keeper.settle()
    keeper.engine.batches.clear()
    return found


def touch(workspace):
    """Change something in a workspace."""
    with workspace.lock:
        workspace.state.revoked_keys.add(f"key-{len(workspace.state.revoked_keys)}")


def kept_keys(keeper, name="default"):
    """How many keys of a workspace are refused, by what is in the file."""
    return len(keeper.load(name).state.revoked_keys)


def in_thread(act):
    """Do something as another request would."""
    thread = threading.Thread(target=act)
    thread.start()
    thread.join()


# ---------------------------------------------------------------------- what is written, and when


def test_what_changes_is_written_soon_although_nobody_waits_for_it(make_keeper):
    keeper = make_keeper(waits=False)
    store = small_store(keeper)
    touch(store.default)
    assert keeper.engine.has_written("default")


def test_what_a_thread_has_changed_is_written_once_it_has_settled(keeper, store):
    touch(store.default)
    keeper.settle()
    assert kept_keys(keeper) == 1


def test_a_thread_that_has_changed_nothing_waits_for_nothing(keeper, store):
    keeper.engine.trouble = "the disk is full"
    keeper.settle()
    assert keeper.status().failed == 0


def test_nobody_waits_for_what_is_written_in_the_background(make_keeper):
    keeper = make_keeper(waits=False)
    store = small_store(keeper)
    keeper.engine.trouble = "the disk is full"
    touch(store.default)
    keeper.settle()


def test_a_workspace_that_was_only_looked_at_is_not_written(keeper, store):
    with store.default.lock:
        pass
    keeper.settle()
    assert keeper.engine.batches == []


def test_what_changes_while_it_is_written_is_written_next(keeper, store):
    keeper.engine.meanwhile.append(lambda: touch(store.default))
    touch(store.default)
    keeper.settle()
    with store.default.lock:
        pass
    keeper.settle()
    assert kept_keys(keeper) == 2


def test_many_workspaces_are_written_in_batches(keeper, store, monkeypatch):
    monkeypatch.setattr(encoding, "_BATCH_BYTES", 1)
    for name in "abc":
        store.create(name=name)
    keeper.settle()
    assert {frozenset(batch) for batch in keeper.engine.batches} >= {frozenset(name) for name in "abc"}


def test_one_whose_lock_is_held_is_written_later_and_others_now(keeper, store, monkeypatch):
    monkeypatch.setattr(encoding, "_PATIENCE_S", 0.01)
    other = store.create(name="other")
    keeper.settle()
    held, release = threading.Event(), threading.Event()

    def hold():
        with store.default.lock:
            held.set()
            release.wait(TIMEOUT_S)
            store.default.state.revoked_keys.add("key")

    thread = threading.Thread(target=hold)
    thread.start()
    assert held.wait(TIMEOUT_S)
    touch(other)
    keeper.settle()
    assert kept_keys(keeper, "other") == 1
    release.set()
    thread.join()
    touch(other)
    keeper.settle()
    assert kept_keys(keeper) == 1


def test_who_has_changed_one_whose_lock_is_held_waits_for_it(keeper, store, monkeypatch):
    monkeypatch.setattr(encoding, "_PATIENCE_S", 0.01)
    other = store.create(name="other")
    keeper.settle()
    changed, go_on, seen = threading.Event(), threading.Event(), []

    def change():
        touch(store.default)
        changed.set()
        go_on.wait(TIMEOUT_S)
        keeper.settle()
        seen.append(kept_keys(keeper))

    def change_another():
        touch(other)
        keeper.settle()

    thread = threading.Thread(target=change)
    thread.start()
    assert changed.wait(TIMEOUT_S)
    with store.default.lock:
        go_on.set()
        for _ in range(2):
            in_thread(change_another)
    thread.join()
    assert seen == [1]


def test_one_that_cannot_be_written_keeps_no_other_from_it(keeper, store):
    other = store.create(name="other")
    keeper.settle()
    store.default.snapshots["bad"] = None
    touch(store.default)
    touch(other)
    with pytest.raises(KeepingError, match="workspace default cannot be written"):
        keeper.settle()
    assert kept_keys(keeper, "other") == 1

    del store.default.snapshots["bad"]
    touch(store.default)
    keeper.settle()
    assert kept_keys(keeper) == 2


# ---------------------------------------------------------------------- failures


def test_while_nothing_can_be_written_that_is_told(keeper, store):
    keeper.engine.trouble = "the disk is full"
    touch(store.default)
    with pytest.raises(KeepingError, match="the disk is full"):
        keeper.settle()
    assert keeper.failure == "the disk is full"
    assert keeper.status().waiting == 1


def test_what_could_not_be_written_is_written_when_that_goes_again(keeper, store):
    keeper.engine.trouble = "the disk is full"
    other = store.create(name="other")
    touch(store.default)
    with pytest.raises(KeepingError):
        keeper.settle()
    keeper.engine.trouble = None
    assert keeper.engine.has_written("other")
    touch(other)
    keeper.settle()
    assert keeper.failure is None
    assert keeper.status().last_failure == "the disk is full"
    assert kept_keys(keeper) == 1


def test_a_workspace_dropped_while_nothing_can_be_written_is_gone_later(keeper, store):
    other = store.create(name="other")
    keeper.settle()
    keeper.engine.trouble = "the disk is full"
    store.drop(other)
    with pytest.raises(KeepingError):
        keeper.settle()
    keeper.engine.trouble = None
    touch(store.default)
    keeper.settle()
    assert [outline.name for outline in keeper.outlines()] == ["default"]


def test_what_could_not_be_written_at_the_end_is_told_in_the_log(keeper, store, caplog):
    keeper.engine.trouble = "the disk is full"
    touch(store.default)
    assert not keeper.close()
    assert "the last changes could not be saved and are lost: the disk is full" in caplog.text


def test_without_a_thread_there_is_no_keeper_and_the_file_is_free(make_keeper, monkeypatch):
    def refuse(self):
        raise RuntimeError("can't start new thread")

    with monkeypatch.context() as patch:
        patch.setattr(threading.Thread, "start", refuse)
        with pytest.raises(KeepingError, match="can't start new thread"):
            make_keeper()
    assert make_keeper().outlines() == []


def test_a_process_that_was_forked_off_keeps_nothing(keeper, store, monkeypatch):
    with monkeypatch.context() as patch:
        patch.setattr("mockserver.storage.keeper.os.getpid", lambda: -1)
        touch(store.default)
        assert "forked off" in keeper.failure
        with pytest.raises(KeepingError, match="forked off"):
            keeper.settle()
        keeper.close()
    assert keeper.outlines()  # the process that has opened the file has it still


# ---------------------------------------------------------------------- workspaces that come and go


@pytest.mark.parametrize("is_settled", [True, False])
def test_a_workspace_made_anew_under_a_name_has_nothing_of_the_earlier_one(keeper, store, is_settled):
    touch(store.create(name="w"))
    keeper.settle()
    store.drop(store.get("w"))
    if is_settled:
        keeper.settle()
    store.create(name="w")
    keeper.settle()
    assert kept_keys(keeper, "w") == 0


def test_one_that_is_dropped_while_it_is_written_is_gone(keeper, store):
    found = store.create(name="w")
    keeper.engine.meanwhile.append(lambda: store.drop(found))
    keeper.settle()
    touch(store.default)
    keeper.settle()
    assert "w" not in {outline.name for outline in keeper.outlines()}


def test_one_may_rest_only_when_all_of_it_is_written(keeper, store):
    store.create(name="w")
    assert not store.rest("w")
    keeper.settle()
    assert store.rest("w")


def test_one_that_has_rested_is_as_it_was_and_goes_on(keeper, store):
    touch(store.create(name="w"))
    keeper.settle()
    store.rest("w")
    touch(store.get("w"))
    keeper.settle()
    assert kept_keys(keeper, "w") == 2


def test_one_that_was_loaded_is_not_written_before_it_changes(keeper, store):
    store.create(name="w")
    keeper.settle()
    store.rest("w")
    keeper.engine.batches.clear()
    store.get("w")
    keeper.settle()
    assert keeper.engine.batches == []


def test_another_start_has_the_secrets_and_the_coverage_of_the_earlier_one(make_keeper):
    store = small_store(make_keeper())
    secret = store.keeping.secret("signing", lambda: b"first")
    store.default.coverage.answers["op", 200] += 1
    store.reset(store.default)
    store = small_store(make_keeper())
    assert store.keeping.secret("signing", lambda: b"second") == secret
    assert store.coverage().answers["op", 200] == 1
