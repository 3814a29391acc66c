"""E-mails that were on their way to a real server when the mock ended are sent by the next start."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from memory_storage import MemoryStorage, small_store
from stepped import Stepped

from mockserver.core.effects import NoEffects
from mockserver.core.traffic.mail import FAILED, SENT, WAITING, Mail, Sending
from mockserver.core.workspaces.lifecycle import send_mail


class Server(NoEffects):
    """A real server that answers nothing by itself: `mails` have come, each with what takes its sending."""

    posts = True

    def __init__(self):
        self.mails = []

    def post(self, mail, report, wanted):
        report(Sending(WAITING))
        self.mails.append((mail.id, report, wanted))


@pytest.fixture
def storage():
    """The e-mails 1, 2 and 3 were sent in this order, and the second one has arrived."""
    storage, server = MemoryStorage(), Server()
    workspace = Stepped(small_store(storage, effects=server)).default
    for number in "123":
        send_mail(workspace, Mail(number, datetime.now(UTC), "a@a.test", "b@b.test", "", ""))
    server.mails[1][1](Sending(SENT, 1))
    return storage


def states(workspace):
    mailbox = workspace.state.mailbox
    return {mail.id: mailbox.sending(mail).state for mail in mailbox}


def test_waiting_mails_are_sent_again_in_order_until_a_reset(storage):
    server = Server()
    store = Stepped(small_store(storage, effects=server))
    assert [number for number, *_ in server.mails] == ["1", "3"]

    server.mails[0][1](Sending(SENT, 1))
    assert states(store.default) == {"1": SENT, "2": SENT, "3": WAITING}

    store.reset(store.default)
    assert [wanted() for *_, wanted in server.mails] == [False, False]


def test_without_a_server_they_have_failed_and_say_why(storage):
    workspace = Stepped(small_store(storage)).default
    assert states(workspace) == {"1": FAILED, "2": SENT, "3": FAILED}
    sending = workspace.state.mailbox.sending(workspace.state.mailbox.find("1"))
    assert sending.error == "the server was started anew without --smtp-url"


def test_a_workspace_with_one_on_its_way_does_not_rest(storage):
    server = Server()
    store = Stepped(small_store(storage, effects=server))
    workspace = store.create(name="w")
    send_mail(workspace, Mail("4", datetime.now(UTC), "a@a.test", "b@b.test", "", ""))
    assert not store.passivate("w")

    server.mails.pop()[1](Sending(SENT, 1))
    del workspace
    assert store.passivate("w")
