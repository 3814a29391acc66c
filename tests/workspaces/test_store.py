"""The registry of workspaces from inside: under threads, over many lives, and in memory."""

from __future__ import annotations

import threading
import tracemalloc
from collections import Counter
from concurrent.futures import ThreadPoolExecutor

import pytest
from examples import examples
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule, run_state_machine_as_test
from stepped import Stepped, held_elsewhere, tells

from mockserver.core.state.identifiers import Randomness, is_drawn
from mockserver.core.state.state import Account, State
from mockserver.core.time.clock import Clock
from mockserver.core.workspaces import store as store_module
from mockserver.core.workspaces.store import KeyMode, NameTakenError, Store, StoreFullError
from mockserver.core.workspaces.workspace import Origin, Parts, Workspace
from mockserver.scenario.load import load

SMALL = {
    "accounts": [
        {"name": "m", "role": "master", "api_keys": ["m"], "revoked_keys": ["old"]},
        {"name": "s", "id": 1000007, "role": "sub_account", "of": "m", "api_keys": ["s"]},
    ]
}
#: As many as `at_once` runs.
THREADS = 8


def loader(document, *, name, seed=None, keyring=None, whole=False):
    found = load(document, name=name, seed=seed, keyring=keyring)
    found.origin = found.origin._replace(scenario=document)
    return found


def bare(document, *, name, seed=None, keyring=None, whole=False):
    """A workspace with one account and nothing else, made in no time."""
    ring = keyring and keyring(seed or 0)
    keys = ["m"] if ring is None else ring.own([["m"]], ())[0]
    state = State(Clock(), Randomness(0, name))
    account = Account(1, "m", "m@m.test", state.clock.now(), "1" * 24, 1, api_keys=keys)
    account.revoked_keys += ["old", f"old-{name}"]
    state.add_account(account)
    return Workspace(name, state, parts=Parts(), origin=Origin(document, "", seed, ring))


def small_store(load=loader, **options):
    return Stepped(Store(load, SMALL, **options))


def homes(store):
    """Which workspaces each key leads to, as the store remembers it."""
    return {key: set(names) for key, names in store.inner._key_index._names.items()}  # noqa: SLF001  # that nothing is left is the point


def expected_homes(store):
    found = {}
    for workspace in store.loaded():
        for key in workspace.leading_keys():
            found.setdefault(key, set()).add(workspace.name)
    return found


# ---------------------------------------------------------------------- what it remembers


class Lives(RuleBasedStateMachine):
    """Workspaces come, change and go; the store remembers the keys of those that are there, and no others."""

    names = st.sampled_from(["a", "b", "c", "default"])

    def __init__(self):
        super().__init__()
        self.store = small_store(keys=KeyMode.ISOLATE, limit=3)
        self.gone = set()

    def workspace(self, name):
        return self.store.get(name) or self.store.default

    @rule(name=names, seed=st.integers(0, 2))
    def create(self, name, seed):
        there = {workspace.name for workspace in self.store.loaded()}
        try:
            made = self.store.create(name=name, seed=seed)
        except NameTakenError:
            assert name in there
        else:
            assert name not in there
            assert self.store.get(name) is made

    @rule(name=names)
    @precondition(lambda self: len(self.store) > 1)
    def drop(self, name):
        workspace = self.workspace(name)
        if workspace is not self.store.default:
            assert self.store.drop(workspace)
            assert not self.store.drop(workspace)
            assert self.store.get(name) is None

    @rule(name=names, scenario=st.sampled_from([None, SMALL, {"accounts": [{"name": "x"}]}]))
    def reset(self, name, scenario):
        self.store.reset(self.workspace(name), scenario)

    @rule(name=names, other=names)
    def put(self, name, other):
        source = self.workspace(other)
        accounts = [
            {"name": row.name, "role": str(row.role), "of": row.of, "api_keys": row.api_keys}
            for row in source.state.accounts.values()
        ]
        self.store.put(self.workspace(name), {"accounts": accounts})

    @rule(name=names)
    def add_key(self, name):
        workspace = self.workspace(name)
        workspace.add_key(workspace.state.first_account, workspace.state.draw_api_key())

    @rule(name=names, key=st.sampled_from(["made-up", "m", "old"]))
    def revoke(self, name, key):
        self.workspace(name).revoke_key(key)

    @rule(name=names)
    def remove_account(self, name):
        workspace = self.workspace(name)
        if len(workspace.state.accounts) > 1:
            workspace.remove_account(list(workspace.state.accounts.values())[-1])

    @rule(key=st.sampled_from(["stranger", "other"]))
    def come_with_an_unknown_key(self, key):
        found = self.store.find(key)
        assert found is None or self.store.find(key) == found

    @invariant()
    def it_remembers_the_keys_of_those_that_are_there(self):
        assert homes(self.store) == expected_homes(self.store)

    @invariant()
    def there_are_not_too_many_and_the_default_one_is_there(self):
        assert len(self.store) <= 3
        assert self.store.default.name == "default"

    @invariant()
    def every_key_opens_its_account_or_nothing(self):
        for workspace in self.store.loaded():
            state = workspace.state
            for key, number in list(state.keys.items()):
                expected = None if key in state.revoked_keys else (workspace, state.accounts[number])
                assert self.store.find(key, workspace) == expected


@pytest.mark.hypothesis
def test_workspace_keys_are_neither_lost_nor_left_behind():
    run_state_machine_as_test(Lives, settings=settings(examples(60), stateful_step_count=30))


