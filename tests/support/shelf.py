"""A stand-in for what keeps workspaces: it holds copies of them in memory, as a store on disk holds their bytes."""

import copy
import threading

from mockserver.core.traffic.coverage import Coverage
from mockserver.core.workspaces.keeping import KeepingError
from mockserver.core.workspaces.store import Store
from mockserver.core.workspaces.workspace import Workspace
from mockserver.scenario.load import load
from mockserver.storage.records.outline import outline

SMALL = {"accounts": [{"name": "m", "role": "master", "api_keys": ["m"]}]}

#: What a copy of a workspace has, beside its name and its state; the feed begins anew.
_COPIED = (
    "made_at", "origin", "ids", "journal", "coverage", "counted", "links", "fired", "calls", "history", "snapshots",
    "receivers",
)  # fmt: skip


def small_store(shelf, scenario=SMALL, **options):
    """A store whose workspaces are kept on a shelf; they have an account with the key `m`, or are of a document."""
    return Store(_loader, scenario, keeping=shelf, **options)


def _loader(document, *, name, seed=None, keyring=None, whole=False):
    found = load(document, name=name, seed=seed, keyring=keyring)
    found.origin = found.origin._replace(scenario=document)
    return found


class Shelf:
    """Keeps copies of workspaces; `names` are those that were loaded, in their order."""

    failure = None

    def __init__(self):
        self._copies = {}
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

    def lock(self):
        return threading.RLock()

    def outlines(self):
        """After an end of the server: what lived when it ended is kept as it was then."""
        live, self._live = self._live, {}
        for workspace in live.values():
            self._keep(workspace)
        return [found._replace(**self._told.get(found.name, {})) for found, *_ in self._copies.values()]

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
        _, state, copied, parts, limits = copy.deepcopy(self._copies[name], {id(None): None})
        found = Workspace(name, state, parts=parts.it, limits=limits)
        vars(found).update(copied)
        return found

    def add(self, workspace):
        self._live[workspace.name] = workspace

    def remove(self, name):
        self._live.pop(name, None)
        self._copies.pop(name, None)

    def release(self, workspace):
        if not self.is_up_to_date:
            return None
        del self._live[workspace.name]
        return self._keep(workspace)

    def _keep(self, workspace):
        copied = {name: getattr(workspace, name) for name in _COPIED}
        found = copy.deepcopy((outline(workspace), workspace.state, copied, _Same(workspace.parts), workspace.limits))
        self._copies.pop(workspace.name, None)
        self._copies[workspace.name] = found
        return found[0]

    def settle(self):
        """Nothing has to be waited for."""

    def coverage(self, names):
        found = Coverage()
        for name in names:
            found.merge(self._copies[name][2]["coverage"])
        return found

    def clear_coverage(self, names):
        for name in names:
            self._copies[name][2]["coverage"].clear()

    def past(self):
        return copy.deepcopy(self._past)

    def keep_past(self, coverage):
        self._past = copy.deepcopy(coverage)

    def secret(self, name, draw):
        if name not in self._secrets:
            self._secrets[name] = draw()
        return self._secrets[name]

    def has_secret(self, name):
        return name in self._secrets

    def close(self):
        """Nothing is open."""


class _Same:
    """What is the same in every copy."""

    def __init__(self, it):
        self.it = it

    def __deepcopy__(self, memo):
        return self
