"""Steps on a store: each runs on the newest state, and is saved as a whole or not at all."""

import gc
import threading
import weakref
from contextlib import contextmanager

import pytest
from load_balancer import until
from storage.stepper import WHY

from mockserver.core.workspaces import rounds, shared_store
from mockserver.core.workspaces.lifecycle import settle
from mockserver.core.workspaces.storage import MissingError, StorageError
from mockserver.core.workspaces.store import NameTakenError, StoreFullError
from mockserver.storage import sessions
from mockserver.storage.engine import Batch, EngineError
from mockserver.storage.working_set import SharedWorkingSet

# ------------------------------------------------------------------ on any store


@contextmanager
def failing(server):
    """Let the store take nothing within a `with` block, whose last step fails."""
    server.engine.trouble = WHY
    with pytest.raises(StorageError, match=WHY):
        yield
    server.engine.trouble = None
    assert server.storage.status().last_failure == WHY


def change_all(server):
    """Change one workspace, make one and remove one, in a step."""
    server.change("lost")
    server.store.create(name="new", key="key of new")
    server.store.drop(server.store.get("old"))


def test_a_step_that_cannot_be_saved_leaves_nothing(server):
    server.create("old", key="key of old")
    effects = []
    with failing(server):
        server.run(lambda: (change_all(server), server.storage.after(lambda: effects.append("left"))))
    assert (server.names(), server.revoked(), effects) == ({"default", "old"}, [], [])
    assert (server.store.knows("key of old"), server.store.knows("key of new")) == (True, False)
    server.create("new")
    server.change("kept", "old")
    assert (server.kept("old"), server.kept(), server.kept("new")) == (["kept"], [], [])


def test_of_a_step_with_an_error_all_is_saved_or_where_servers_share_the_store_nothing(server):
    server.create("old")
    with pytest.raises(ZeroDivisionError):
        server.run(lambda: (change_all(server), 1 / 0))
    names, keys = ({"default", "old"}, []) if server.storage.is_shared else ({"default", "new"}, ["lost"])
    assert (server.names(), server.revoked()) == (names, keys)
    assert server.kept() == keys


def test_a_step_is_saved_when_it_returns_and_its_effects_follow_each_other(server, caplog):
    effects = []

    def step():
        server.change("ours")
        server.storage.after(lambda: 1 / 0)
        server.storage.after(lambda: effects.append(server.kept()))

    server.run(step)
    assert effects == [["ours"]]
    assert "an effect of a step has failed" in caplog.text


def test_a_workspace_that_cannot_be_encoded_costs_no_other_one(server):
    server.create("other")
    with pytest.raises(StorageError, match="workspace default cannot be written"):
        server.run(lambda: server.store.default.snapshots.update(bad=None))
    server.change("kept", "other")
    server.change("kept")
    assert server.kept() == server.kept("other") == ["kept"]


def test_a_workspace_whose_creation_was_not_saved_is_freed_at_once(server):
    find = []
    gc.disable()  # it is to need no collection
    try:
        with failing(server):
            server.run(lambda: find.append(weakref.ref(server.store.create(name="w"))))
        assert find[0]() is None
    finally:
        gc.enable()


def test_steps_that_open_workspaces_in_opposite_order_both_succeed(server, monkeypatch):
    monkeypatch.setattr(sessions, "_SHORT_PATIENCE_S", 0.02)
    server.create("w")
    both = threading.Barrier(2)

    def work(names):
        runs = []

        def step():
            for name in names:
                workspace = server.store.get(name)
                if not runs:
                    runs.append(both.wait(30))
                workspace.revoke_key(names[0])

        server.run(step)

    threads = [threading.Thread(target=work, args=(names,)) for names in (["default", "w"], ["w", "default"])]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    assert server.revoked() == server.revoked("w") == ["default", "w"]


def test_a_workspace_is_used_in_steps_only(server):
    workspace = server.run(lambda: server.store.get("default"))
    with pytest.raises(AssertionError, match="used in steps only"):
        workspace.open()


def meet(server, name):
    server.run(lambda: server.store.get(name).coverage.answers.__setitem__(("op", 200), 1))