@pytest.mark.slow
def test_nothing_is_left_of_ten_thousand_workspaces():
    store = small_store(bare)
    before = homes(store)
    workspace = store.create(name="w")
    for number in range(10_000):
        fresh = store.create(name=f"w{number % 7}", seed=number)
        fresh.add_key(fresh.state.first_account, fresh.state.draw_api_key())
        fresh.revoke_key(f"revoked-{number}")
        assert store.drop(fresh)
        if number % 1000 == 0:
            assert homes(store).keys() == {*before, *workspace.state.keys, "old-w"}
    store.drop(workspace)

    assert homes(store) == before
    assert len(store) == 1


def test_names_of_workspaces_that_are_gone_are_bounded_too(monkeypatch):
    monkeypatch.setattr(store_module, "_MOST_GONE", 20)
    store = small_store(bare, limit=2)
    for number in range(30):
        store.create(name=f"w{number}")
    store.drop(store.get("w29"))

    told = [store.why_gone(name) for name in ("w9", "w10", "w28", "w29", "default")]
    assert (store.evicted, told) == (29, [None, "evicted", "evicted", "dropped", None])


def test_an_idle_workspace_is_small(make_api):
    """What a fresh workspace of `standard` costs; a thousand of them shall fit anywhere."""
    store = make_api().store
    store.create()
    tracemalloc.start()
    try:
        before = tracemalloc.get_traced_memory()[0]
        for _ in range(50):
            store.create()
        each = (tracemalloc.get_traced_memory()[0] - before) / 50
    finally:
        tracemalloc.stop()
    print(f"an idle workspace of standard: {each / 1024:.1f} KiB")  # noqa: T201  # a figure to read

    assert each < 128 * 1024


# ---------------------------------------------------------------------- threads


def test_threads_that_make_find_and_drop_workspaces_never_fail(at_once):
    store = small_store(limit=6)

    def work(number):
        for turn in range(60):
            try:
                workspace = store.create(name=f"w{(number + turn) % 10}")
            except NameTakenError:
                continue
            for key in filter(is_drawn, tuple(workspace.state.keys)):
                found = store.find(key)
                assert found is None or found[0].name == workspace.name
            assert len(store.names()) >= 1
            store.coverage()
            if turn % 3 == 0:
                store.drop(workspace)
            else:
                store.reset(workspace)
        return True

    assert at_once(work) == [True] * THREADS
    assert len(store) <= 6
    assert homes(store) == expected_homes(store)


def test_a_name_that_many_want_is_given_once(at_once):
    store = small_store()

    def work(_):
        try:
            return store.create(name="w")
        except NameTakenError:
            return None

    made = [workspace for workspace in at_once(work) if workspace is not None]
    assert made == [store.get("w")]


def test_an_unknown_key_that_comes_many_times_at_once_gets_one_workspace(at_once):
    store = small_store(keys=KeyMode.ISOLATE)

    found = at_once(lambda _: store.find("unknown"))

    assert len({id(workspace) for workspace, _ in found}) == 1
    assert len(store) == 2


def test_a_request_that_waits_for_the_workspace_of_its_key_delays_no_other_unknown_key():
    store, is_waiting = small_store(keys=KeyMode.ISOLATE), threading.Event()
    workspace, _ = store.find("busy")
    store.inner.storage.leave = tells(is_waiting)
    with ThreadPoolExecutor(2) as pool:
        with held_elsewhere(store.inner.storage, workspace):
            waiting = pool.submit(store._isolated, "busy")  # noqa: SLF001  # as if it was made in between
            assert is_waiting.wait(30)
            assert pool.submit(store.find, "another").result(30)
        assert waiting.result(30) is workspace


def test_workspaces_that_go_for_newer_ones_at_once_are_counted_once(at_once, monkeypatch):
    """Threads that switch all the time hold each lock for long."""
    monkeypatch.setattr("mockserver.core.workspaces.store._PATIENCE_S", 20.0)
    store = small_store(limit=4)
    at_once(lambda _: [store.create() for _ in range(10)])

    assert (len(store), store.evicted) == (4, THREADS * 10 - 3)


def test_nothing_is_lost_that_is_made_while_another_thread_seeds(make_api, default_workspace, at_once, story):
    """Whoever has found a workspace before it is made anew acts in what stands in its place."""
    api = make_api(story)

    def work(number):
        client = api.app.test_client()
        headers = {"api-key": "xkeysib-story-acme"}
        found = Counter()
        for turn in range(10):
            email = f"{number}-{turn}@a.test"
            if number % 2:
                answer = client.post("/_mock/seed", json={"senders": [{"name": "A", "email": email}]})
            else:
                answer = client.post("/v3/senders", json={"name": "A", "email": email}, headers=headers)
            found[answer.status_code] += 1
        return found

    assert sum(at_once(work), Counter()) == {200: THREADS * 5, 201: THREADS * 5}
    rows = api.get("/v3/senders", key="xkeysib-story-acme").json["senders"]
    assert len(rows) == len({row["id"] for row in rows}) == 1 + THREADS * 10


def test_a_store_with_room_for_one_keeps_the_default_workspace():
    store = small_store(limit=1)
    with pytest.raises(StoreFullError):
        store.create(name="w")

    assert (store.names(), store.why_gone("w")) == (("default",), None)
    assert homes(store) == expected_homes(store)
