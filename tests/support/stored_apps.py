"""Lets the applications of all tests keep their workspaces, and holds that what is read again is what was there."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
import stale_rows
from same_workspace import workspace_difference

from mockserver import create_app
from mockserver.core.workspaces.workspace import WorkspaceLimits
from mockserver.resources.registry import PARTS
from mockserver.storage import records as reading
from mockserver.storage.packing import layout

#: Who opens a store to look into it.
_WRITER = "tests"


def join(config, api):
    """Let a class of tests make its applications as the options of a run want it."""
    stale_rows.check(setattr)
    folder = TemporaryDirectory(prefix="kept-apps-")
    config.add_cleanup(folder.cleanup)
    kept = _stored_apps(config, Path(folder.name))
    config.pluginmanager.register(kept)
    api.create_app = kept.create_app


def _stored_apps(config, folder):
    config.pluginmanager.register(_Selection(_OF_MEMORY))
    if config.getoption("--store") == "sqlite":
        return StoredApps(Files(folder), create_app)
    config.pluginmanager.register(_Selection(_OF_NO_DATABASE))
    from redis_server import RedisServer  # noqa: PLC0415  # few runs need it

    server = RedisServer(folder, "--databases", str(_DATABASES))
    config.add_cleanup(partial(server.__exit__, None, None, None))
    databases = Databases(server.__enter__())
    replicas = config.getoption("--replicas")
    if replicas == 1:
        return StoredApps(databases, create_app)
    from replicated_app import Balancers, ReplicatedApp  # noqa: PLC0415  # as above

    balancers = Balancers(folder, replicas)
    config.add_cleanup(partial(balancers.__exit__, None, None, None))
    config.pluginmanager.register(_Selection(_OF_ONE_PROCESS))
    return StoredApps(databases, partial(ReplicatedApp, balancers=balancers.__enter__()))


#: Why tests are left out where a store keeps the workspaces, by the beginnings of their names.
_OF_MEMORY = {
    "changes a workspace or its records in memory, outside of a step": ("tests/inbound/test_mail.py", "tests/lint/"),
    "has an application that many tests share, and that ends with the first of them": (
        "tests/hostile/test_api.py",
        "tests/hostile/test_control.py",
    ),
    "reads a store while a server has it": ("tests/cli/test_store.py",),
    "says that there is no store": ("tests/control/test_call.py::test_health_call_reports_status_ok[health]",),
}
#: Why further tests are left out where that is a database, by the beginnings of their names.
_OF_NO_DATABASE = {
    "gives a workspace back before its step ends, which only a server alone does": (
        "tests/workspaces/test_letting_go.py",
    ),
    "has the workspaces in the order in which one server has used them": (
        "tests/dashboard/test_workspaces.py::test_the_list_has_all_workspaces_the_one_used_last_first",
        "tests/workspaces/test_eviction.py::test_the_longest_idle_workspace_goes_for_a_new_one_and_never_the_default_one",
    ),
}
#: Why tests are left out where several servers stand for one application, by the beginnings of their names.
_OF_ONE_PROCESS = {
    "looks into the memory of one server": (
        "tests/workspaces/test_passivat",
        "tests/workspaces/test_putting_back.py::test_a_sub_account_has_a_name_of_its_own",
        "tests/workspaces/test_seed_property.py",
        "tests/workspaces/test_store.py",
        "tests/workspaces/test_working_set.py",
        "tests/oauth/test_secrets.py",
        "tests/oauth/test_lifetimes.py::test_a_grant_ends",
    ),
    "asks what one server has evicted, or lets go a request that one server holds": (
        "tests/faults/test_answering_now.py",
        "tests/workspaces/test_eviction.py",
    ),
    "sends control characters in a header, which nginx refuses": (
        "tests/oauth/test_hostile.py::test_bad_requests_are_refused_and_change_nothing[garbage",
    ),
    "speaks to a server without nginx, which answers 502 for one that says nothing": (
        "tests/faults/test_leaving.py",
        "tests/faults/test_wire.py",
        "tests/faults/test_wsgi.py",
        "tests/oauth/test_fault_wire.py",
    ),
}


class _Selection:
    """A plugin of pytest: leaves tests out, by the beginnings of their names under each reason."""

    def __init__(self, reasons):
        self._beginnings = tuple(name for names in reasons.values() for name in names)

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, config, items):
        left_out = [item for item in items if item.nodeid.startswith(self._beginnings)]
        items[:] = [item for item in items if item not in left_out]
        config.hook.pytest_deselected(items=left_out)


class StoredApps:
    """A plugin of pytest: gives each application a store, and looks into it when its test or fixture is over."""

    def __init__(self, places, make, **settings):
        self._places, self._make, self._settings = places, make, settings
        #: The applications of the present test, each with the place of its store, and those of longer fixtures.
        self._of_test, self._of_fixtures = [], {}
        #: To which of these the next one belongs.
        self._next = self._of_test

    def create_app(self, settings):
        """An application with a store of its own, if the settings name none."""
        if settings.store != "memory":
            return create_app(settings)
        place = self._places.new()
        app = self._make(replace(settings, store=place.store, **self._settings))
        self._next.append((app, place))
        return app

    @pytest.hookimpl(wrapper=True)
    def pytest_fixture_setup(self, fixturedef):
        before = self._next
        if fixturedef.scope != "function":
            self._next = self._of_fixtures.setdefault(fixturedef, [])
        try:
            return (yield)
        finally:
            self._next = before

    def pytest_fixture_post_finalizer(self, fixturedef):
        _close(self._of_fixtures.pop(fixturedef, []))

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_teardown(self):
        result = yield
        _close(self._of_test)
        return result


class File:
    """A store of SQLite."""

    def __init__(self, path):
        self._path, self.store = path, f"sqlite:{path}"

    def open(self):
        from mockserver.storage.sqlite_engine import Engine  # noqa: PLC0415  # another store is another engine

        return Engine(self._path, layout=layout(), writer=_WRITER)

    @property
    def is_used(self):
        """Whether the application has opened it: some tests keep its workspaces elsewhere."""
        return self._path.exists()

    def remove(self):
        for file in self._path.parent.glob(f"{self._path.name}*"):
            file.unlink()


class Files:
    """Stores of SQLite in a folder."""

    def __init__(self, folder):
        self._folder, self._count = folder, 0

    def new(self):
        self._count += 1
        return File(self._folder / f"{self._count}.db")


#: How many stores of Redis are there at most at the same time, each a database of one server.
_DATABASES = 256


class Database:
    """A store of Redis."""

    def __init__(self, server, number, free):
        self._server, self._number, self._free = server, number, free
        self.store = server.url(number)

    def open(self):
        from mockserver.storage.redis_engine import Engine  # noqa: PLC0415  # another store is another engine

        return Engine(self.store, layout=layout(), writer=_WRITER)

    @property
    def is_used(self):
        """As that of a file."""
        return self._server.command("DBSIZE", self._number) != ":0"

    def remove(self):
        assert self._server.command("FLUSHDB", self._number) == "+OK"
        self._free.append(self._number)


class Databases:
    """Stores of Redis in one server."""

    def __init__(self, server):
        self._server, self._free = server, list(range(_DATABASES))

    def new(self):
        return Database(self._server, self._free.pop(), self._free)


def _close(apps):
    """Close applications, and hold that their stores have what they had in memory."""
    while apps:
        app, place = apps.pop()
        names = set(app.store.names())  # one that is closed hears of no other server's
        app.close()
        if place.is_used:
            _compare(app, place, names)
        place.remove()


def _compare(app, place, names):
    limits = WorkspaceLimits.of(app.settings)
    engine = place.open()
    try:
        assert {row.name for row in engine.outlines()} == names
        for workspace in app.store.loaded():
            if workspace.name not in names:
                continue  # a copy of one server, which another one has removed
            if workspace.late:
                continue  # a call ended after the store was closed; the next server makes it again
            newer = engine.read(workspace.name)
            if _is_older(workspace, newer):
                continue
            found = reading.load(workspace.name, newer.fields, parts=PARTS, limits=limits)
            lost = workspace_difference(found, workspace)
            assert lost is None, f"workspace {workspace.name}: {lost}"
    finally:
        engine.close()


def _is_older(workspace, newer):
    """Whether a copy in memory is older than what is saved: by another server, or as a step that failed has left it."""
    version = getattr(workspace.access.saved, "version", None)
    return version == "" or (version not in (None, newer.version) and newer.version != "1")
