"""Servers of one store in one process: each has a `SharedStore` over a stand-in for the database that they share."""

from __future__ import annotations

from shared_engine import SharedBytes
from shelf import SMALL, small_store

from mockserver.core.workspaces.origin import WorkspaceLimits
from mockserver.resources.registry import PARTS
from mockserver.settings import Settings
from mockserver.storage.shared_keeper import SharedKeeper


def keeper_of(shared, address):
    """What keeps the workspaces of a server, with the engine by which it reaches what is shared."""
    engine = shared.engine(address)
    found = SharedKeeper(engine, parts=PARTS, limits=WorkspaceLimits.of(Settings()))
    found.engine = engine
    return found


class Cluster:
    """What servers of one store share, and the servers."""

    def __init__(self):
        self.shared = SharedBytes()
        self.servers = []

    def start(self, scenario=SMALL, **options):
        """Another server."""
        server = Server(self, f"http://server-{len(self.servers)}", scenario, options)
        self.servers.append(server)
        return server

    def kill(self, server):
        """Let a server end at once, and be taken for dead by the others."""
        server.engine.trouble = "the server is dead"
        self.shared.expel(server.engine)

    def close(self):
        for server in self.servers:
            server.keeping.close()


class Server:
    """One server: its store, and the engine by which it reaches what is shared."""

    def __init__(self, cluster, address, scenario, options):
        self.address = address
        self.keeping = keeper_of(cluster.shared, address)
        self.engine = self.keeping.engine
        self.store = small_store(self.keeping, scenario, **options)
        self.keeping.settle()

    def make(self, name, **options):
        """A new workspace, which is kept."""
        found = self.store.create(name=name, **options)
        self.keeping.settle()
        return found

    def add_key(self, name, key):
        """Use a workspace, as a request does that changes it."""
        workspace = self.store.get(name)
        with workspace.lock:
            workspace.add_key(workspace.state.first_account, key)
        del workspace
        self.keeping.settle()

    def drop(self, name):
        self.store.drop(self.store.get(name))
        self.keeping.settle()

    def rest(self, name):
        """Let a workspace of which all is kept leave the memory, and be held by nobody."""
        self.keeping.settle()
        assert self.store.rest(name)