def test_coverage_is_that_of_all_workspaces_even_if_they_are_gone(server):
    server.create("w", "passivated")
    for name in ("w", "default", "passivated"):
        meet(server, name)
    server.drop("w")
    server.run(lambda: server.store.reset(server.store.default, server.store.maker.again(server.store.default)))
    server.store.passivate("passivated")
    assert server.store.coverage().answers["op", 200] == 3
    server.run(server.store.clear_coverage)
    assert server.store.coverage().answers["op", 200] == 0


# ------------------------------------------------------------------ of several servers


@pytest.fixture
def one(join):
    return join()


@pytest.fixture
def other(join, one):
    return join()


def test_what_one_server_does_is_seen_at_the_other(one, other):
    one.change("a")
    other.change("b")
    assert one.revoked() == other.revoked() == ["a", "b"]

    one.create("w", key="key of w")
    assert other.run(lambda: other.store.find("key of w"))[0].name == "w"
    assert other.names() == {"default", "w"}
    with pytest.raises(NameTakenError):
        other.create("w")

    other.change("a", "w")
    one.drop("w")
    assert other.run(lambda: other.store.get("w")) is None
    assert not other.store.knows("key of w")
    assert other.run(lambda: other.store.why_gone("w")) == "dropped"


def test_a_step_that_was_overtaken_runs_again_on_the_newer_state(one, other):
    changes = one.run(lambda: one.store.get("default").collect_changes())
    assert one.overtaken(other, lambda _: changes.append("a transition")) == [[], ["theirs 0"]]
    assert other.revoked() == ["ours", "theirs 0"]
    assert changes == ["a transition"]


def test_servers_in_conflict_take_turns(one, other, monkeypatch):
    monkeypatch.setattr(sessions, "_IN_TURN", 1)
    in_turn = []

    def look(_):
        in_turn.append(not other.engine.order("default"))
        other.engine.let_go("default")

    one.overtaken(other, look)
    assert in_turn == [False, True]


def test_a_long_step_is_saved_though_short_ones_of_another_server_never_end(one, other):
    over, runs = threading.Event(), []

    def hurry():
        while not over.is_set():
            other.change(f"theirs {len(runs)}")

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
    monkeypatch.setattr(one.engine, "let_go", fail)
    one.overtaken(other)
    assert other.revoked() == ["ours", "theirs 0"]


def test_a_step_that_is_always_overtaken_is_refused(one, other, monkeypatch):
    monkeypatch.setattr(sessions, "_MOST_TRIES", 3)
    with pytest.raises(StorageError, match="workspace default is changed by other servers all the time; send"):
        one.overtaken(other, always=True)
    assert other.revoked() == ["theirs 0", "theirs 1", "theirs 2"]


def test_of_two_servers_that_create_a_name_at_once_one_does(one, other):
    with pytest.raises(NameTakenError):
        one.run(lambda: (one.store.create(name="w"), other.create("w")))
    assert one.names() == {"default", "w"}


def test_a_name_is_free_though_another_server_was_faster_to_remove_its_workspace(one, other):
    one.create("w")

    def step():
        found = one.store.get("w")
        if found is not None:
            other.drop("w")
            one.store.drop(found)

    one.run(step)
    one.create("w")
    assert other.names() == {"default", "w"}


def test_a_copy_that_left_the_memory_is_read_again(one, other):
    one.change("a")
    assert one.store.passivate("default")
    assert one.store.peek("default") is None
    other.change("b")
    assert one.revoked() == ["a", "b"]


def test_a_copy_that_another_step_has_found_gone_and_not_yet_forgotten_is_read_again(one, other, monkeypatch):
    other.create("w")
    copy = one.run(lambda: one.store.get("w"))
    forget, seen = one.store._forget_gone, []  # noqa: SLF001  # the moment between the two

    def forget_late(name):
        again = threading.Thread(target=lambda: seen.append(one.run(lambda: one.store.get("w"))))
        other.create("w")
        again.start()
        again.join()
        forget(name)

    other.drop("w")
    monkeypatch.setattr(one.store, "_forget_gone", forget_late)
    assert one.run(lambda: one.store.get("w")) is None
    assert seen == [one.store.peek("w")]
    assert seen != [copy]


