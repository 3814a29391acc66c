"""Steps of several servers on one store: each runs on the newest state, and is saved as a whole or not at all."""

import contextlib
import gc
import threading
import weakref
from contextlib import ExitStack

import pytest
from load_balancer import until
from memory_storage import small_store

from mockserver.core.workspaces import rounds, shared_store
from mockserver.core.workspaces.lifecycle import settle
from mockserver.core.workspaces.storage import MissingError, StorageError
from mockserver.core.workspaces.store import NameTakenError, StoreFullError
from mockserver.core.workspaces.workspace import WorkspaceLimits
from mockserver.resources.registry import PARTS
from mockserver.settings import Settings
from mockserver.storage import sessions
from mockserver.storage.engine import Batch, EngineError
from mockserver.storage.redis_engine import Engine
from mockserver.storage.sessions import SessionStorage
from mockserver.storage.sqlite_engine import Engine as FileEngine
from mockserver.storage.working_set import SharedWorkingSet

LIMITS = WorkspaceLimits.of(Settings())


class Server:
    """One of several servers on a store, without HTTP."""

    def __init__(self, storage, **options):
        self.storage = storage
        self.store = small_store(storage, **options)

    def run(self, step):
        return self.storage.run(step)

    def revoke(self, key, name="default"):
        """Change a workspace, in a step of its own."""

        def step():
            workspace = self.store.get(name)
            with workspace.lock:
                workspace.revoke_key(key)

        self.run(step)

    def revoked(self, name="default"):
        def step():
            workspace = self.store.get(name)
            with workspace.lock:
                return sorted(workspace.state.revoked_keys)

        return self.run(step)

    def create(self, name, **options):
        self.run(lambda: self.store.create(name=name, **options))

    def names(self):
        return set(self.store.names())


@pytest.fixture
def join(redis_server):
    """A factory of servers on one store."""
    with ExitStack() as opened:

        def join(**options):
            storage = SessionStorage(Engine(redis_server.url(), layout="today"), parts=PARTS, limits=LIMITS)
            opened.callback(storage.close)
            return Server(storage, **options)

        yield join


@pytest.fixture
def one(join):
    return join()


@pytest.fixture
def other(join, one):
    return join()


def test_change_by_one_server_is_visible_at_the_other(one, other):
    one.revoke("a")
    other.revoke("b")
    assert one.revoked() == other.revoked() == ["a", "b"]


def test_a_step_that_was_overtaken_runs_again_on_the_newer_state(one, other):
    runs = []

    def step():
        workspace = one.store.get("default")
        if not runs:
            other.revoke("theirs")
        runs.append(sorted(workspace.state.revoked_keys))
        workspace.revoke_key("ours")

    one.run(step)
    assert runs == [[], ["theirs"]]
    assert other.revoked() == ["ours", "theirs"]


def test_servers_in_conflict_take_turns(one, other, monkeypatch):
    monkeypatch.setattr(sessions, "_IN_TURN", 1)
    in_turn = []

    def step():
        workspace = one.store.get("default")
        in_turn.append(not other.storage._shared.order("default"))  # noqa: SLF001  # whether `one` has the lock
        if len(in_turn) == 1:
            other.storage._shared.let_go("default")  # noqa: SLF001
            other.revoke("theirs")
        workspace.revoke_key("ours")

    one.run(step)
    assert in_turn == [False, True]


def test_a_long_step_is_saved_though_short_ones_of_another_server_never_end(one, other):
    over, runs = threading.Event(), []

    def hurry():
        while not over.is_set():
            other.revoke(f"theirs {len(runs)}")

    def step():
        workspace = one.store.get("default")
        before = len(runs)
        runs.append(1)
        over.wait(0.05)  # many of the short ones
        workspace.revoke_key(f"ours {before}")

    thread = threading.Thread(target=hurry)
    thread.start()
    try:
        one.run(step)
    finally:
        over.set()
        thread.join()
    assert len(runs) <= 4


def test_a_saved_step_succeeds_though_its_turn_cannot_be_given_back(one, other, monkeypatch):
    def fail(name):
        raise EngineError("Redis is away")

    monkeypatch.setattr(sessions, "_IN_TURN", 1)
    monkeypatch.setattr(one.storage._engine, "let_go", fail)  # noqa: SLF001
    runs = []

    def step():
        workspace = one.store.get("default")
        if not runs:
            other.revoke("theirs")
        runs.append(workspace.revoke_key("ours"))

    one.run(step)
    assert other.revoked() == ["ours", "theirs"]


def test_a_step_that_is_always_overtaken_is_refused(one, other, monkeypatch):
    monkeypatch.setattr(sessions, "_MOST_TRIES", 3)
    runs = []

    def step():
        workspace = one.store.get("default")
        other.revoke(f"theirs {len(runs)}")
        runs.append(workspace.revoke_key("ours"))

    with pytest.raises(StorageError, match="workspace default is changed by other servers all the time; send"):
        one.run(step)
    assert len(runs) == 3
    assert "ours" not in other.revoked()


