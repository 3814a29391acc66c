"""Answers that wait for the end of a turn of the event loop."""

import asyncio

import pytest

from mockserver.web.server import http1
from mockserver.web.server.http1 import Sending


class Transport:
    """A connection of a client, which may have left."""

    def __init__(self):
        self.sent = []
        self.is_left = False

    def write(self, data):
        self.sent.append(data)

    def is_closing(self):
        return self.is_left


def at_end_of_turn(step):
    """What `step` does with a sending within one turn, and all that is sent at the turn's end."""

    async def turn():
        step(Sending(), asyncio.get_running_loop())
        await asyncio.sleep(0)

    asyncio.run(turn())


def test_answers_are_sent_at_the_end_of_the_turn_in_their_order():
    one, other = Transport(), Transport()

    def step(answers, loop):
        answers.add(loop, one, b"1")
        answers.add(loop, other, b"2")
        answers.add(loop, one, b"3")
        assert one.sent == other.sent == []

    at_end_of_turn(step)

    assert (one.sent, other.sent) == ([b"1", b"3"], [b"2"])


def test_answers_are_sent_once_if_somebody_cannot_wait_for_the_end_of_the_turn():
    one = Transport()

    def step(answers, loop):
        answers.add(loop, one, b"1")
        answers.send()
        assert one.sent == [b"1"]
        answers.add(loop, one, b"2")

    at_end_of_turn(step)

    assert one.sent == [b"1", b"2"]


def test_large_answer_is_sent_without_delay(monkeypatch):
    monkeypatch.setattr(http1, "_MOST", 3)
    one = Transport()

    def step(answers, loop):
        answers.add(loop, one, b"123")
        assert one.sent == []
        answers.add(loop, one, b"4")
        assert one.sent == [b"123", b"4"]

    at_end_of_turn(step)


@pytest.mark.parametrize("is_left", [False, True])
def test_a_client_that_has_left_is_sent_nothing(is_left):
    one = Transport()

    def step(answers, loop):
        answers.add(loop, one, b"1")
        one.is_left = is_left

    at_end_of_turn(step)

    assert one.sent == ([] if is_left else [b"1"])
