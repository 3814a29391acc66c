"""A stand-in for what keeps workspaces: it holds their bytes in memory, as a store on disk holds them."""

import copy
import threading
from typing import NamedTuple

from mockserver.core.traffic.coverage import Coverage
from mockserver.core.workspaces.keeping import KeepingError, Outline
from mockserver.core.workspaces.origin import WorkspaceLimits
from mockserver.core.workspaces.shared_store import SharedStore
from mockserver.core.workspaces.store import Store
from mockserver.core.workspaces.workspace import Parts
from mockserver.scenario.load import load
from mockserver.storage.records.changes import Stored
from mockserver.storage.records.outline import outline
from mockserver.storage.records.reading import COVERAGE, coverage
from mockserver.storage.records.reading import load as load_records
from mockserver.storage.records.written import Written

SMALL = {"accounts": [{"name": "m", "role": "master", "api_keys": ["m"]}]}


def small_store(shelf, scenario=SMALL, **options):
    """A store whose workspaces are kept on a shelf; they have an account with the key `m`, or are of a document."""
    return (SharedStore if getattr(shelf, "is_shared", False) else Store)(_loader, scenario, keeping=shelf, **options)


def _loader(document, *, name, seed=None, keyring=None, whole=False):
    found = load(document, name=name, seed=seed, keyring=keyring)
    found.origin = found.origin._replace(scenario=document)
    return found


class Shelf:
    """Keeps workspaces; `names` are those that were loaded, in their order."""

    is_shared = False
    failure = None

    def __init__(self):
        self._kept = {}
        self._live = {}
        self._past = Coverage()
        self._secrets = {}
        self.names = []
        #: Why each of these workspaces cannot be read.
        self.damaged = {}
        #: What else is told of a workspace than is true, by its name.
        self._told = {}
        self._loaded = threading.Condition()
        #: Whether what has changed is kept by now.
        self.is_up_to_date = True

    def status(self):
        """Nothing is told of it."""

    def lock(self):
        return threading.RLock()

    def outlines(self):
        """After an end of the server: what lived when it ended is kept as it was then."""
        live, self._live = self._live, {}
        for workspace in live.values():
            self._keep(workspace)
        return [kept.outline._replace(**self._told.get(name, {})) for name, kept in self._kept.items()]

    def tell(self, name, **members):
        """Let the outline of a workspace have other members."""
        self._told[name] = members

    def has_loaded(self, name):
        """Whether a workspace is loaded; waits for that."""
        with self._loaded:
            return self._loaded.wait_for(lambda: name in self.names, 30)

    def load(self, name):
        if name in self.damaged:
            raise KeepingError(f"workspace {name} cannot be read: {self.damaged[name]}")
        with self._loaded:
            self.names.append(name)
            self._loaded.notify_all()
        kept = self._kept[name]
        return load_records(name, kept.stored, parts=kept.parts, limits=kept.limits)

    def add(self, workspace):
        self._live[workspace.name] = workspace

    def remove(self, name):
        self._live.pop(name, None)
        self._kept.pop(name, None)

    def claim(self, name):
        """Nobody else would make one."""
        return True

    def let_go(self, outline):
        """Nobody else would take it."""

    def release(self, workspace):
        if not self.is_up_to_date:
            return None
        del self._live[workspace.name]
        return self._keep(workspace)

    def _keep(self, workspace):
        changes = Written(workspace).changes()
        stored = Stored(dict(changes.parts), {log.name: log.entries for log in changes.logs})
        self._kept.pop(workspace.name, None)
        self._kept[workspace.name] = _Kept(outline(workspace), stored, workspace.parts, workspace.limits)
        return self._kept[workspace.name].outline

    def effects(self, workspace, effects):
        """What is to leave a workspace leaves at once."""
        return effects

    def settle(self):
        """Nothing has to be waited for."""

    def coverage(self, names):
        found = Coverage()
        for name in names:
            found.merge(coverage(self._kept[name].stored.parts.get(COVERAGE, b"")))
        return found

    def clear_coverage(self, names):
        for name in names:
            self._kept[name].stored.parts[COVERAGE] = b""

    def past(self):
        return copy.deepcopy(self._past)

    def add_past(self, coverage):
        self._past.merge(coverage)

    def clear_past(self):
        self._past.clear()

    def secret(self, name, draw):
        if name not in self._secrets:
            self._secrets[name] = draw()
        return self._secrets[name]

    def has_secret(self, name):
        return name in self._secrets

    def close(self):
        """Nothing is open."""


class _Kept(NamedTuple):
    """A workspace that is kept."""

    outline: Outline
    stored: Stored
    parts: Parts
    limits: WorkspaceLimits