def test_a_step_that_fails_leaves_nothing(one, other):
    def step():
        one.store.get("default").revoke_key("ours")
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        one.run(step)
    assert one.revoked() == other.revoked() == []


def test_changes_that_cannot_be_saved_are_forgotten(one, other, monkeypatch):
    def fail(batch):
        raise EngineError("Redis is away")

    with monkeypatch.context() as patch:
        patch.setattr(one.storage._engine, "write", fail)  # noqa: SLF001
        with pytest.raises(StorageError, match="Redis is away"):
            one.revoke("ours")
    assert one.revoked() == other.revoked() == []
    assert one.storage.status().last_failure == "Redis is away"


def test_an_effect_that_fails_costs_no_other_one(one, caplog):
    effects = []

    def step():
        one.storage.after(lambda: 1 / 0)
        one.storage.after(lambda: effects.append("called"))

    one.run(step)
    assert effects == ["called"]
    assert "an effect of a saved step has failed" in caplog.text


def test_transitions_of_a_step_that_was_overtaken_are_collected_once(one, other):
    changes = one.run(lambda: one.store.get("default").collect_changes())
    runs = []

    def step():
        workspace = one.store.get("default")
        if not runs:
            other.revoke("theirs")
        runs.append(1)
        changes.append("a transition")
        workspace.revoke_key("ours")

    one.run(step)
    assert changes == ["a transition"]


def test_steps_that_open_workspaces_in_opposite_order_both_succeed(one, monkeypatch):
    monkeypatch.setattr(sessions, "_SHORT_PATIENCE_S", 0.02)
    one.create("w")
    both = threading.Barrier(2)

    def work(names):
        runs = []

        def step():
            for name in names:
                workspace = one.store.get(name)
                if not runs:
                    runs.append(both.wait(30))
                workspace.revoke_key(names[0])

        one.run(step)

    threads = [threading.Thread(target=work, args=(names,)) for names in (["default", "w"], ["w", "default"])]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    assert one.revoked() == one.revoked("w") == ["default", "w"]


def test_a_workspace_is_used_in_steps_only(one):
    workspace = one.run(lambda: one.store.get("default"))
    with pytest.raises(AssertionError, match="used in steps only"):
        workspace.lock.acquire()


def test_a_workspace_created_at_one_server_is_found_by_name_and_key_at_the_other(one, other):
    one.create("w", key="key of w")
    assert other.run(lambda: other.store.find("key of w"))[0].name == "w"
    assert other.names() == {"default", "w"}


def test_a_name_is_taken_at_all_servers(one, other):
    one.create("w")
    with pytest.raises(NameTakenError):
        other.create("w")


def test_of_two_servers_that_create_a_name_at_once_one_does(one, other):
    def step():
        one.store.create(name="w")
        other.create("w")

    with pytest.raises(NameTakenError):
        one.run(step)
    assert one.names() == {"default", "w"}


def test_a_workspace_removed_at_one_server_is_gone_at_the_other(one, other):
    one.create("w", key="key of w")
    other.revoke("a", "w")
    one.run(lambda: one.store.drop(one.store.get("w")))
    assert other.run(lambda: other.store.get("w")) is None
    assert not other.store.knows("key of w")
    assert other.run(lambda: other.store.why_gone("w")) == "dropped"


def test_a_removal_that_was_not_saved_did_not_happen(one, other):
    one.create("w")

    def step():
        one.store.drop(one.store.get("w"))
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        one.run(step)
    one.revoke("a", "w")
    assert other.revoked("w") == ["a"]


def test_a_copy_that_left_the_memory_is_read_again(one, other):
    one.revoke("a")
    assert one.store.passivate("default")
    assert one.store.peek("default") is None
    other.revoke("b")
    assert one.revoked() == ["a", "b"]


def test_the_limit_counts_the_workspaces_of_all_servers(join):
    one, other = join(limit=2), join(limit=2)
    one.create("old")
    other.create("new")
    assert one.names() == {"default", "new"}
    assert one.run(lambda: one.store.why_gone("old")) == "evicted"


def test_a_workspace_in_use_is_not_evicted(join):
    one = join(limit=2)
    one.create("old")
    one.store.peek("old").watchers.add(lambda: None)
    with pytest.raises(StoreFullError):
        one.create("new")
    assert one.names() == {"default", "old"}


def test_the_store_that_was_emptied_is_used_again(one, other, redis_server):
    one.revoke("a")
    redis_server.command("FLUSHALL")
    other.run(lambda: other.store.default)
    other.revoke("b")
    assert one.revoked() == ["b"]


