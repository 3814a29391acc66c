"""A keeper that holds the bytes of workspaces in memory, as a store on disk holds them."""

import threading
from typing import NamedTuple

from mockserver.core.traffic.coverage import Coverage
from mockserver.core.workspaces.shared_store import SharedStore
from mockserver.core.workspaces.storage import Outline, Storage, StorageError
from mockserver.core.workspaces.store import Store
from mockserver.core.workspaces.workspace import Parts, WorkspaceLimits
from mockserver.scenario.load import load
from mockserver.storage import records as reading
from mockserver.storage.engine import EngineError
from mockserver.storage.engine_storage import SavedWorkspace
from mockserver.storage.packing import decode
from mockserver.storage.records import Written
from mockserver.storage.sqlite_engine import Engine

SMALL = {"accounts": [{"name": "m", "role": "master", "api_keys": ["m"]}]}


def small_store(storage, scenario=SMALL, **options):
    """A store whose workspaces have an account with the key `m`, or are of a document."""
    return (SharedStore if storage.is_shared else Store)(_loader, scenario, storage=storage, **options)


def _loader(document, *, name, seed=None, keyring=None, whole=False):
    found = load(document, name=name, seed=seed, keyring=keyring)
    found.origin = found.origin._replace(scenario=document)
    return found


class Watched:
    """An engine that notes the workspaces of each write, does `meanwhile` once in the next one, and fails in `trouble`.

    Each write is a list of sets of names, one for each batch.
    """

    #: Why it cannot write now.
    trouble = None

    def __init__(self, *arguments, **options):
        super().__init__(*arguments, **options)
        self.writes, self.meanwhile = [], []
        self._written = threading.Condition()

    def write(self, *batches):
        while self.meanwhile:
            self.meanwhile.pop()()
        if self.trouble is not None:
            raise EngineError(self.trouble)
        super().write(*batches)
        with self._written:
            self.writes.append([{row.name for row in batch.rows} for batch in batches])
            self._written.notify_all()

    def has_written(self, name):
        """Whether a workspace is written; waits for that."""
        with self._written:
            return self._written.wait_for(lambda: any(name in names for write in self.writes for names in write), 30)


class WatchedEngine(Watched, Engine):
    """A file that is watched."""


class MemoryStorage(Storage):
    """Saves workspaces when they are passivated, and when the outlines are asked for; `names` are the loaded ones."""

    def __init__(self):
        super().__init__()
        self._saved = {}
        self._live = {}
        self.names = []
        #: Why each of these workspaces cannot be read or written.
        self.damaged = {}
        #: When each of these workspaces claims to be due.
        self.due = {}
        self._loaded = threading.Condition()
        #: Whether all changes are saved by now.
        self.is_up_to_date = True

    def outlines(self):
        """After an end of the server, everything is saved as it was then."""
        live, self._live = self._live, {}
        for workspace in live.values():
            self._save(workspace)
        return [
            saved.outline._replace(due_at=self.due.get(name, saved.outline.due_at))
            for name, saved in self._saved.items()
        ]

    def has_loaded(self, name):
        """Whether a workspace is loaded; waits for that."""
        with self._loaded:
            return self._loaded.wait_for(lambda: name in self.names, 30)

    def load(self, name):
        if name in self.damaged:
            raise StorageError(f"workspace {name} cannot be read: {self.damaged[name]}")
        with self._loaded:
            self.names.append(name)
            self._loaded.notify_all()
        saved = self._saved[name]
        return reading.load(name, saved.fields, parts=saved.parts, limits=saved.limits)

    def add(self, workspace):
        super().add(workspace)
        self._live[workspace.name] = workspace

    def remove(self, name, outline=None):
        self._live.pop(name, None)
        self._saved.pop(name, None)

    def released(self, workspace):
        if workspace.name in self.damaged:
            raise StorageError(self.damaged[workspace.name])
        if not self.is_up_to_date:
            return None
        del self._live[workspace.name]
        return self._save(workspace)

    def _save(self, workspace):
        fields = dict(Written(workspace).changes().fields)
        outline = SavedWorkspace(workspace).outline()
        self._saved.pop(workspace.name, None)
        self._saved[workspace.name] = _Saved(outline, fields, workspace.parts, workspace.limits)
        return outline

    def coverage(self, names):
        found = Coverage()
        for name in names:
            if "p:coverage" in self._saved[name].fields:
                found.merge(decode(self._saved[name].fields["p:coverage"], Coverage))
        return found

    def clear_coverage(self, names):
        for name in names:
            self._saved[name].fields.pop("p:coverage", None)


class _Saved(NamedTuple):
    """A saved workspace."""

    outline: Outline
    fields: dict[str, bytes]
    parts: Parts
    limits: WorkspaceLimits
