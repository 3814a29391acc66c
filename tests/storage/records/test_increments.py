"""What is new in a workspace, upon what was written of it before, is the whole workspace."""

from copy import deepcopy

import pytest
import stale_rows
from examples import examples
from held_workspace import HeldWorkspace
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule, run_state_machine_as_test
from same_workspace import workspace_difference

from mockserver.core.traffic.exchange import Exchange
from mockserver.core.traffic.held import Held
from mockserver.core.workspaces.origin import WorkspaceLimits
from mockserver.resources.activities.model import Activity
from mockserver.resources.senders.sender import Sender
from mockserver.resources.webhooks.history import Export, keep_file
from mockserver.settings import Settings
from mockserver.storage.records import rows
from mockserver.storage.records.packing import pack
from mockserver.storage.records.written import Written
from mockserver.web.service.rate_limit import Windows

#: So few that most histories evict something.
FEW = {"journal_limit": 4, "mailbox_limit": 2, "history_limit": 5, "receivers_limit": 2}
SCENARIO = {"extends": "send", "clock": {"start": "2026-01-15T09:00:00Z", "frozen": True}}
NAMES = st.sampled_from(["a", "b", "c"])


@pytest.fixture(autouse=True)
def checked(monkeypatch):
    stale_rows.check(monkeypatch.setattr)


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
        self.held, self.written = HeldWorkspace(), Written(self.api.workspace)

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

    @rule()
    def lose_what_was_to_be_written(self):
        with self.api.workspace.lock:
            self.written.changes()
        self.written.take_back()

    @rule()
    def write_it_twice(self):
        with self.api.workspace.lock:
            changes = self.written.changes()
        self.held.apply(changes)
        self.held.apply(changes)

    @invariant()
    def what_is_held_is_the_workspace(self):
        workspace = self.api.workspace
        with workspace.lock:
            self.held.apply(self.written.changes())
            loaded = self.held.load(limits=workspace.limits)
            assert workspace_difference(loaded, workspace) is None
            assert not self.written.changes()
        assert not Written.loaded(loaded, self.held.stored).changes()


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


def test_a_workspace_that_nobody_has_used_has_no_changes(written):
    assert not written.changes()


def test_one_request_changes_no_more_than_it_has_to(api, written):
    api.get("/v3/senders")
    account = api.workspace.state.first_account.id

    changes = written.changes()

    assert set(changes.parts) == {"workspace", "coverage", f"account/{account}"}
    assert [(log.name, len(log.entries), log.anew) for log in changes.logs] == [("requests", 1, False)]


def test_changes_that_were_not_kept_come_again(api, written):
    api.post("/v3/senders", json={"name": "New", "email": "new@acme.test"})
    lost = written.changes()

    written.take_back()

    assert written.changes() == lost


def test_a_snapshot_is_written_once(api, written):
    api.post("/_mock/snapshots", json={"name": "now"})
    assert "snapshot/now" in written.changes().parts

    api.get("/v3/senders")
    assert "snapshot/now" not in written.changes().parts


def test_a_part_that_is_gone_is_named(api):
    api.post("/_mock/snapshots", json={"name": "now"})
    written = Written(api.workspace)
    written.changes()

    api.delete("/_mock/snapshots/now")

    assert written.changes().gone == ["snapshot/now"]


def test_an_exchange_that_gets_its_answer_late_is_written_again(api):
    workspace = api.workspace
    exchange = Exchange("held", workspace.state.clock.now(), "GET", "/v3/account", "", (), b"", {}, "getAccount")
    exchange.held = Held(exchange.id)
    workspace.note(exchange)
    held, written = HeldWorkspace(), Written(workspace)
    held.apply(written.changes())
    assert not written.changes()

    exchange.status = 200
    workspace.complete(exchange)
    held.apply(written.changes())

    assert workspace_difference(held.load(), workspace) is None


def test_lower_limits_drop_the_oldest(api):
    for _ in range(3):
        api.get("/v3/senders")
    held = HeldWorkspace()
    held.apply(Written(api.workspace).changes())

    loaded = held.load(limits=WorkspaceLimits.of(Settings(journal_limit=2)))
    written = Written.loaded(loaded, held.stored)
    held.apply(written.changes())

    assert [row.id for row in held.load().journal] == [row.id for row in loaded.journal]
    assert (len(loaded.journal), loaded.journal.evicted) == (2, 1)


def test_a_list_that_was_read_is_not_looked_at_again(api, written, monkeypatch):
    packed = []
    monkeypatch.setattr(rows, "pack", lambda value: packed.append(value) or pack(value))

    api.get("/v3/senders")
    written.changes()

    assert packed == [api.workspace.state.first_account.record(Windows)]


@pytest.mark.parametrize("read", ["rows_of", "timeline_of"])
def test_who_reads_rows_does_not_change_their_version(api, read):
    account = api.workspace.state.first_account
    before = account.version(Activity)

    getattr(account, read)(Activity)

    assert account.version(Activity) == before


@pytest.mark.parametrize(("change", "kind"), [("table", Sender), ("timeline", Activity), ("record", Windows)])
def test_who_may_change_rows_changes_their_version(api, change, kind):
    account = api.workspace.state.first_account
    before = account.version(kind)

    getattr(account, change)(kind)

    assert account.version(kind) != before


def test_a_copy_has_versions_of_its_own(api):
    account = api.workspace.state.first_account
    account.table(Sender)

    assert deepcopy(account).version(Sender) != account.version(Sender)


def test_timers_are_written_when_one_was_set_or_is_gone(api, written):
    api.get("/v3/senders")
    assert "timers" not in written.changes().parts

    api.post("/v3/senders", json={"name": "New", "email": "new@acme.test"})
    assert "timers" in written.changes().parts

    api.delete("/v3/senders/6")
    assert "timers" in written.changes().parts


@pytest.mark.parametrize("number", [0, 0.0, 1, 250, 0.5])
def test_a_number_is_read_as_it_was_given(api, number):
    api.put("/_mock/receivers/shop", json={"delay_ms": number})
    held = HeldWorkspace()
    held.apply(Written(api.workspace).changes())

    assert repr(held.load().receivers.get("shop").manner.delay_ms) == repr(number)


def test_a_file_that_goes_for_one_of_another_account_is_written_as_gone(make_api):
    scenario = {"accounts": [{"name": name, "api_keys": [name]} for name in ("one", "two")]}
    workspace = make_api(scenario, deliveries_limit=1).workspace
    held, written = HeldWorkspace(), Written(workspace)
    for account in workspace.state.accounts.values():
        row = Export(account.id, workspace.state.clock.now(), {})
        account.table(Export)[row.id] = row
        keep_file(workspace, row, account.name)
        held.apply(written.changes())

    loaded = held.load(limits=workspace.limits)

    assert [row.content for _, rows in loaded.state.tables(Export) for row in rows.values()] == [None, "two"]
