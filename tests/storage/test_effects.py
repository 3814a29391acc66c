"""What leaves a workspace leaves once its cause is saved, or never; what comes back is saved, sooner or later."""

from contextlib import suppress
from datetime import UTC, datetime

import pytest
from stepped import Stepped
from storage.stepper import WHY

from mockserver.core.effects import CallOutcome, OutgoingRequest
from mockserver.core.traffic.mail import FAILED, SENT, WAITING, Mail, Sending
from mockserver.core.workspaces.lifecycle import dispatch, send_mail, settle, settle_late
from mockserver.core.workspaces.storage import StorageError
from mockserver.storage.engine import ConflictError
from mockserver.storage.working_set import SharedWorkingSet, WorkingSet

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
def options(effects):
    """The options of the server's store."""
    return {"effects": effects}


@pytest.fixture
def workspace(server):
    server.create("w")
    return server.store.peek("w")


@pytest.fixture
def overtaken(server):
    """Lets another server be faster once, where there can be another one."""

    def overtaken():
        if server.storage.is_shared:
            server.engine.meanwhile.append(conflict)

    return overtaken


def conflict():
    """What an engine says when another server was faster."""
    raise ConflictError(("w",))


def call(workspace):
    workspace.open()
    job = workspace.jobs.begin(1, "delivery", "1")
    dispatch(workspace, job, URL, lambda: OutgoingRequest(URL, (), b"", 1.0), lambda outcome: None)


def mail(workspace):
    workspace.open()
    send_mail(workspace, Mail("1", datetime.now(UTC), "a@a.test", "b@b.test", "", ""))


def sending(workspace):
    """How far the e-mail has come."""
    workspace.open()
    return workspace.state.mailbox.sending(workspace.state.mailbox.find("1"))


@pytest.mark.parametrize("act", [call, mail])
def test_an_effect_leaves_after_its_cause_is_saved(server, workspace, effects, act):
    left_before = []
    server.engine.meanwhile.append(lambda: left_before.extend(effects.left))
    server.run(lambda: act(workspace))
    assert left_before == []
    assert len(effects.left) == 1


@pytest.mark.parametrize("act", [call, mail])
def test_an_effect_leaves_once_though_its_step_ran_twice(server, workspace, effects, act, overtaken):
    overtaken()
    server.run(lambda: act(workspace))
    assert len(effects.left) == 1


@pytest.mark.parametrize("act", [call, mail])
def test_an_effect_never_leaves_if_its_cause_could_not_be_saved(server, workspace, effects, act):
    server.engine.trouble = WHY
    with suppress(StorageError):
        server.run(lambda: act(workspace))
    server.engine.trouble = None
    server.run(workspace.open)
    assert effects.left == []


def test_a_call_that_a_failed_step_has_begun_again_is_not_taken_for_one_under_way(server, workspace, effects):
    server.run(lambda: call(workspace))
    server.engine.trouble = WHY
    with suppress(StorageError):
        server.run(lambda: (call(workspace), setattr(workspace, "label", "lost")))
    server.engine.trouble = None
    server.run(workspace.open)
    working_set = (SharedWorkingSet if server.storage.is_shared else WorkingSet)(server.store)
    working_set.turn()
    assert not workspace.is_busy  # no row needs the call, which is not made again


def test_a_call_cancelled_in_the_same_step_does_not_leave(server, workspace, effects):
    server.run(lambda: (call(workspace), workspace.jobs.cancel("delivery", "1")))
    assert effects.left == []


def test_the_outcome_of_a_call_is_saved(server, workspace, effects):
    server.run(lambda: call(workspace))
    effects.left[0].done(CallOutcome(200))
    assert not server.storage.copy("w").is_busy


@pytest.mark.parametrize("then", [Sending(SENT, 1), Sending(FAILED, 1, "refused"), Sending(WAITING, 1, "later")])
def test_the_state_of_an_email_is_saved_though_another_server_was_faster(server, workspace, effects, then, overtaken):
    assert server.run(lambda: (mail(workspace), sending(workspace))[1]) == Sending(WAITING)
    overtaken()
    effects.left[0](then)
    assert server.run(lambda: sending(workspace)) == then


def test_the_state_of_an_email_is_not_noted_of_a_later_one_with_its_id(server, workspace, effects):
    server.run(lambda: mail(workspace))
    Stepped(server.store).reset(workspace)
    server.run(lambda: mail(workspace))
    first, second = effects.left
    first(Sending(FAILED, 1, "refused"))
    assert server.run(lambda: sending(workspace)) == Sending(WAITING)
    second(Sending(SENT, 1))
    assert server.run(lambda: sending(workspace)) == Sending(SENT, 1)


def test_outcomes_that_come_while_the_store_is_away_are_saved_in_their_order(server, workspace, effects):
    server.run(lambda: mail(workspace))
    (report,) = effects.left
    server.engine.trouble = WHY
    report(Sending(WAITING, 1, "later"))
    server.engine.trouble = None
    report(Sending(SENT, 2))
    settle_late(workspace)
    assert server.storage.copy("w").state.mailbox.sendings == {"1": Sending(SENT, 2)}


def test_while_the_store_is_away_one_line_of_the_log_says_so(server, workspace, effects, caplog):
    server.run(lambda: [call(workspace), mail(workspace)])
    server.engine.trouble = WHY
    effects.left[0].done(CallOutcome(200))
    effects.left[1](Sending(SENT, 1))
    settle_late(workspace)
    assert [record.getMessage() for record in caplog.records] == [f"the store cannot be used: {WHY}"]
    server.engine.trouble = None
    settle_late(workspace)
    assert not server.storage.copy("w").is_busy


def test_one_line_of_the_log_says_that_a_workspace_cannot_be_saved(server, workspace, caplog):
    settle(workspace, workspace.snapshots.__setitem__, "bad", None)
    settle_late(workspace)
    (told,) = (record.getMessage() for record in caplog.records)
    assert told.startswith("what has happened to workspace w is noted later: workspace w cannot be written: ")


def test_an_outcome_that_fails_is_logged_and_costs_no_later_one(server, workspace, caplog):
    server.engine.trouble = WHY
    settle(workspace, lambda: workspace.revoke_key("a"))
    settle(workspace, lambda: 1 / 0)
    settle(workspace, workspace.revoke_key, "b")
    server.engine.trouble = None
    settle_late(workspace)
    assert server.storage.copy("w").state.revoked_keys == {"a", "b"}
    assert "what has happened to workspace w cannot be noted" in caplog.text


def test_an_outcome_for_a_workspace_that_was_removed_is_over_at_once(server, workspace, caplog):
    server.drop("w")
    outcomes = []
    settle(workspace, outcomes.append, "first")
    assert (outcomes, caplog.records) == (["first"], [])


def test_a_waiting_email_is_not_wanted_once_its_workspace_is_removed(server, workspace, effects, monkeypatch):
    asked = []
    monkeypatch.setattr(effects, "post", lambda mail, report, wanted: asked.append(wanted))
    server.run(lambda: mail(workspace))
    server.drop("w")
    assert [wanted() for wanted in asked] == [False]
