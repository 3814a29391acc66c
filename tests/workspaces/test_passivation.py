"""Workspaces that rest: they are kept, leave the memory, and are loaded when somebody uses them."""

from __future__ import annotations

import gc
import threading
import weakref
from concurrent.futures import ThreadPoolExecutor
from hashlib import sha256

import pytest
from memory_storage import MemoryStorage, small_store
from stepped import Stepped, held_elsewhere, tells

from mockserver.core.state.identifiers import api_key
from mockserver.core.traffic.exchange import Exchange, Held
from mockserver.core.workspaces.storage import StorageError
from mockserver.core.workspaces.store import Gone, KeyMode, NameTakenError

#: As many as `at_once` runs, and how often each of them does something.
THREADS, TURNS = 8, 25


@pytest.fixture
def storage():
    return MemoryStorage()


@pytest.fixture
def store(storage):
    """A store with the workspaces `default`, `a` and `b`."""
    found = Stepped(small_store(storage))
    found.create(name="a")
    found.create(name="b")
    return found


def key_of(workspace):
    return workspace.state.first_account.api_keys[0]


def drawn(name):
    """A key that a mock may draw, another one for each name."""
    return api_key(sha256(name.encode()).hexdigest())


# ---------------------------------------------------------------------- coming and going


def test_passivated_workspace_leaves_the_memory_and_is_loaded_by_name(store, storage):
    gc.disable()
    try:
        left = weakref.ref(store.get("a"))
        assert store.passivate("a")
        assert left() is None
    finally:
        gc.enable()
    assert store.peek("a") is None
    assert store.get("a") is store.peek("a") is not None
    assert storage.names == ["a"]


def test_passivated_workspace_is_loaded_by_key(store, storage):
    key = key_of(store.get("a"))
    store.passivate("a")

    workspace, account = store.find(key)

    assert (workspace.name, account.name, storage.names) == ("a", "m", ["a"])


def test_only_the_workspace_that_is_meant_is_loaded(store, storage):
    key = key_of(store.get("a"))
    store.passivate("a")
    assert store.find(key, within=store.get("b")) is None
    assert store.find("unknown", within=store.get("b")) is not None
    assert storage.names == []


def test_a_key_that_is_added_and_one_that_is_revoked_are_known_while_it_rests(store):
    workspace = store.get("a")
    workspace.add_key(workspace.state.first_account, drawn("added"))
    workspace.revoke_key("revoked")
    del workspace
    store.passivate("a")

    assert store.find(drawn("added"))[0].name == "a"
    assert store.find("revoked") is None


def test_a_key_of_the_scenario_leads_to_a_passivated_workspace_below_its_address_only(store):
    store.passivate("a")
    workspace, account = store.find("m", store.get("a"))

    assert (workspace.name, account.api_keys[-1]) == ("a", "m")
    assert store.find("m")[0].name == "default"
    assert [found.name for found in store.having("m")] == ["default"]


def test_passivated_workspace_is_listed_in_order_of_use(store):
    """To look at one is no use of it."""
    store.passivate("b")
    assert store.look("b").name == "b"
    assert store.names() == ("default", "a", "b")
    store.get("a")
    store.passivate("a")
    assert store.names() == ("default", "b", "a")
    assert len(store) == 3
    assert "a" in store
    with pytest.raises(NameTakenError):
        store.create(name="a")


def test_the_workspace_of_an_unknown_key_is_found_again(storage):
    store = Stepped(small_store(storage, keys=KeyMode.ISOLATE))
    name = store.find("unknown")[0].name
    store.passivate(name)
    assert store.find("unknown")[0].name == name
    assert len(store) == 2


# ---------------------------------------------------------------------- what does not rest


def test_default_unknown_and_unsaved_workspaces_are_not_passivated(store, storage):
    assert not store.passivate("default")
    assert not store.passivate("c")
    storage.is_up_to_date = False
    assert not store.passivate("a")
    assert store.peek("a") is not None


def test_watched_workspace_is_not_passivated(store):
    store.get("a").watchers.add(print)
    assert not store.passivate("a")


def test_workspace_with_a_request_that_a_fault_holds_is_not_passivated(store):
    exchange = Exchange("1", None, "GET", "/v3/account", "", (), b"", {})
    exchange.held = Held(exchange.id)
    store.within("a", lambda workspace: workspace.note(exchange))
    assert not store.passivate("a")
    exchange.held.is_over = True
    assert store.passivate("a")


def test_workspace_with_a_running_call_is_not_passivated(store):
    workspace = store.get("a")
    workspace.jobs.begin(workspace.state.first_account.id, "delivery", 1)
    del workspace
    assert not store.passivate("a")


def test_workspace_that_another_step_has_is_not_passivated(store, storage):
    with held_elsewhere(storage, store.peek("a")):
        assert not store.passivate("a")
    assert store.passivate("a")


# ---------------------------------------------------------------------- steps that wait for one


@pytest.fixture
def meanwhile(store, storage):
    """Lets one step act on the workspace `a` while another one waits for it; gives what that one finds."""

    def found(act):
        is_waiting = threading.Event()
        storage.leave = tells(is_waiting)
        with ThreadPoolExecutor(1) as pool:

            def step(workspace):
                waiting = pool.submit(store.get, "a")
                assert is_waiting.wait(30)
                act(workspace)
                return waiting

            return store.within("a", step).result(30)

    return found


