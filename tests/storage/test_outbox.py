"""Calls and e-mails leave a workspace when it is kept what has caused them, and never if it is not."""

import threading
from contextlib import suppress
from datetime import UTC, datetime

import pytest
from servers_of_one_store import Cluster

from mockserver.core.effects.jobs import Outcome, OutgoingRequest
from mockserver.core.traffic.mail import Mail
from mockserver.core.traffic.mailbox import FAILED, SENT, WAITING, Sending
from mockserver.core.workspaces.keeping import KeepingError
from mockserver.core.workspaces.outgoing import dispatch, send

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
        report(Sending(WAITING))
        if wanted():
            self.left.append(report)

    def watch(self, workspace):
        """Nothing falls due by itself here."""


@pytest.fixture
def effects():
    return Effects()


@pytest.fixture
def server(effects):
    cluster = Cluster()
    yield cluster.start(effects=effects)
    cluster.close()


@pytest.fixture
def workspace(server):
    return server.make("w")


def call(workspace):
    with workspace.lock:
        job = workspace.jobs.begin(1, "delivery", "1")
        dispatch(workspace, job, URL, lambda: OutgoingRequest(URL, (), b"", 1.0), lambda outcome: None)
    return job


def mail(workspace):
    with workspace.lock:
        send(workspace, Mail("1", datetime.now(UTC), "a@a.test", "b@b.test", "", ""))
        return workspace.state.mailbox.find("1")


def kept(server, name="w"):
    """What the store holds of a workspace."""
    return server.keeping.copy(name)


@pytest.mark.parametrize("act", [call, mail])
def test_it_has_not_left_before_it_is_kept(server, workspace, effects, act):
    left_before = []
    server.engine.meanwhile.append(lambda: left_before.extend(effects.left))
    act(workspace)
    server.keeping.settle()
    assert left_before == []
    assert len(effects.left) == 1


def test_it_leaves_although_nobody_waits_for_it(workspace, effects):
    has_left = threading.Event()
    effects.call = lambda url, job: has_left.set()
    call(workspace)
    assert has_left.wait(30)


@pytest.mark.parametrize("act", [call, mail])
def test_it_never_leaves_if_what_has_caused_it_could_not_be_kept(server, workspace, effects, act):
    server.engine.trouble = "the store cannot be reached"
    act(workspace)
    with suppress(KeepingError):
        server.keeping.settle()
    server.engine.trouble = None
    server.add_key("w", "another")
    assert effects.left == []


def test_what_was_called_off_meanwhile_does_not_leave(server, workspace, effects):
    job = call(workspace)
    with workspace.lock:
        workspace.jobs.cancel(job.machine, job.key)
    server.keeping.settle()
    assert effects.left == []


def test_the_outcome_of_what_has_left_is_taken(server, workspace, effects):
    call(workspace)
    server.keeping.settle()
    effects.left[0].done(Outcome(200))
    assert not workspace.is_busy


def test_an_email_waits_for_those_who_look_while_it_is_not_kept(server, workspace):
    found = mail(workspace)
    assert workspace.state.mailbox.sending(found) == Sending(WAITING)


@pytest.mark.parametrize("then", [Sending(SENT, 1), Sending(FAILED, 1, "refused"), Sending(WAITING, 1, "later")])
def test_how_far_an_email_has_come_is_taken(server, workspace, effects, then):
    found = mail(workspace)
    server.keeping.settle()
    effects.left[0](then)
    assert workspace.state.mailbox.sending(found) == then


def test_that_it_leaves_is_no_change_of_its_workspace(server, workspace, effects):
    effects.post = lambda mail, report, wanted: report(Sending(WAITING))
    mail(workspace)
    server.keeping.settle()
    assert not workspace.lock.is_touched


def test_what_cannot_leave_keeps_nothing_from_being_kept(server, workspace, effects, caplog):
    def fail(url, job):
        raise RuntimeError

    effects.call = fail
    call(workspace)
    server.keeping.settle()
    assert "was to leave a workspace has not left it" in caplog.text
