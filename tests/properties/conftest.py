"""Histories of requests in a workspace, and what stands for all outside of it."""

from __future__ import annotations

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
    """Stands for all outside of a workspace: calls are answered at once, by a script."""

    posts = True

    def __init__(self):
        self.calls = []
        #: Returns the outcome of a call.
        self.answer_at_once = None

    def call(self, url, job):
        assert job.is_wanted
        post = job.written()
        self.calls.append(post)
        job.done(CallOutcome(**self.answer_at_once(post)))

    def post(self, *_):
        pass

    def watch(self, workspace):
        pass


@pytest.fixture(scope="session")
def elsewhere():
    """A factory of such outsides."""
    return Elsewhere