def test_a_step_that_waited_for_a_workspace_that_was_passivated_meanwhile_finds_the_loaded_one(store, meanwhile):
    def passivate(workspace):
        workspace.revoke_key("revoked")
        assert store.passivate("a")

    found = meanwhile(passivate)

    assert found is store.peek("a")
    assert found.state.revoked_keys == {"revoked"}


def test_a_step_that_waited_for_a_workspace_that_was_dropped_meanwhile_finds_none(store, meanwhile):
    assert meanwhile(store.drop) is None


# ---------------------------------------------------------------------- going for good


def test_passivated_workspace_is_dropped_without_loading(store, storage):
    key = key_of(store.get("a"))
    assert not store.discard("a")
    store.passivate("a")

    assert store.discard("a")

    found = store.get("a"), store.knows(key), store.why_gone("a"), storage.names
    assert found == (None, False, Gone.DROPPED, [])
    assert not store.discard("a")


def test_the_one_used_longest_ago_is_evicted_though_it_rests(storage):
    store = Stepped(small_store(storage, limit=3))
    for name in "ab":
        store.create(name=name)
    store.passivate("a")

    store.create(name="c")

    assert (store.names(), store.why_gone("a"), storage.names) == (("default", "b", "c"), Gone.EVICTED, [])


# ---------------------------------------------------------------------- what cannot be read


def test_unreadable_workspace_is_reported_to_its_users_only(store, storage):
    key = key_of(store.get("a"))
    store.passivate("a")
    storage.damaged["a"] = "it is damaged"

    for ask in (lambda: store.get("a"), lambda: store.look("a"), lambda: store.find(key)):
        with pytest.raises(StorageError, match="workspace a cannot be read: it is damaged"):
            ask()
    assert store.get("b") is not None
    storage.damaged.clear()
    assert store.get("a") is not None


# ---------------------------------------------------------------------- another start


def test_another_start_has_them_all_and_loads_the_default_one(store, storage):
    key = key_of(store.get("b"))

    again = Stepped(small_store(storage))

    assert (set(again.names()), [row.name for row in again.loaded()]) == ({"default", "a", "b"}, ["default"])
    assert again.find(key)[0].name == "b"


def test_the_default_workspace_is_as_it_was_kept_though_another_scenario_is_given(store, storage, caplog):
    again = Stepped(small_store(storage, {"accounts": [{"name": "other"}]}))

    assert again.default.state.first_account.name == "m"
    assert "the default workspace is as it was saved" in caplog.text


def test_a_default_workspace_that_cannot_be_read_is_told_at_the_start_and_stops_nothing_else(store, storage, caplog):
    storage.damaged["default"] = "it is damaged"
    again = Stepped(small_store(storage))
    assert "the default workspace cannot be used: workspace default cannot be read" in caplog.text
    assert again.get("a") is not None
    with pytest.raises(StorageError, match="workspace default cannot be read"):
        _ = again.default
    assert again.discard("default")
    assert again.default.state.first_account.name == "m"


def test_a_default_workspace_is_made_once_though_many_ask_for_it_at_once(store, storage, at_once):
    storage.damaged["default"] = "it is damaged"
    again = Stepped(small_store(storage))
    assert again.discard("default")
    found = at_once(lambda _: again.default)
    assert len(set(map(id, found))) == 1


# ---------------------------------------------------------------------- coverage


def covered(store):
    return dict(store.coverage().transitions)


def test_total_coverage_includes_workspaces_that_rest_or_are_gone(store, storage):
    for name in ("default", "a", "b"):
        store.get(name).coverage.transitions["m", "e"] += 1
    store.passivate("a")
    assert covered(store) == {("m", "e"): 3}
    store.discard("a")
    assert covered(store) == covered(Stepped(small_store(storage))) == {("m", "e"): 3}


def test_coverage_of_an_uncounted_one_does_not_count_while_it_rests(store):
    store.create(name="c", counted=False).coverage.transitions["m", "e"] += 1
    store.passivate("c")
    assert covered(store) == {}
    store.discard("c")
    assert covered(store) == {}


def test_coverage_is_cleared_of_those_that_rest(store):
    store.get("a").coverage.transitions["m", "e"] += 1
    store.passivate("a")
    store.clear_coverage()
    assert covered(store) == dict(store.get("a").coverage.transitions) == {}


# ---------------------------------------------------------------------- threads


def test_threads_that_ask_at_once_load_it_once(store, storage, at_once):
    store.passivate("a")
    found = at_once(lambda _: store.get("a"))
    assert (len(set(map(id, found))), storage.names) == (1, ["a"])


def test_changes_by_threads_survive_passivation(store, at_once):
    """Each adds a key to one of three workspaces, lets it rest, and drops another one now and then."""
    added = {drawn(f"{number}-{turn}"): "ab"[turn % 2] for number in range(THREADS) for turn in range(TURNS)}

    def work(number):
        own = str(number)
        for turn in range(TURNS):
            key = drawn(f"{number}-{turn}")
            add_key(store, added[key], key)
            store.create(name=own)
            store.passivate(own)
            found = store.look(own) if turn % 2 else store.peek(own)
            assert store.discard(own) if found is None else store.drop(found)

    at_once(work)

    assert {key: store.find(key)[0].name for key in added} == added
    assert set(store.names()) == {"default", "a", "b"}


def add_key(store, name, key):
    store.within(name, lambda found: found.add_key(found.state.first_account, key))
    store.passivate(name)
