"""What leaves a workspace leaves once its cause is saved, or never; what comes back is saved, sooner or later."""

from contextlib import suppress
from datetime import UTC, datetime

import pytest
from memory_storage import WatchedEngine, small_store

from mockserver.core.effects import CallOutcome, OutgoingRequest
from mockserver.core.traffic.mail import FAILED, SENT, WAITING, Mail, Sending
from mockserver.core.workspaces.lifecycle import dispatch, send_mail, settle, settle_late
from mockserver.core.workspaces.storage import StorageError
from mockserver.core.workspaces.workspace import WorkspaceLimits
from mockserver.resources.registry import PARTS
from mockserver.settings import Settings
from mockserver.storage.engine import ConflictError
from mockserver.storage.sessions import SessionStorage

URL = "http://client.test/hook"


class Effects:
    """The effects of a server: `left` is what has left it."""

    forwarder = None
    posts = True

    def __init__(self):
        self.left = []

    def call(self, url, job):
        if job.is_wanted:
            self.left.append(job)

    def post(self, mail, report, wanted):
        if wanted():
            self.left.append(report)

    def watch(self, workspace):
        """Nothing falls due by itself here."""


@pytest.fixture
def effects():
    return Effects()


@pytest.fixture
def engine(tmp_path):
    return WatchedEngine(tmp_path / "mock.db", layout="today")


@pytest.fixture
def keeper(engine):
    found = SessionStorage(engine, parts=PARTS, limits=WorkspaceLimits.of(Settings()))
    yield found
    found.close()


@pytest.fixture
def store(keeper, effects):
    return small_store(keeper, effects=effects)


@pytest.fixture
def workspace(keeper, store):
    return keeper.run(lambda: store.create(name="w"))


def conflict():
    """What an engine says when another server was faster."""
    raise ConflictError(("w",))


def call(workspace):
    with workspace.lock:
        job = workspace.jobs.begin(1, "delivery", "1")
        dispatch(workspace, job, URL, lambda: OutgoingRequest(URL, (), b"", 1.0), lambda outcome: None)


def mail(workspace):
    with workspace.lock:
        send_mail(workspace, Mail("1", datetime.now(UTC), "a@a.test", "b@b.test", "", ""))


def sending(workspace):
    """How far the e-mail has come."""
    with workspace.lock:
        return workspace.state.mailbox.sending(workspace.state.mailbox.find("1"))


@pytest.mark.parametrize("act", [call, mail])
def test_an_effect_leaves_after_its_cause_is_saved(keeper, engine, workspace, effects, act):
    left_before = []
    engine.meanwhile.append(lambda: left_before.extend(effects.left))
    keeper.run(lambda: act(workspace))
    assert left_before == []
    assert len(effects.left) == 1


@pytest.mark.parametrize("act", [call, mail])
def test_an_effect_leaves_once_though_its_step_ran_twice(keeper, engine, workspace, effects, act):
    engine.meanwhile.append(conflict)
    keeper.run(lambda: act(workspace))
    assert len(effects.left) == 1


@pytest.mark.parametrize("act", [call, mail])
def test_an_effect_never_leaves_if_its_cause_could_not_be_saved(keeper, engine, workspace, effects, act):
    engine.trouble = "the disk is full"
    with suppress(StorageError):
        keeper.run(lambda: act(workspace))
    engine.trouble = None
    keeper.run(lambda: workspace.lock.acquire() and workspace.lock.release())
    assert effects.left == []


def test_a_call_cancelled_in_the_same_step_does_not_leave(keeper, workspace, effects):
    def step():
        call(workspace)
        workspace.jobs.cancel("delivery", "1")

    keeper.run(step)
    assert effects.left == []


def test_the_outcome_of_a_call_is_saved(keeper, workspace, effects):
    keeper.run(lambda: call(workspace))
    effects.left[0].done(CallOutcome(200))
    assert not keeper.copy("w").is_busy


