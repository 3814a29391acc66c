"""A file has what changes in workspaces, all of it and once, whatever happens in the meantime."""

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
from load_balancer import until
from memory_storage import WatchedEngine, small_store

from mockserver.core.workspaces.storage import StorageError
from mockserver.core.workspaces.workspace import WorkspaceLimits
from mockserver.resources.registry import PARTS
from mockserver.settings import Settings
from mockserver.storage import background
from mockserver.storage import engine_storage as keeper
from mockserver.storage.background import BackgroundStorage


@pytest.fixture
def make_keeper(tmp_path, monkeypatch):
    """A factory of keepers of one file, each after the one before has ended; a test writes by `save`."""
    monkeypatch.setattr(background, "_PAUSE_S", 3600)
    made = []

    def make():
        for earlier in made:
            earlier.close()
        engine = WatchedEngine(tmp_path / "mock.db", layout="today")
        made.append(BackgroundStorage(engine, parts=PARTS, limits=WorkspaceLimits.of(Settings())))
        made[-1].engine = engine
        return made[-1]

    yield make
    for one in made:
        one.engine.trouble = None
        one.close()


@pytest.fixture
def storage(make_keeper):
    return make_keeper()


@pytest.fixture
def store(storage):
    """A store of which everything is saved."""
    found = small_store(storage)
    found.create(name="other")
    storage.save()
    storage.engine.batches.clear()
    return found


def touch(workspace):
    """Change something in a workspace."""
    with workspace.lock:
        workspace.state.revoked_keys.add(f"key-{len(workspace.state.revoked_keys)}")


def saved_keys(storage, name="default"):
    """How many keys of a workspace are revoked, by what is in the file."""
    return len(storage.load(name).state.revoked_keys)


def test_a_change_is_written_soon(make_keeper, monkeypatch):
    monkeypatch.setattr(background, "_PAUSE_S", 0.01)
    storage = make_keeper()
    touch(small_store(storage).default)
    assert storage.engine.has_written("default")


def test_a_workspace_that_was_only_looked_at_or_loaded_is_not_written(storage, store):
    with store.default.lock:
        pass
    store.passivate("other")
    store.get("other")
    storage.save()
    assert storage.engine.batches == []


def test_a_change_during_a_write_is_written_next(storage, store):
    storage.engine.meanwhile.append(lambda: touch(store.default))
    touch(store.default)
    storage.save()
    storage.save()
    assert saved_keys(storage) == 2


def test_many_workspaces_are_written_in_batches(storage, store, monkeypatch):
    monkeypatch.setattr(background, "_BATCH_BYTES", 1)
    touch(store.default)
    touch(store.get("other"))
    storage.save()
    assert storage.engine.batches == [{"default"}, {"other"}]


def test_a_busy_workspace_is_written_later_and_the_others_now(storage, store, monkeypatch):
    monkeypatch.setattr(background, "_PATIENCE_S", 0.01)
    with ThreadPoolExecutor(1) as pool:
        pool.submit(store.default.lock.acquire).result()
        store.default.state.revoked_keys.add("key")
        touch(store.get("other"))
        storage.save()
        assert (saved_keys(storage), saved_keys(storage, "other")) == (0, 1)
        pool.submit(store.default.lock.release).result()
    storage.save()
    assert saved_keys(storage) == 1


def test_a_workspace_that_cannot_be_encoded_costs_no_other_one(storage, store):
    store.default.snapshots["bad"] = None
    touch(store.default)
    touch(store.get("other"))
    with pytest.raises(StorageError, match="workspace default cannot be written"):
        storage.save()
    assert saved_keys(storage, "other") == 1

    del store.default.snapshots["bad"]
    storage.save()
    assert saved_keys(storage) == 1


@pytest.fixture
def failing(make_keeper, monkeypatch):
    """A keeper whose disk is full from its first write on, and which tries again soon."""
    monkeypatch.setattr(background, "_PAUSE_S", 0.01)
    monkeypatch.setattr(background, "_RETRY_S", 0.01)
    found = make_keeper()
    found.engine.trouble = "the disk is full"
    return found


def test_a_failure_is_the_state_of_the_keeper_until_a_write_succeeds(failing):
    small_store(failing)
    until(lambda: failing.failure == "the disk is full", "the thread writes")
    failing.engine.trouble = None
    until(lambda: failing.failure is None, "the thread writes again")
    assert failing.status().last_failure == "the disk is full"


def test_what_could_not_be_written_is_written_later(storage, store):
    storage.engine.trouble = "the disk is full"
    touch(store.default)
    store.create(name="new")
    store.drop(store.get("other"))
    with pytest.raises(StorageError, match="the disk is full"):
        storage.save()
    storage.engine.trouble = None
    storage.save()
    assert saved_keys(storage) == 1
    assert {row.name for row in storage.outlines()} == {"default", "new"}


def test_changes_that_are_lost_at_the_end_are_logged(storage, store, caplog):
    storage.engine.trouble = "the disk is full"
    touch(store.default)
    assert not storage.close()
    assert "the last changes could not be saved and are lost: the disk is full" in caplog.text


def test_without_a_thread_there_is_no_keeper_and_the_file_is_free(make_keeper, monkeypatch):
    def refuse(self):
        raise RuntimeError("can't start new thread")

    with monkeypatch.context() as patch:
        patch.setattr(threading.Thread, "start", refuse)
        with pytest.raises(StorageError, match="can't start new thread"):
            make_keeper()
    assert make_keeper().outlines() == []


def test_a_forked_process_saves_nothing(storage, store, monkeypatch):
    with monkeypatch.context() as patch:
        patch.setattr(keeper.os, "getpid", lambda: -1)
        assert "forked off" in storage.failure
        assert storage.close()
    assert storage.outlines()  # the process that has opened the file still has it


@pytest.mark.parametrize("is_saved", [True, False])
def test_a_workspace_created_again_under_a_name_has_nothing_of_the_earlier_one(storage, store, is_saved):
    touch(store.get("other"))
    storage.save()
    store.drop(store.get("other"))
    if is_saved:
        storage.save()
    store.create(name="other")
    storage.save()
    assert saved_keys(storage, "other") == 0


def test_a_workspace_dropped_while_it_is_written_is_gone(storage, store):
    found = store.create(name="w")
    storage.engine.meanwhile.append(lambda: store.drop(found))
    storage.save()
    storage.save()
    assert "w" not in {row.name for row in storage.outlines()}


def test_a_workspace_leaves_the_memory_only_when_it_is_saved_and_goes_on_later(storage, store):
    touch(store.get("other"))
    assert not store.passivate("other")
    storage.save()
    assert store.passivate("other")
    touch(store.get("other"))
    storage.save()
    assert saved_keys(storage, "other") == 2


def test_the_next_start_has_the_secrets_and_the_coverage_of_the_earlier_one(make_keeper):
    store = small_store(make_keeper())
    secret = store.storage.secret("signing", lambda: b"first")
    store.default.coverage.answers["op", 200] += 1
    store.reset(store.default)
    store = small_store(make_keeper())
    assert store.storage.secret("signing", lambda: b"second") == secret == b"first"
    assert store.coverage().answers["op", 200] == 1
