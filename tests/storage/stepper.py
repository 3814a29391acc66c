"""Servers of a store without HTTP, which act in steps."""

from memory_storage import Watched, WatchedEngine, small_store

from mockserver.core.workspaces.workspace import WorkspaceLimits
from mockserver.resources.registry import PARTS
from mockserver.settings import Settings
from mockserver.storage.redis_engine import Engine as RedisEngine
from mockserver.storage.sessions import SessionStorage

LAYOUT = "today"
WHY = "the disk is full"


class WatchedRedis(Watched, RedisEngine):
    """A connection to Redis that is watched."""


class Stepper:
    """A server on a store: a path, or the address of a database."""

    def __init__(self, place, **options):
        self.engine = (WatchedRedis if isinstance(place, str) else WatchedEngine)(place, layout=LAYOUT)
        self.storage = SessionStorage(self.engine, parts=PARTS, limits=WorkspaceLimits.of(Settings()))
        self.store = small_store(self.storage, **options)
        self.run, self.close = self.storage.run, self.storage.close

    def change(self, key, name="default"):
        """Revoke a key, within a step or as one."""
        self.run(lambda: self.store.get(name).revoke_key(key))

    def revoked(self, name="default"):
        return self.run(lambda: sorted(self.store.get(name).state.revoked_keys))

    def kept(self, name="default"):
        """The revoked keys of a workspace as it is saved."""
        return sorted(self.storage.copy(name).state.revoked_keys)

    def create(self, *names, **options):
        for name in names:
            self.run(lambda name=name: self.store.create(name=name, **options))

    def drop(self, *names):
        for name in names:
            self.run(lambda name=name: self.store.drop(self.store.get(name)))

    def names(self):
        return set(self.store.names())

    def copies(self):
        """The names of the workspaces in memory, but for the default one."""
        return {workspace.name for workspace in self.store.loaded()} - {"default"}

    def overtaken(self, other, act=lambda workspace: None, *, always=False):
        """Run a step that revokes `ours`, while another server revokes keys, once or always; give what it has seen."""
        runs = []

        def step():
            workspace = self.store.get("default")
            if always or not runs:
                other.change(f"theirs {len(runs)}")
            runs.append(sorted(workspace.state.revoked_keys))
            act(workspace)
            workspace.revoke_key("ours")

        self.run(step)
        return runs
