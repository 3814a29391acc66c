"""Group commits: the steps of a busy moment are one transaction, in their order; traces are saved a little later."""

import os
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import partial

import pytest
from load_balancer import until
from storage.stepper import WHY, Stepper

from mockserver.core.workspaces.storage import StorageError
from mockserver.core.workspaces.store import NameTakenError
from mockserver.storage import commits, sessions


@pytest.fixture
def server(join_at, store):
    found = join_at(store)
    found.create("other")
    found.engine.writes.clear()
    return found


@pytest.fixture
def held(server):
    """Holds the thread of commits in its next write, within a `with` block."""

    @contextmanager
    def held():
        writes, goes_on = threading.Event(), threading.Event()
        server.engine.meanwhile.append(lambda: (writes.set(), goes_on.wait(30)))
        first = begin(server, partial(server.change, "first"))
        assert writes.wait(30)
        try:
            yield first
        finally:
            goes_on.set()

    return held


def begin(server, step, **options):
    """Begin a step; give what its answer waits for."""
    return server.storage.begin(step, **options)[1]


def saved(saving):
    """Whether a step is saved, after a while."""
    try:
        saving.wait()
    except StorageError:
        return False
    return True


def trace(server, name="default"):
    """Leave a trace in a workspace, as a request does that only reads; give what its answer waits for."""

    def step():
        workspace = server.store.get(name)
        workspace.coverage.answers["op", 200] += 1
        server.ids.append(workspace.ids.request())

    server.ids = getattr(server, "ids", [])
    return begin(server, step, is_read=True)


@contextmanager
def busy(server):
    """Let the default workspace be in use within a `with` block."""
    access = server.store.peek("default").access
    assert access.take()
    yield
    access.give_back()


def test_steps_of_a_busy_moment_are_one_transaction_in_their_order(server, held):
    with held() as first:
        second = begin(server, lambda: (server.change("second"), server.create("new")))
        third = begin(server, partial(server.change, "third", "other"))
        assert not any(future.done() for saving in (first, second, third) for future in saving.futures)
        assert len(server.storage._commits) == 2  # noqa: SLF001  # steps that wait
    assert [saved(saving) for saving in (first, second, third)] == [True] * 3
    assert server.engine.writes == [[{"default"}], [{"default", "new"}, {"other"}]]
    assert (server.kept(), server.kept("other")) == (["first", "second"], ["third"])


def test_a_transaction_has_no_more_bytes_than_one_step_or_the_limit(server, held, monkeypatch):
    monkeypatch.setattr(commits, "_GROUP_BYTES", 1)
    with held():
        savings = [begin(server, partial(server.change, "key", name)) for name in ("other", "default")]
    assert [saved(saving) for saving in savings] == [True] * 2
    assert server.engine.writes == [[{"default"}], [{"other"}], [{"default"}]]


def test_a_failed_transaction_fails_each_of_its_steps_and_their_workspaces_are_read_again(server, held):
    with held() as first:
        savings = [begin(server, partial(server.change, "lost", name)) for name in ("default", "other")]
        created = begin(server, lambda: server.create("new", key="key of new"))
        removed = begin(server, lambda: server.drop("other"))
        assert (server.names(), server.store.knows("key of new")) == ({"default", "new"}, True)
        server.engine.meanwhile.append(lambda: setattr(server.engine, "trouble", WHY))
        begin(server, partial(server.change, "lost, too"))
    for saving in (*savings, created, removed):
        with pytest.raises(StorageError, match=WHY):
            saving.wait()
    server.engine.trouble = None
    assert not saved(first)  # it was under way when the disk was full
    assert (server.names(), server.store.knows("key of new")) == ({"default", "other"}, False)
    assert (server.revoked(), server.revoked("other")) == ([], [])
    server.create("new")
    server.change("kept", "other")
    assert (server.kept("new"), server.kept("other")) == ([], ["kept"])


def test_a_step_upon_one_that_is_lost_is_lost_though_the_store_is_back(server, held, monkeypatch):
    monkeypatch.setattr(commits, "_GROUP_BYTES", 1)
    with held() as first:
        server.engine.trouble = WHY
        upon = begin(server, lambda: (server.change("upon it"), server.create("new")))
        lose = server.storage._commits._lost  # noqa: SLF001  # called between the two transactions
        server.storage._commits._lost = lambda commit: (setattr(server.engine, "trouble", None), lose(commit))  # noqa: SLF001
    with pytest.raises(StorageError, match=WHY):
        first.wait()
    with pytest.raises(StorageError, match="what this builds on could not be saved"):
        upon.futures[-1].result()
    assert server.revoked() == []


