"""Workspaces for tests, which act from outside of steps."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from inspect import ismethod

from mockserver.core.workspaces.storage import MissingError


class Stepped:
    """A store whose calls and properties each run in a step of their own; `inner` is the store itself."""

    def __init__(self, inner):
        self.inner = inner

    def __getattr__(self, name):
        found = self._run(lambda: getattr(self.inner, name))
        return partial(self._call, found) if ismethod(found) else found

    def __len__(self):
        return self._run(lambda: len(self.inner))

    def __contains__(self, name):
        return self._run(lambda: name in self.inner)

    def drop(self, workspace):
        return self._change(workspace, self.inner.drop)

    def reset(self, workspace, scenario=None):
        fresh = self.inner.maker.again(workspace, scenario)
        self._change(workspace, lambda found: self.inner.reset(found, fresh))

    def put(self, workspace, document):
        fresh = self.inner.maker.anew(workspace, document)
        self._change(workspace, lambda found: self.inner.put(found, fresh))

    def within(self, name, act):
        """Let a function act on a workspace in a step, by the name of the workspace."""
        return self._run(lambda: act(self.inner.get(name)))

    def _change(self, workspace, act):
        """Let a function act on a workspace, unless the workspace is gone. Return whether it has acted."""

        def step():
            workspace.open()
            act(workspace)

        try:
            self._run(step)
        except MissingError:
            return False
        return True

    def _call(self, method, *arguments, **options):
        def step():
            found = method(*arguments, **options)
            return tuple(found) if isinstance(found, Iterator) else found  # its rows are found in the step, too

        return self._run(step)

    def _run(self, step):
        return self.inner.storage.run(step)


@contextmanager
def held_elsewhere(storage, workspace):
    """Let a step of another thread have a workspace while the block runs."""
    is_held, may_end = threading.Event(), threading.Event()

    def step():
        storage.hold(workspace)
        is_held.set()
        assert may_end.wait(30)

    thread = threading.Thread(target=storage.run, args=(step,), daemon=True)
    thread.start()
    try:
        assert is_held.wait(30)
        yield
    finally:
        may_end.set()
        thread.join(30)


def tells(event):
    """A hook `leave` for a storage: sets an event when a step begins to wait for a workspace."""

    def leave(*, waits=False):
        if waits:
            event.set()

    return leave