def test_a_step_confirms_no_copy_of_another_one(one, other):
    other.create("w")
    copied, saved = threading.Event(), threading.Event()

    def change(member, wait):
        def step():
            copy = one.storage.load("w")
            one.storage.add(copy)
            wait()
            setattr(copy, member, "changed")

        one.run(step)

    late = threading.Thread(target=change, args=("outcome", lambda: (copied.set(), saved.wait(10))))
    change("label", lambda: (late.start(), copied.wait(10)))
    saved.set()
    late.join()
    copy = other.storage.copy("w")
    assert (copy.label, copy.outcome) == ("changed", "changed")


def test_a_workspace_that_two_steps_load_at_once_is_in_memory_once(one, other, monkeypatch):
    other.create("w")
    load, found = one.storage.load, []

    def get():
        found.append(one.run(lambda: one.store.get("w")))

    def overtaken_load(name):
        copy = load(name)
        monkeypatch.setattr(one.storage, "load", load)
        faster = threading.Thread(target=get)
        faster.start()
        faster.join()
        return copy

    monkeypatch.setattr(one.storage, "load", overtaken_load)
    get()
    assert found[0] is found[1] is one.store.peek("w")


def test_the_limit_counts_the_workspaces_of_all_servers_but_those_in_use(join):
    one, other = join(limit=2), join(limit=2)
    one.create("old")
    other.create("new")
    assert one.names() == {"default", "new"}
    assert one.run(lambda: one.store.why_gone("old")) == "evicted"
    other.store.peek("new").watchers.add(print)
    with pytest.raises(StoreFullError):
        other.create("newest")
    assert one.names() == {"default", "new"}


# ------------------------------------------------------------------ copies


@pytest.fixture
def working_set(one):
    """The working set of a server with three workspaces, of which none is to stay in memory."""
    one.create(*"abc")
    assert one.copies() == {"a", "b", "c"}
    return SharedWorkingSet(one.store, 0)


def evict_all(other):
    other.store._limit = 4  # noqa: SLF001  # the setting of this server
    other.create("new1", "new2", "new3")


@pytest.mark.parametrize("remove_all", [lambda other: other.drop(*"abc"), evict_all], ids=["dropped", "evicted"])
def test_copies_of_workspaces_that_another_server_removed_are_forgotten(one, other, working_set, caplog, remove_all):
    remove_all(other)
    caplog.clear()
    working_set.turn()
    assert one.copies() == set()
    assert caplog.records == []


def passivate_all(one):
    for name in "abc":
        assert one.store.passivate(name)


def forget_all(one):
    """Let the server hear that others have removed the workspaces."""
    one.engine.write(Batch(removed=dict.fromkeys("abc", "*")))  # as another server does
    for name in "abc":
        one.store.heard(name, is_removed=True)


@pytest.mark.parametrize("lose_all", [passivate_all, lambda one: one.drop(*"abc"), forget_all])
def test_copies_that_left_the_memory_are_freed_at_once(one, working_set, lose_all):
    find = [weakref.ref(workspace) for workspace in one.store.loaded() if workspace.name != "default"]
    gc.disable()  # it is to need no collection
    try:
        lose_all(one)
        assert [workspace() for workspace in find] == [None] * 3
    finally:
        gc.enable()


def test_step_that_keeps_a_copy_which_has_left_the_memory_is_told_so(one, working_set):
    workspace, runs = one.store.peek("a"), []
    passivate_all(one)
    with pytest.raises(MissingError, match="has left the memory of this server"):
        one.run(lambda: (runs.append(1), workspace.open()))
    assert len(runs) < 5


def test_copy_is_forgotten_as_soon_as_another_server_removes_the_workspace(one, other, working_set):
    working_set._most = 100  # noqa: SLF001  # so that none is passivated
    one.store.peek("a").watchers.add(print)
    working_set.open()
    try:
        until(lambda: other.change("key", "a") or one.store.peek("a").state.revoked_keys == {"key"}, "it listens")
        other.drop(*"abc")
        until(lambda: one.copies() == set(), "they are forgotten")
    finally:
        working_set.close()