def test_an_email_is_waiting_before_it_is_saved(keeper, workspace):
    def step():
        mail(workspace)
        return sending(workspace)

    assert keeper.run(step) == Sending(WAITING)


@pytest.mark.parametrize("then", [Sending(SENT, 1), Sending(FAILED, 1, "refused"), Sending(WAITING, 1, "later")])
def test_the_state_of_an_email_is_saved_though_another_server_was_faster(keeper, engine, workspace, effects, then):
    keeper.run(lambda: mail(workspace))
    engine.meanwhile.append(conflict)
    effects.left[0](then)
    assert keeper.run(lambda: sending(workspace)) == then


def test_the_state_of_an_email_is_not_noted_of_a_later_one_with_its_id(keeper, store, workspace, effects):
    keeper.run(lambda: mail(workspace))
    keeper.run(lambda: store.reset(workspace))
    keeper.run(lambda: mail(workspace))
    first, second = effects.left
    first(Sending(FAILED, 1, "refused"))
    assert keeper.run(lambda: sending(workspace)) == Sending(WAITING)
    second(Sending(SENT, 1))
    assert keeper.run(lambda: sending(workspace)) == Sending(SENT, 1)


def test_outcomes_that_come_while_the_store_is_away_are_saved_in_their_order(keeper, engine, workspace, effects):
    keeper.run(lambda: mail(workspace))
    (report,) = effects.left
    engine.trouble = "the disk is full"
    report(Sending(WAITING, 1, "later"))
    engine.trouble = None
    report(Sending(SENT, 2))
    settle_late(workspace)
    assert keeper.copy("w").state.mailbox.sendings == {"1": Sending(SENT, 2)}


def test_while_the_store_is_away_one_line_of_the_log_says_so(keeper, engine, workspace, effects, caplog):
    keeper.run(lambda: [call(workspace), mail(workspace)])
    engine.trouble = "the disk is full"
    effects.left[0].done(CallOutcome(200))
    effects.left[1](Sending(SENT, 1))
    settle_late(workspace)
    assert [record.getMessage() for record in caplog.records] == ["the store cannot be used: the disk is full"]
    engine.trouble = None
    settle_late(workspace)
    assert not keeper.copy("w").is_busy


def test_one_line_of_the_log_says_that_a_workspace_cannot_be_saved(keeper, workspace, caplog):
    settle(workspace, workspace.snapshots.__setitem__, "bad", None)
    settle_late(workspace)
    (told,) = (record.getMessage() for record in caplog.records)
    assert told.startswith("what has happened to workspace w is noted later: workspace w cannot be written: ")


def test_an_outcome_that_fails_is_logged_and_costs_no_later_one(keeper, engine, workspace, caplog):
    engine.trouble = "the disk is full"
    settle(workspace, lambda: workspace.revoke_key("a"))
    settle(workspace, lambda: 1 / 0)
    settle(workspace, workspace.revoke_key, "b")
    engine.trouble = None
    settle_late(workspace)
    assert keeper.copy("w").state.revoked_keys == {"a", "b"}
    assert "what has happened to workspace w cannot be noted" in caplog.text


def test_an_outcome_for_a_workspace_that_was_removed_is_over_at_once(keeper, store, workspace, caplog):
    keeper.run(lambda: store.drop(store.get("w")))
    outcomes = []
    settle(workspace, outcomes.append, "first")
    assert (outcomes, caplog.records) == (["first"], [])


def test_a_waiting_email_is_not_wanted_once_its_workspace_is_removed(keeper, store, workspace, effects, monkeypatch):
    asked = []
    monkeypatch.setattr(effects, "post", lambda mail, report, wanted: asked.append(wanted))
    keeper.run(lambda: mail(workspace))
    keeper.run(lambda: store.drop(store.get("w")))
    assert [wanted() for wanted in asked] == [False]