def test_coverage_is_that_of_all_servers_and_of_workspaces_that_are_gone(one, other):
    def meet(server, name):
        server.run(lambda: server.store.get(name).coverage.answers.__setitem__(("op", 200), 1))

    one.create("w")
    for server, name in [(one, "w"), (other, "default")]:
        meet(server, name)
    one.run(lambda: one.store.drop(one.store.get("w")))
    assert other.store.coverage().answers["op", 200] == 2
    other.run(other.store.clear_coverage)
    assert one.store.coverage().answers["op", 200] == 0


def test_stored_secret_is_drawn_once_for_all_servers(one, other):
    assert one.storage.secret("key") is None
    assert one.storage.secret("key", lambda: b"first") == other.storage.secret("key", lambda: b"second") == b"first"


@pytest.fixture
def alone(tmp_path):
    """A server that saves each step in a file."""
    storage = SessionStorage(FileEngine(tmp_path / "store.db", layout="today"), parts=PARTS, limits=LIMITS)
    yield Server(storage)
    storage.close()


def test_with_a_file_every_step_is_saved_when_it_returns_and_one_that_fails_leaves_nothing(alone):
    def step():
        alone.revoke("ours")
        alone.store.create(name="w")
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        alone.run(step)
    assert (alone.revoked(), alone.names()) == ([], {"default"})
    alone.create("w")
    alone.revoke("a")
    assert alone.storage.load("default").state.revoked_keys == {"a"}


def copies(server):
    """The names of the workspaces in a server's memory, but for the default one."""
    return {workspace.name for workspace in server.store.loaded()} - {"default"}


@pytest.fixture
def keep_three():
    """Creates three workspaces at a server; gives its working set, of which none stays in memory."""

    def keep(server):
        for name in "abc":
            server.create(name)
        assert copies(server) == {"a", "b", "c"}
        return SharedWorkingSet(server.store, 0)

    return keep


def passivate_all(server):
    for name in "abc":
        assert server.store.passivate(name)


def drop_all(server):
    for name in "abc":
        server.run(lambda name=name: server.store.drop(server.store.get(name)))


def evict_all(server):
    server.store._limit = 4  # noqa: SLF001  # the setting of this server
    for number in range(3):
        server.create(f"new{number}")


@pytest.mark.parametrize("remove_all", [drop_all, evict_all])
def test_copies_of_workspaces_that_another_server_removed_are_forgotten(one, other, keep_three, caplog, remove_all):
    working_set = keep_three(one)
    remove_all(other)
    caplog.clear()
    working_set.turn()

    assert copies(one) == set()
    assert caplog.records == []


def forget_all(server):
    """Let the server hear that others have removed the workspaces."""
    server.storage._engine.write(Batch(removed=dict.fromkeys("abc", "*")))  # noqa: SLF001  # as another server does
    for name in "abc":
        server.store.heard(name, is_removed=True)


@pytest.mark.parametrize("lose_all", [passivate_all, drop_all, forget_all])
def test_copies_that_left_the_memory_are_freed_at_once(one, keep_three, lose_all):
    keep_three(one)
    find = [weakref.ref(workspace) for workspace in one.store.loaded() if workspace.name != "default"]
    gc.disable()  # it is to need no collection
    try:
        lose_all(one)
        assert [workspace() for workspace in find] == [None] * 3
    finally:
        gc.enable()


def test_step_that_keeps_a_copy_which_has_left_the_memory_is_told_so(one, keep_three):
    keep_three(one)
    workspace, runs = one.store.peek("a"), []

    def step():
        runs.append(1)
        with workspace.lock:
            pass

    passivate_all(one)
    with pytest.raises(MissingError, match="has left the memory of this server"):
        one.run(step)
    assert len(runs) < 5


def test_copy_is_forgotten_as_soon_as_another_server_removes_the_workspace(one, other, keep_three):
    working_set = keep_three(one)
    working_set._most = 100  # noqa: SLF001  # so that none is passivated
    one.store.peek("a").watchers.add(print)
    working_set.open()
    try:
        until(lambda: other.revoke("key", "a") or one.store.peek("a").state.revoked_keys == {"key"}, "it listens")
        drop_all(other)
        until(lambda: copies(one) == set(), "they are forgotten")
    finally:
        working_set.close()


def test_removed_workspace_is_not_unreadable_any_more(one, other, damage):
    one.create("a")
    damage("a")
    with pytest.raises(StorageError):
        other.run(lambda: other.store.get("a"))
    assert set(other.store.unreadable()) == {"a"}

    one.run(lambda: one.store.discard("a"))
    assert other.run(lambda: other.store.get("a")) is None
    assert other.store.unreadable() == {}


