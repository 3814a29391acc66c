"""A copy of a workspace is brought up to date with what is new, or says that it has to be read as a whole."""

import pytest
from stored_workspace import StoredWorkspace

from mockserver.core.traffic.exchange import Exchange, Held
from mockserver.core.workspaces.workspace import Queued, WorkspaceLimits
from mockserver.resources.webhooks.history import Export, Files, keep_file
from mockserver.settings import Settings
from mockserver.storage import records
from mockserver.storage.engine import Newer
from mockserver.storage.records import Written


class Server:
    """A server that holds a workspace and writes it, and a copy in the memory of another one."""

    def __init__(self, api, limits=None):
        self.api, self.workspace = api, api.workspace
        self.held, self.written = StoredWorkspace(), Written(api.workspace)
        self.held.apply(self.written.changes())
        self.copy = self.held.load(limits=limits or self.workspace.limits)
        self.copied = Written.loaded(self.copy, self.held.newer)

    def refresh(self):
        """Write what is new and bring the copy up to date. Returns whether that has worked."""
        changes = self.written.changes()
        self.held.apply(changes)
        newer = Newer("2", changes.fields, changes.gone, is_whole=False)
        is_done = records.refresh(self.copy, newer)
        if is_done:
            self.copied.refreshed(newer)
        return is_done


@pytest.fixture
def saved_server(api):
    return Server(api)


def test_tables_that_have_not_changed_stay(saved_server):
    tables = saved_server.copy.state.first_account.contents.tables

    saved_server.api.post("/v3/senders", json={"name": "New", "email": "new@acme.test"})
    assert saved_server.refresh()

    after = saved_server.copy.state.first_account.contents.tables
    assert {kind.__name__ for kind in tables if after[kind] is tables[kind]} >= {"Domain", "Webhook"}


def test_who_watches_a_copy_is_told(saved_server):
    before = saved_server.copy.watchers.happened()

    saved_server.api.get("/v3/senders")
    assert saved_server.refresh()

    assert saved_server.copy.watchers.happened() > before


@pytest.mark.parametrize("path", ["/_mock/reset", "/_mock/snapshots/now/restore"])
def test_a_copy_has_to_be_read_as_a_whole_when_the_state_was_replaced(api, path):
    api.post("/_mock/snapshots", json={"name": "now"})
    server = Server(api)

    api.post(path)

    assert not server.refresh()


@pytest.mark.parametrize("lost", ["e:requests:1", "e:feed:1"])
def test_a_copy_has_to_be_read_as_a_whole_when_an_entry_is_missing(saved_server, lost):
    saved_server.api.get("/v3/senders")
    saved_server.api.get("/v3/senders")
    fields = dict(saved_server.written.changes().fields)
    del fields[lost]
    before = len(saved_server.copy.journal)

    assert not records.refresh(saved_server.copy, Newer("2", fields, is_whole=False))
    assert len(saved_server.copy.journal) == before


def test_a_copy_has_to_be_read_as_a_whole_when_its_limits_are_lower(api):
    server = Server(api, limits=WorkspaceLimits.of(Settings(journal_limit=1)))

    for _ in range(2):
        api.get("/v3/senders")

    assert not server.refresh()


def test_files_of_exports_follow_from_the_rows_of_the_copy(saved_server):
    account = saved_server.workspace.state.first_account
    row = Export(1, saved_server.workspace.state.clock.now(), {})
    account.table(Export)[row.id] = row
    keep_file(saved_server.workspace, row, "one")
    assert saved_server.refresh()

    saved_server.api.get("/v3/senders")  # the account is read again, and the state is not
    assert saved_server.refresh()

    read = saved_server.copy.state.first_account.table(Export)[1]
    assert [file is read for file in saved_server.copy.state.record(Files).ring] == [True]


def exchange(workspace, name):
    return Exchange(name, workspace.state.clock.now(), "GET", "/v3/account", "", (), b"", {}, "getAccount")


@pytest.fixture
def held(api):
    return hold(api.workspace)


def hold(workspace):
    """Note an exchange whose answer a fault holds back."""
    found = exchange(workspace, "held")
    found.held = Held(found.id)
    workspace.note(found)
    return found


def answer(workspace, held):
    held.status = 200
    workspace.complete(held)


def test_an_exchange_that_gets_its_answer_late_stays_out_when_it_was_evicted(make_api):
    api = make_api(journal_limit=1)
    server = Server(api)
    workspace = api.workspace
    late = hold(workspace)
    api.get("/v3/senders")
    server.held.apply(server.written.changes())

    answer(workspace, late)

    assert not [name for name in server.written.changes().fields if name.startswith("e:requests")]


def test_a_copy_has_to_be_read_as_a_whole_when_an_exchange_got_its_answer_late(saved_server, held):
    assert saved_server.refresh()

    answer(saved_server.workspace, held)

    assert not saved_server.refresh()


@pytest.mark.parametrize("is_whole", [False, True])
def test_an_answer_is_written_by_the_server_that_holds_it_when_another_one_was_faster(api, held, is_whole):
    """Another server has changed the workspace meanwhile, so that it was read again here."""
    held_by_engine = StoredWorkspace.of(api.workspace)
    other = held_by_engine.load()
    others = Written.loaded(other, held_by_engine.newer)
    written = Written.loaded(api.workspace, held_by_engine.newer)
    other.note(exchange(other, "other"))
    changes = others.changes()
    held_by_engine.apply(changes)

    if is_whole:
        records.take_over(api.workspace, held_by_engine.load())
        written = Written.loaded(api.workspace, held_by_engine.newer)
    else:
        newer = Newer("2", changes.fields, changes.gone, is_whole=False)
        assert records.refresh(api.workspace, newer)
        written.refreshed(newer)
    assert api.workspace.journal.find("held").is_held
    answer(api.workspace, held)
    held_by_engine.apply(written.changes())

    assert [(row.id, row.status) for row in held_by_engine.load().journal] == [("other", None), ("held", 200)]


def test_an_email_that_was_queued_in_a_failed_step_is_not_on_its_way(api):
    leaves, stays = Queued(), Queued()
    leaves.is_under_way = True
    workspace = api.workspace
    workspace.queued = {"1": leaves, "2": stays}

    records.take_over(workspace, StoredWorkspace.of(workspace).load())

    assert workspace.queued == {"1": leaves}