# ------------------------------------------------------------------ damage and outages


@pytest.fixture
def damage(redis_server):
    """Damages workspaces in the store, so that no server can read them."""

    def damage(names):
        for name in names:
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


def told(caplog):
    """What the log has told, without the reasons."""
    return [row.message.partition(":")[0] for row in caplog.records]


def test_removed_workspace_is_not_unreadable_any_more(one, other, damage):
    one.create("a")
    damage("a")
    with pytest.raises(StorageError):
        other.revoked("a")
    assert set(other.store.unreadable()) == {"a"}
    one.run(lambda: one.store.discard("a"))
    assert other.run(lambda: other.store.get("a")) is None
    assert other.store.unreadable() == {}


def test_damaged_workspace_that_is_due_costs_no_other_one_and_is_logged_once(one, join, damage, make_due, caplog):
    one.create(*"abcd")
    damage("b")
    make_due("abcd")
    later = join()
    caplog.clear()
    later.store.look_after()
    later.store.look_after()
    assert later.copies() == {"a", "c", "d"}
    assert one.storage.due(9) == ["b"]
    assert told(caplog) == ["timers of workspace b do not fire"]


def test_damaged_workspaces_that_are_due_are_as_many_as_one_round_takes(one, join, damage, make_due, monkeypatch):
    monkeypatch.setattr(shared_store, "_DUE_AT_ONCE", 2)
    one.create(*"abcd")
    damage("ab")
    make_due("abcd")
    later = join()
    later.store.look_after()
    later.store.look_after()
    assert later.copies() == {"c", "d"}


def test_workspace_that_was_damaged_fires_its_timers_when_it_is_mended(one, join, make_due, redis_server, monkeypatch):
    monkeypatch.setattr(rounds, "AGAIN_S", 0.0)
    one.create("a")
    make_due("a")
    later = join()
    redis_server.command("RENAME mockserver:data:a aside")
    redis_server.command("HSET mockserver:data:a p:state nonsense version 9-n")
    later.store.look_after()
    assert later.copies() == set()
    redis_server.command("RENAME aside mockserver:data:a")
    later.store.look_after()
    assert (later.copies(), one.storage.due(9)) == ({"a"}, [])


def test_damaged_copy_that_is_watched_or_passivated_costs_no_other_one(one, working_set, damage, caplog):
    one.store.peek("b").watchers.add(print)
    damage("ab")
    working_set.turn()
    working_set.turn()
    assert one.copies() == {"a", "b"}
    assert sorted(told(caplog)) == ["workspace a stays in memory", "workspace b is not up to date"]


def test_coverage_of_a_damaged_workspace_stays_and_that_of_the_others_is_cleared(one, damage, caplog):
    one.create(*"ab")
    meet(one, "b")
    damage("a")
    one.run(one.store.clear_coverage)
    assert not one.run(lambda: one.store.get("b")).coverage.answers
    assert told(caplog) == ["coverage of workspace a stays"]


def test_outage_is_logged_once_for_all_workspaces(one, working_set, make_due, monkeypatch, caplog):
    def fail(*_):
        raise EngineError("Redis is away")

    make_due("abc")
    with monkeypatch.context() as patch:
        for call in ("read", "write"):
            patch.setattr(one.engine, call, fail)
        working_set.turn()
        working_set.turn()
        assert one.storage.failure == "Redis is away"
    assert [row.message for row in caplog.records] == ["the store cannot be used: Redis is away"]
    one.storage.retry()
    assert one.storage.failure is None
    assert caplog.records[-1].message == "the store can be used again"


def test_a_call_that_is_over_is_not_made_again_while_its_outcome_waits(one):
    workspace = one.run(lambda: one.store.get("default"))
    job = one.run(lambda: (workspace.open(), workspace.jobs.begin(1, "delivery", "1"))[1])
    one.engine.trouble = WHY
    settle(workspace, lambda: workspace.jobs.take_off(job))
    one.engine.trouble = None
    one.run(lambda: one.storage.look_after(one.store.get("default")))
    assert workspace.jobs.has("delivery", "1")