@pytest.mark.parametrize("is_saved", [True, False])
def test_a_read_of_what_is_not_saved_yet_waits_for_it(server, held, is_saved):
    with held() as first:
        read, beside = trace(server), trace(server, "other")
        assert beside is None
        assert not read.futures[0].done()
        server.engine.trouble = None if is_saved else WHY
    assert (saved(first), saved(read)) == (is_saved, is_saved)


def test_a_look_at_a_change_that_is_lost_is_repeated(server, held):
    looks = threading.Event()

    def look():
        looks.set()
        return sorted(server.store.get("default").state.revoked_keys)

    with ThreadPoolExecutor(1) as pool:
        with held() as first:
            server.engine.trouble = WHY
            found = pool.submit(server.storage.run, look, is_read=True)
            assert looks.wait(30)
        assert not saved(first)
        assert found.result(30) == []


def test_traces_are_saved_soon_and_nobody_waits_for_them(server, monkeypatch):
    monkeypatch.setattr(commits, "TRACES_S", 0.01)
    assert trace(server) is None
    assert server.engine.has_written("default")
    assert server.storage.copy("default").coverage.answers["op", 200] == 1


def test_traces_are_saved_with_the_next_change_or_at_the_end(server, join_at, store, monkeypatch):
    monkeypatch.setattr(commits, "TRACES_S", 3600)
    for name in ("default", "other"):
        trace(server, name)
    server.change("key")
    assert server.storage.copy("default").coverage.answers["op", 200] == 1
    assert server.storage.copy("other").coverage.answers["op", 200] == 0
    assert server.storage.status().waiting == 1
    assert server.close()
    assert join_at(store).storage.copy("other").coverage.answers["op", 200] == 1


def test_an_end_waits_for_a_busy_workspace_not_for_long_and_tells_what_is_lost(server, monkeypatch, caplog):
    monkeypatch.setattr(commits, "TRACES_S", 3600)
    monkeypatch.setattr(commits, "_PATIENCE_S", 0.01)
    trace(server)
    trace(server, "other")
    with busy(server):
        assert not server.close()
    assert "the last traces could not be saved and are lost" in caplog.text


def end_at_once(server):
    """End as a killed process does."""
    server.engine._connection.close()  # noqa: SLF001


def end_while_busy(server):
    with busy(server):
        server.close()


def end_while_full(server):
    server.engine.trouble = WHY
    server.close()


@pytest.mark.parametrize("end", [end_at_once, end_while_busy, end_while_full])
def test_ids_are_new_after_traces_were_lost_even_if_the_workspace_is_not_used_by_the_next_server(
    server, join_at, store, monkeypatch, end
):
    monkeypatch.setattr(commits, "TRACES_S", 3600)
    monkeypatch.setattr(commits, "_PATIENCE_S", 0.01)
    for name in ("default", "other"):
        trace(server, name)
    end(server)
    join_at(store).close()
    later = Stepper(store)
    for name in ("default", "other"):
        trace(later, name)
    assert later.close()
    assert set(server.ids).isdisjoint(later.ids)


def test_ids_are_new_after_an_end_before_which_nothing_could_be_saved_for_long(server, join_at, store):
    def ids(server):
        def step():
            return {server.store.default.ids.request() for _ in range(100_000)}

        return server.storage.begin(step, is_read=True)[0]

    server.engine.trouble = WHY
    given = ids(server)
    end_at_once(server)
    assert given.isdisjoint(ids(join_at(store)))


def test_ids_go_on_after_an_orderly_end(server, join_at, store):
    trace(server)
    assert server.close()
    later = join_at(store)
    assert later.run(lambda: later.store.default.ids.positions["request"]) == 1


def test_ids_of_a_failed_step_are_given_to_no_other_request(server, join_at, store):
    trace(server)
    server.engine.trouble = WHY
    with pytest.raises(StorageError):
        server.change("lost")
    server.engine.trouble = None
    assert server.storage.close()
    later = join_at(store)
    trace(later)
    assert server.ids != later.ids


