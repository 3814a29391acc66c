"""The store of one of several servers, which share their workspaces."""

from __future__ import annotations

from mockserver.core.state.account import Account
from mockserver.core.workspaces.keeping import KeepingError, Outline
from mockserver.core.workspaces.registry import DEFAULT
from mockserver.core.workspaces.shared_registry import SharedRegistry
from mockserver.core.workspaces.store import NameTakenError, Store
from mockserver.core.workspaces.workspace import Workspace

#: How often a workspace that all servers make when they need it is looked for, and made, before that is given up.
#: Chosen: each time somebody must have made it and lost it again.
_TRIES = 5


class SharedStore(Store, SharedRegistry):
    """A store of workspaces of which another server may hold any, the default one too."""

    def _begin(self) -> None:
        self._title = ""
        kept = self.seen(DEFAULT)
        if kept is None:
            self._make_default()
        else:
            self._title = kept.origin.title
            self._check_scenario(kept)

    def find(self, key: str, within: Workspace | None = None) -> tuple[Workspace, Account] | None:
        if key not in self._homes:
            self.hear()
        return self._found(lambda: super(SharedStore, self).find(key, within))

    # ------------------------------------------------------------------ what every server makes when it needs it

    @property
    def default(self) -> Workspace:  # type: ignore[override]  # nobody sets it
        """The default workspace; it is made if there is none, as when the store was emptied.

        Raises:
            HeldElsewhereError: another server holds it.
            KeepingError: it cannot be read, or made.
        """
        for _ in range(_TRIES):
            found = self.get(DEFAULT)
            if found is not None:
                return found
            self._make_default()
        raise KeepingError("the default workspace goes as soon as it is made")

    def _make_default(self) -> None:
        """Make the default workspace, unless another server does."""
        fresh = self.maker.first(DEFAULT)
        self._title = fresh.origin.title
        if not self.keeping.claim(DEFAULT):
            self._expect(DEFAULT)
            return
        self.hear()
        with self._lock:
            if DEFAULT in self._workspaces:
                return
            self._add(fresh)
        with fresh.lock:
            fresh.catch_up()

    @property
    def title(self) -> str:
        """The title of the scenario of the default workspace, as far as is known here without asking anybody."""
        found = self.peek(DEFAULT)
        if found is not None:
            self._title = found.origin.title
        return self._title

    def _isolated(self, key: str) -> Workspace:
        for _ in range(_TRIES):
            try:
                return super()._isolated(key)
            except NameTakenError as taken:
                self._expect(str(taken))  # to look for it leads to the server that makes it
        raise KeepingError("the workspace of the API key goes as soon as it is made")

    def _expect(self, name: str) -> None:
        """Know of a workspace that another server makes, or has made."""
        with self._lock:
            if name not in self._workspaces:
                self._know(Outline(name, ()))

    # ------------------------------------------------------------------ making

    def _is_taken(self, name: str) -> bool:
        if super()._is_taken(name):
            self.hear()
        return super()._is_taken(name)

    def _claim(self, name: str) -> None:
        self.before_loading()
        super()._claim(name)
        self.hear()  # whatever had this name is gone, and is known to be so before there is another one
