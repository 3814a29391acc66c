"""What is new in a workspace, upon what was written of it before, is the whole workspace."""

from copy import deepcopy

import pytest
import stale_rows
from examples import examples
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule, run_state_machine_as_test
from same_workspace import workspace_difference
from stored_workspace import StoredWorkspace

from mockserver.core.traffic.coverage import Coverage
from mockserver.core.workspaces.workspace import WorkspaceLimits
from mockserver.resources.activities.model import Activity
from mockserver.resources.senders.model import Sender
from mockserver.resources.webhooks.history import Export, keep_file
from mockserver.settings import Settings
from mockserver.storage import packing as rows
from mockserver.storage import records
from mockserver.storage.engine import Newer
from mockserver.storage.packing import decode, pack
from mockserver.storage.records import Written
from mockserver.web.service.rate_limit import Windows

#: So few that most histories evict something.
FEW = {"journal_limit": 4, "mailbox_limit": 2, "history_limit": 5, "receivers_limit": 2}
SCENARIO = {"clock": {"start": "2026-01-15T09:00:00Z", "frozen": True}}
NAMES = st.sampled_from(["a", "b", "c"])


@pytest.fixture(autouse=True)
def checked(monkeypatch):
    stale_rows.check(monkeypatch.setattr)


def without_feed(fields):
    """Fields without the items of the feed, which may refer to what is gone."""
    return {name: content for name, content in fields.items() if not name.startswith("e:feed:")}


class Increments(RuleBasedStateMachine):
    """A workspace that is used, written and loaded in any order; now and then what was to be written is lost."""

    def __init__(self, api):
        super().__init__()
        self.api = api

    @initialize()
    def begin(self):
        self.post("/_mock/reset", {"scenario": SCENARIO})
        for row in self.api.get("/_mock/snapshots").json["items"]:
            self.api.delete(f"/_mock/snapshots/{row['name']}")
        self.held, self.written = StoredWorkspace(), Written(self.api.workspace)
        #: What another server has in memory, which brings it up to date with what is new.
        self.copy = self.copied = None

    def post(self, path, body=None):
        assert self.api.post(path, json=body).status_code < 500

    @rule(name=NAMES)
    def add_a_sender(self, name):
        self.post("/v3/senders", {"name": name, "email": f"{name}@acme.test"})

    @rule(name=NAMES)
    def send(self, name):
        mail = {"sender": {"email": "news@acme.test"}, "to": [{"email": f"{name}@x.test"}], "subject": "s"}
        self.post("/v3/smtp/email", mail | {"textContent": name})

    @rule(name=NAMES)
    def receive(self, name):
        self.post(f"/_mock/receiver/{name}", {})

    @rule(name=NAMES)
    def forget_a_receiver(self, name):
        self.api.delete(f"/_mock/receivers/{name}")

    @rule()
    def remove_the_oldest_mail(self):
        mails = self.api.get("/_mock/mailbox").json["items"]
        if mails:
            self.api.delete(f"/_mock/mailbox/{mails[-1]['id']}")

    @rule()
    def empty_the_journal(self):
        self.api.delete("/_mock/requests")

    @rule(name=NAMES)
    def add_an_account(self, name):
        self.post("/_mock/seed", {"accounts": [{"name": name, "api_keys": [name], "revoked_keys": [f"{name}-old"]}]})

    @rule(name=NAMES)
    def revoke_a_key(self, name):
        self.api.workspace.revoke_key(name)

    @rule(name=NAMES)
    def remove_an_account(self, name):
        workspace = self.api.workspace
        account = workspace.state.account_named(name)
        if account is not None:
            workspace.remove_account(account)

    @rule(hours=st.integers(1, 30))
    def advance(self, hours):
        self.api.advance(f"PT{hours}H")

    @rule(name=NAMES)
    def take_a_snapshot(self, name):
        self.post("/_mock/snapshots", {"name": name})

    @rule(name=NAMES)
    def return_to_a_snapshot(self, name):
        self.post(f"/_mock/snapshots/{name}/restore")

    @rule(name=NAMES)
    def drop_a_snapshot(self, name):
        self.api.delete(f"/_mock/snapshots/{name}")

    @rule()
    def reset(self):
        self.post("/_mock/reset")

    @rule(name=NAMES)
    def read_it_again_after_a_failed_step(self, name):
        self.add_a_sender(name)

        def read_again(workspace):
            records.take_over(workspace, self.held.load(limits=workspace.limits))
            self.written = Written.loaded(workspace, self.held.newer)

        self.api.store.within("default", read_again)

    @rule()
    def write_it_twice(self):
        changes = self._changes()
        self.held.apply(changes)
        self.held.apply(changes)

    @invariant()
    def what_is_held_is_the_workspace(self):
        def compare(workspace):
            changes = self.written.changes()
            self.held.apply(changes)
            loaded = self.held.load(limits=workspace.limits)
            assert workspace_difference(loaded, workspace) is None
            assert without_feed(Written(loaded).changes().fields) == without_feed(self.held.fields)
            assert not self.written.changes()
            return changes, loaded

        changes, loaded = self.api.store.within("default", compare)
        assert not Written.loaded(loaded, self.held.newer).changes()
        self._bring_up_to_date(changes, self.api.workspace)

    def _changes(self):
        return self.api.store.within("default", lambda _: self.written.changes())

    def _bring_up_to_date(self, changes, workspace):
        """A copy that is brought up to date with what is new is the workspace, and has nothing new itself."""
        newer = Newer("2", changes.fields, changes.gone, is_whole=False)
        if self.copy is not None and records.refresh(self.copy, newer):
            self.copied.refreshed(newer)
        else:
            self.copy = self.held.load(limits=workspace.limits)
            self.copied = Written.loaded(self.copy, self.held.newer)
        assert workspace_difference(self.copy, workspace) is None
        assert not Written.loaded(self.copy, self.held.newer).changes()
        assert not self.copied.changes()