def test_a_look_needs_no_write_after_a_step_has_failed(server):
    trace(server)
    server.engine.trouble = WHY
    with pytest.raises(StorageError):
        server.change("lost")
    assert server.revoked() == []


def test_a_workspace_leaves_the_memory_only_when_it_is_saved(server, monkeypatch, held):
    monkeypatch.setattr(commits, "TRACES_S", 3600)
    trace(server, "other")
    assert not server.store.passivate("other")
    with held():
        change = begin(server, partial(server.change, "key", "other"))
        assert not server.storage.begin(partial(server.store.passivate, "other"))[0]
    change.wait()
    until(lambda: server.store.passivate("other"), "its traces are saved")
    assert server.revoked("other") == ["key"]


def test_a_workspace_that_was_only_looked_at_or_loaded_is_not_written(server):
    server.revoked()
    assert server.store.passivate("other")
    server.revoked("other")
    assert server.engine.writes == []


def test_without_a_thread_there_is_no_storage_and_the_file_is_free(join_at, store, monkeypatch):
    def refuse(self):
        raise RuntimeError("can't start new thread")

    with monkeypatch.context() as patch:
        patch.setattr(threading.Thread, "start", refuse)
        with pytest.raises(StorageError, match="can't start new thread"):
            Stepper(store)
    assert join_at(store).names() == {"default"}


def test_a_forked_process_saves_nothing(server, monkeypatch):
    with monkeypatch.context() as patch:
        patch.setattr(os, "getpid", lambda: -1)
        assert "forked off" in server.storage.failure
        with pytest.raises(StorageError, match="forked off"):
            server.change("lost")
        assert server.close()
    server.change("kept")  # the process that has opened the file still has it
    assert server.kept() == ["kept"]


@pytest.mark.parametrize("is_saved", [True, False])
def test_a_workspace_created_again_under_a_name_has_nothing_of_the_earlier_one(server, held, is_saved):
    server.change("early", "other")
    if is_saved:
        server.drop("other")
        server.create("other")
    else:
        with held():
            savings = [begin(server, partial(act, "other")) for act in (server.drop, server.create)]
        assert [saved(saving) for saving in savings] == [True, True]
    assert server.kept("other") == []
    with pytest.raises(NameTakenError):
        server.create("other")


@pytest.fixture
def back_after(server, monkeypatch):
    """Lets each step be a transaction of its own, and the store be back after the loss of the first about `other`."""

    def back_after():
        monkeypatch.setattr(commits, "_GROUP_BYTES", 1)
        found = server.storage._commits  # noqa: SLF001
        lose = found._lost  # noqa: SLF001  # called between two transactions

        def lost(commit):
            lose(commit)
            if "other" in commit.lost:
                server.engine.trouble = None

        found._lost = lost  # noqa: SLF001

    return back_after


@pytest.mark.parametrize("is_back_between", [False, True])
def test_a_workspace_that_could_not_be_removed_and_created_again_stays(server, held, back_after, is_back_between):
    server.change("kept", "other")
    if is_back_between:
        back_after()
    with held():
        savings = [begin(server, partial(act, "other")) for act in (server.drop, server.create)]
        server.engine.trouble = WHY
    assert [saved(saving) for saving in savings] == [False, False]
    server.engine.trouble = None
    assert server.names() == {"default", "other"}
    assert server.kept("other") == server.revoked("other") == ["kept"]
    server.change("later", "other")
    assert server.kept("other") == ["kept", "later"]


def test_a_workspace_that_could_not_be_created_is_not_there_though_its_removal_failed(server, held):
    with held():
        savings = [begin(server, partial(act, "new")) for act in (server.create, server.drop)]
        server.engine.trouble = WHY
    assert [saved(saving) for saving in savings] == [False, False]
    server.engine.trouble = None
    assert server.names() == {"default", "other"}
    server.create("new")
    assert server.kept("new") == []


def test_a_workspace_is_not_created_again_before_its_removal_is_on_its_way(server, monkeypatch):
    monkeypatch.setattr(sessions, "_MOST_TRIES", 1)
    refused = []

    def create():
        with pytest.raises(StorageError):
            server.create("other")
        refused.append(True)

    def step():
        server.drop("other")
        creating = threading.Thread(target=create)
        creating.start()
        creating.join()

    server.run(step)
    assert refused
    server.create("other")
    assert server.kept("other") == []