@pytest.fixture
def damage(redis_server):
    """Damages a workspace in the store, so that no server can read it."""

    def damage(name):
        redis_server.command(f"HSET mockserver:data:{name} p:state nonsense version 9-n")
        redis_server.command(f"DEL mockserver:history:{name}")

    return damage


@pytest.fixture
def make_due(redis_server):
    """Lets timers of workspaces be due, in the order of their names."""

    def due(names):
        for at, name in enumerate(names):
            redis_server.command(f"ZADD mockserver:due {at} {name}")

    return due


def test_damaged_workspace_that_is_due_costs_no_other_one_and_is_logged_once(one, join, damage, make_due, caplog):
    for name in "abcd":
        one.create(name)
    damage("b")
    make_due("abcd")
    later = join()
    caplog.clear()
    later.store.look_after()
    later.store.look_after()

    assert copies(later) == {"a", "c", "d"}
    assert one.storage.due(9) == ["b"]
    (line,) = caplog.records
    assert line.message.startswith("timers of workspace b do not fire: workspace b cannot be loaded: ")


def test_damaged_workspaces_that_are_due_are_as_many_as_one_round_takes(one, join, damage, make_due, monkeypatch):
    monkeypatch.setattr(shared_store, "_DUE_AT_ONCE", 2)
    for name in "abcd":
        one.create(name)
    damage("a")
    damage("b")
    make_due("abcd")
    later = join()
    later.store.look_after()
    later.store.look_after()
    assert copies(later) == {"c", "d"}


def test_workspace_that_was_damaged_fires_its_timers_when_it_is_mended(one, join, make_due, redis_server, monkeypatch):
    monkeypatch.setattr(rounds, "AGAIN_S", 0.0)
    one.create("a")
    make_due("a")
    later = join()
    redis_server.command("RENAME mockserver:data:a aside")
    redis_server.command("HSET mockserver:data:a p:state nonsense version 9-n")
    later.store.look_after()
    assert copies(later) == set()
    redis_server.command("RENAME aside mockserver:data:a")
    later.store.look_after()
    assert (copies(later), one.storage.due(9)) == ({"a"}, [])


def test_damaged_copy_that_is_watched_or_passivated_costs_no_other_one(one, other, keep_three, damage, caplog):
    working_set = keep_three(one)
    one.store.peek("b").watchers.add(lambda: None)
    damage("a")
    damage("b")
    for _ in range(2):
        working_set.turn()

    assert copies(one) == {"a", "b"}
    assert sorted(row.message.partition(":")[0] for row in caplog.records) == [
        "workspace a stays in memory", "workspace b is not up to date"
    ]  # fmt: skip


def test_coverage_of_a_damaged_workspace_stays_and_that_of_the_others_is_cleared(one, damage, caplog):
    for name in "ab":
        one.create(name)
        one.run(lambda name=name: one.store.get(name).coverage.answers.update({("getAccount", 200): 1}))
    damage("a")
    one.run(one.store.clear_coverage)
    assert not one.run(lambda: one.store.get("b")).coverage.answers
    assert [row.message.partition(":")[0] for row in caplog.records] == ["coverage of workspace a stays"]


def test_outage_is_logged_once_for_all_workspaces(one, keep_three, make_due, monkeypatch, caplog):
    working_set = keep_three(one)
    make_due("abc")

    def fail(*_):
        raise EngineError("Redis is away")

    with monkeypatch.context() as patch:
        for call in ("read", "write"):
            patch.setattr(one.storage._engine, call, fail)  # noqa: SLF001
        working_set.turn()
        working_set.turn()
        assert one.storage.failure == "Redis is away"
    assert [row.message for row in caplog.records] == ["the store cannot be used: Redis is away"]

    one.storage.retry()
    assert one.storage.failure is None
    assert caplog.records[-1].message == "the store can be used again"


def test_a_call_that_is_over_is_not_made_again_while_its_outcome_waits(one, monkeypatch):
    def fail(batch):
        raise EngineError("Redis is away")

    workspace = one.run(lambda: one.store.get("default"))

    def begin():
        with workspace.lock:
            return workspace.jobs.begin(1, "delivery", "1")

    job = one.run(begin)
    with monkeypatch.context() as patch:
        patch.setattr(one.storage._engine, "write", fail)  # noqa: SLF001
        settle(workspace, lambda: workspace.jobs.take_off(job))
    one.run(lambda: one.storage.look_after(one.store.get("default")))
    assert workspace.jobs.has("delivery", "1")


def test_workspace_whose_creation_was_not_saved_is_freed_at_once(one):
    find = []

    def step():
        find.append(weakref.ref(one.store.create(name="w")))
        raise ZeroDivisionError

    gc.disable()  # it is to need no collection
    try:
        with contextlib.suppress(ZeroDivisionError):
            one.run(step)
        assert find[0]() is None
    finally:
        gc.enable()
