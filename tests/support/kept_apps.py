"""Lets the applications of all tests keep their workspaces, and holds that what is read again is what was there."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from same_workspace import workspace_difference

from mockserver import create_app
from mockserver.core.workspaces.origin import WorkspaceLimits
from mockserver.resources.registry import PARTS
from mockserver.storage.records import reading
from mockserver.storage.records.layout import layout
from mockserver.storage.sqlite import Engine


def join(config, api):
    """Let a class of tests make its applications so."""
    folder = TemporaryDirectory(prefix="kept-apps-")
    config.add_cleanup(folder.cleanup)
    kept = KeptApps(Path(folder.name))
    config.pluginmanager.register(kept)
    api.create_app = kept.create_app


class KeptApps:
    """A plugin of pytest: gives each application a file, and looks into it when the test or the session is over."""

    def __init__(self, folder):
        self._folder, self._count = folder, 0
        #: The applications of the present test, and those that outlast it, each with its file.
        self._of_test, self._lasting = [], []
        self._is_lasting = False

    def create_app(self, settings):
        """An application with a file of its own, if the settings name no store."""
        if settings.store != "memory":
            return create_app(settings)
        self._count += 1
        path = self._folder / f"{self._count}.db"
        app = create_app(replace(settings, store=f"sqlite:{path}"))
        (self._lasting if self._is_lasting else self._of_test).append((app, path))
        return app

    @pytest.hookimpl(wrapper=True)
    def pytest_fixture_setup(self, fixturedef):
        before = self._is_lasting
        self._is_lasting = before or fixturedef.scope != "function"
        try:
            return (yield)
        finally:
            self._is_lasting = before

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_teardown(self):
        result = yield
        _close(self._of_test)
        return result

    def pytest_sessionfinish(self):
        _close(self._lasting)


def _close(apps):
    """Close applications, and hold that their files have what they had in memory."""
    while apps:
        app, path = apps.pop()
        app.close()
        if path.exists():  # else the application was not made
            _compare(app, path)
            for file in path.parent.glob(f"{path.name}*"):
                file.unlink()


def _compare(app, path):
    limits = WorkspaceLimits.of(app.settings)
    engine = Engine(path, layout=layout(), writer="tests")
    try:
        assert {row.name for row in engine.outlines()} == set(app.store.names())
        for workspace in app.store.loaded():
            found = reading.load(workspace.name, engine.read(workspace.name), parts=PARTS, limits=limits)
            lost = workspace_difference(found, workspace)
            assert lost is None, f"workspace {workspace.name}: {lost}"
    finally:
        engine.close()
