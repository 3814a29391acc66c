"""Whatever servers of one store do, in whatever order, and die of: what they answer follows from one small model.

The model knows one server that never fails: workspaces, their keys, and how often something was counted. Each request
comes to any server, and goes on to the one that holds its workspace, as forwarding does it.
"""

from __future__ import annotations

import pytest
from examples import examples
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule, run_state_machine_as_test
from servers_of_one_store import Cluster

from mockserver.core.workspaces.keeping import HeldElsewhereError, KeepingError
from mockserver.core.workspaces.store import NameTakenError
from mockserver.storage.working_set import WorkingSet

SERVERS = st.integers(0, 2)
NAMES = st.sampled_from("abcd")
AWAY = "the database is away"


class Histories(RuleBasedStateMachine):
    def __init__(self):
        super().__init__()
        self.cluster = Cluster()
        #: The keys of each workspace that were added, and how much was counted in all.
        self.keys, self.counted, self.added = {}, 0, 0

    @initialize()
    def begin(self):
        self.servers = [self.cluster.start() for _ in range(3)]

    def teardown(self):
        self.cluster.close()

    def ask(self, number, act):
        """What a request comes to, which may have to be forwarded."""
        server = self.servers[number]
        for _ in range(3):
            try:
                found = act(server)
                server.keeping.settle()
            except HeldElsewhereError as elsewhere:
                server = next(other for other in self.servers if other.address == elsewhere.address)
            else:
                return found
        raise AssertionError("servers send a request to each other")

    def use(self, server, name, key):
        """Add a key to a workspace, and count something; whether there is such a workspace."""
        workspace = server.store.get(name)
        if workspace is None:
            return False
        with workspace.lock:
            workspace.add_key(workspace.state.first_account, key)
            workspace.coverage.transitions["m", "e"] += 1
        return True

    def next_key(self):
        self.added += 1
        return f"key-{self.added}"

    # ------------------------------------------------------------------ what clients do

    @rule(number=SERVERS, name=NAMES)
    def make(self, number, name):
        if name in self.keys:
            with pytest.raises(NameTakenError):
                self.ask(number, lambda server: server.make(name))
        else:
            self.ask(number, lambda server: server.make(name).name)
            self.keys[name] = set()

    @rule(number=SERVERS, name=NAMES)
    def use_one(self, number, name):
        key = self.next_key()
        if self.ask(number, lambda server: self.use(server, name, key)):
            self.counted += 1
            self.keys[name].add(key)
        else:
            assert name not in self.keys

    @rule(number=SERVERS, name=NAMES)
    def drop(self, number, name):
        def act(server):
            found = server.store.get(name)
            return found is not None and server.store.drop(found)

        assert self.ask(number, act) is (name in self.keys)
        self.keys.pop(name, None)

    @rule(number=SERVERS)
    def use_the_default_one(self, number):
        key = self.next_key()
        self.ask(number, lambda server: self.use(server, server.store.default.name, key))
        self.counted += 1

    # ------------------------------------------------------------------ what happens to servers

    @rule(number=SERVERS, name=NAMES)
    def rest(self, number, name):
        server = self.servers[number]
        server.keeping.settle()
        server.store.rest(name)

    @rule(number=SERVERS)
    def look_after(self, number):
        WorkingSet(self.servers[number].store, 2).turn()

    @rule(number=SERVERS)
    def kill(self, number):
        self.cluster.kill(self.servers[number])
        self.servers[number] = self.cluster.start()

    @rule(number=SERVERS, other=SERVERS, name=NAMES)
    def take_for_dead(self, number, other, name):
        """A server that was paused for long holds nothing any more, others go on, and it finds out when it writes."""
        paused, keys = self.servers[number], [self.next_key(), self.next_key()]
        self.cluster.shared.expel(paused.engine)
        self.try_to_use(self.servers[other], name, keys[0])
        self.try_to_use(paused, name, keys[1])
        for row in list(paused.store.names()):
            self.try_to_use(paused, row, None)
        for key in keys:
            self.learn(key, name)

    def try_to_use(self, server, name, key):
        """Use a workspace, or only touch it, where that may fail."""
        try:
            if key is not None:
                self.use(server, name, key)
            elif (found := server.store.peek(name)) is not None:
                with found.lock:
                    pass
            server.keeping.settle()
        except (KeepingError, HeldElsewhereError):
            pass

    @rule(number=SERVERS, name=NAMES, is_lost=st.booleans())
    def fail_to_write(self, number, name, is_lost):
        """The database goes away within a request, or it is its answer that is lost."""
        server, key = self.servers[number], self.next_key()
        server.engine.loses_answer = is_lost
        if not is_lost:
            server.engine.meanwhile.append(lambda: setattr(server.engine, "trouble", AWAY))
        self.try_to_use(server, name, key)
        server.engine.trouble, server.engine.loses_answer = None, False
        server.engine.meanwhile.clear()
        self.learn(key, name)

    def learn(self, key, name):
        """See whether the key of a request of which nobody knows what became of it was kept."""

        def act(server):
            found = server.store.get(name)
            return found is not None and key in found.state.keys

        if self.ask(0, act):
            self.counted += 1
            self.keys[name].add(key)

    # ------------------------------------------------------------------ what holds

    @invariant()
    def every_server_knows_them_all(self):
        for server in self.servers:
            assert set(server.store.names()) == {"default", *self.keys}
            assert dict(server.store.coverage().transitions) == ({("m", "e"): self.counted} if self.counted else {})

    @rule(number=SERVERS)
    def each_key_opens_its_workspace_and_no_other(self, number):
        for name, keys in self.keys.items():
            for key in keys:
                assert self.ask(number, lambda server, key=key: server.store.find(key)[0].name) == name

    @rule()
    def all_keys_are_kept(self):
        for name, keys in self.keys.items():
            assert keys <= self.servers[0].keeping.copy(name).state.keys.keys()


@pytest.mark.hypothesis
def test_whatever_servers_do_and_die_of_they_answer_as_one(monkeypatch):
    monkeypatch.setattr("mockserver.core.workspaces.known_holders._BELIEVED_S", 0.0)
    run_state_machine_as_test(Histories, settings=settings(examples(100), stateful_step_count=30))
