"""Histories of requests in a workspace, and what stands for all outside of it."""

from __future__ import annotations

import itertools

import pytest
from examples import examples
from hypothesis import settings
from hypothesis.stateful import run_state_machine_as_test
from same_workspace import lost

from mockserver.core.effects import CallOutcome


@pytest.fixture
def run_history():
    """Plays histories of a RuleBasedStateMachine, each in a fresh workspace of the given API.

    Each ends in a workspace that is the same after it was written down and read again.
    """

    def run(machine, api, *, most, steps=30):
        run_state_machine_as_test(
            lambda: _kept(machine(api), api), settings=settings(examples(most), stateful_step_count=steps)
        )

    return run


def _kept(history, api):
    """A history at whose end nothing is lost when its workspace is written down and read again."""
    teardown = history.teardown

    def end():
        teardown()
        assert lost(api.workspace) is None

    history.teardown = end
    return history


class Elsewhere:
    """An outside that is a script: calls are answered at once, or held until a test answers them."""

    def __init__(self):
        #: Every call that was ever made.
        self.calls = []
        #: The calls that are held, by number: who gets to know what came of them.
        self.held = {}
        #: Gives the outcome of a call; None: it is held.
        self.answer_at_once = None
        self._numbers = itertools.count(1)

    def call(self, url, job):
        assert job.is_wanted
        post = job.written()
        self.calls.append(post)
        number = next(self._numbers)
        if self.answer_at_once is not None:
            job.done(CallOutcome(**self.answer_at_once(post)))
        else:
            self.held[number] = job.done

    def answer(self, number, **outcome):
        """Let one of the calls that are held come to something."""
        self.held.pop(number)(CallOutcome(**outcome))

    posts = True

    def post(self, *_):
        pass

    def watch(self, workspace):
        pass


@pytest.fixture(scope="session")
def elsewhere():
    """A factory of such outsides."""
    return Elsewhere