@pytest.mark.hypothesis
def test_changes_upon_changes_are_the_workspace(make_api):
    api = make_api("empty", **FEW)
    chosen = settings(examples(40), stateful_step_count=25)
    run_state_machine_as_test(lambda: Increments(api), settings=chosen)


@pytest.fixture
def written(api):
    """What was written of a workspace, of which all is."""
    found = Written(api.workspace)
    found.changes()
    return found


def test_changes_are_no_more_than_one_request_makes(api, written):
    api.get("/v3/senders")

    changes = written.changes()

    account = f"p:account/{api.workspace.state.first_account.id}"
    assert set(changes.fields) == {"p:workspace", "p:coverage", account, "e:requests:0", "e:feed:0"}
    assert not changes.gone


def test_lower_limits_drop_the_oldest_entries(api):
    for _ in range(3):
        api.get("/v3/senders")
    held = StoredWorkspace.of(api.workspace)
    limits = WorkspaceLimits.of(Settings(journal_limit=2))

    loaded = held.load(limits=limits)
    held.apply(Written.loaded(loaded, held.newer).changes())

    assert (len(loaded.journal), loaded.journal.evicted) == (2, 1)
    assert "e:requests:0" not in held.fields
    assert workspace_difference(held.load(limits=limits), loaded) is None


def test_entries_that_lower_limits_have_left_out_count_once_when_they_stay_in_the_engine(api):
    for _ in range(3):
        api.get("/v3/senders")
    held = StoredWorkspace.of(api.workspace)
    limits = WorkspaceLimits.of(Settings(journal_limit=2))
    loaded = held.load(limits=limits)
    written = Written.loaded(loaded)

    loaded.journal.push(loaded.journal.newest, 1)
    held.apply(written.changes())

    assert held.load(limits=limits).journal.evicted == loaded.journal.evicted == 2


def test_tables_that_were_only_read_are_not_packed_again(api, written, monkeypatch):
    packed = []
    monkeypatch.setattr(rows, "pack", lambda value: packed.append(value) or pack(value))

    api.get("/v3/senders")
    written.changes()

    of_rows = [value for value in packed if not isinstance(value, tuple | Coverage)]
    assert of_rows == [api.workspace.state.first_account.record(Windows)]


@pytest.mark.parametrize(
    ("use", "kind", "changes"),
    [
        ("rows_of", Activity, False), ("timeline_of", Activity, False),
        ("table", Sender, True), ("timeline", Activity, True), ("record", Windows, True),
    ],
)  # fmt: skip
def test_the_version_of_rows_changes_when_somebody_may_change_them(api, use, kind, changes):
    account = api.workspace.state.first_account
    before = account.version(kind)

    getattr(account, use)(kind)

    assert (account.version(kind) != before) is changes


def test_copied_tables_draw_separate_versions(api):
    account = api.workspace.state.first_account
    account.table(Sender)

    assert deepcopy(account).version(Sender) != account.version(Sender)


def test_a_key_is_a_field_that_says_what_it_opens_and_whether_it_is_revoked(api, written):
    workspace = api.workspace
    account = workspace.state.first_account
    seen = []

    workspace.add_key(account, "new")
    seen.append(written.changes().fields)
    workspace.revoke_key("new")
    seen.append(written.changes().fields)
    workspace.remove_account(account)
    seen.append({name: data for name, data in written.changes().fields.items() if name == "k:new"})

    forms = [(account.id, False), (account.id, True), (None, True)]
    assert [decode(fields["k:new"], tuple[int | None, bool]) for fields in seen] == forms
    assert [len([name for name in fields if name[0] == "k"]) for fields in seen] == [1, 1, 1]


def test_a_workspace_that_is_not_counted_has_no_field_with_its_coverage(make_api):
    api = make_api()
    api.post("/_mock/workspaces", json={"name": "quiet", "counted": False})
    workspace = api.store.get("quiet")
    api.get("/w/quiet/v3/senders")

    held = StoredWorkspace.of(workspace)

    assert "p:coverage" not in held.fields
    assert workspace_difference(held.load("quiet"), workspace) is None


def test_the_coverage_is_empty_when_its_field_is_gone(api):
    api.get("/v3/senders")
    held = StoredWorkspace.of(api.workspace)
    copy = held.load()

    assert records.refresh(copy, Newer("2", {}, ("p:coverage",), is_whole=False))
    del held.fields["p:coverage"]

    assert not copy.coverage.answers
    assert not held.load().coverage.answers


def test_a_number_is_read_as_it_was_given(api):
    for number in (0, 0.0, 1, 250, 0.5):
        api.put("/_mock/receivers/shop", json={"delay_ms": number})

        read = StoredWorkspace.of(api.workspace).load()

        assert repr(read.receivers.get("shop").manner.delay_ms) == repr(number)


def test_a_file_that_goes_for_one_of_another_account_is_written_as_gone(make_api):
    scenario = {"accounts": [{"name": name, "api_keys": [name]} for name in ("one", "two")]}
    workspace = make_api(scenario, deliveries_limit=1).workspace
    held, written = StoredWorkspace(), Written(workspace)
    for account in workspace.state.accounts.values():
        row = Export(account.id, workspace.state.clock.now(), {})
        account.table(Export)[row.id] = row
        keep_file(workspace, row, account.name)
        held.apply(written.changes())

    loaded = held.load(limits=workspace.limits)

    assert [row.content for _, rows in loaded.state.tables(Export) for row in rows.values()] == [None, "two"]
