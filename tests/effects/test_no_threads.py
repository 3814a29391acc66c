"""A system that has no more threads: what cannot begin is told, and later work begins."""

import threading
from types import SimpleNamespace

import pytest

from mockserver.effects.addresses import SmtpUrl
from mockserver.effects.deadline import Deadline
from mockserver.effects.dispatcher import Dispatcher, Task
from mockserver.effects.egress import addresses
from mockserver.effects.smtp_client import SmtpClient


@pytest.fixture
def threads(monkeypatch):
    """Says whether threads can be started."""
    found = SimpleNamespace(are_left=False)
    start = threading.Thread.start

    def begin(thread):
        if not found.are_left:
            raise RuntimeError("can't start new thread")
        start(thread)

    monkeypatch.setattr(threading.Thread, "start", begin)
    return found


def test_a_job_that_nobody_can_do_is_refused_and_the_next_one_is_done(threads):
    dispatcher, done = Dispatcher(threads=1), threading.Event()

    assert not dispatcher.submit(Task(lambda: None, lambda result: None))
    threads.are_left = True
    assert dispatcher.submit(Task(lambda: None, lambda result: done.set()))
    assert done.wait(10)
    dispatcher.close()


def test_a_name_cannot_be_looked_up_and_can_be_later(threads):
    with pytest.raises(OSError, match="DNS look-up of localhost failed"):
        addresses("localhost", Deadline(5))

    threads.are_left = True
    assert addresses("localhost", Deadline(5))


def test_a_report_that_fails_does_not_end_the_thread_of_the_mails(threads):
    threads.are_left = True
    client, told = SmtpClient(SmtpUrl.parse("smtp://127.0.0.1:1"), None), threading.Event()

    def wanted():
        raise ValueError

    client.send(lambda: None, lambda sending: None, wanted)
    client.send(lambda: None, lambda sending: None, told.set)
    assert told.wait(10)
    client.close()
