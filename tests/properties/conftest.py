"""Hypothesis for the whole folder: the same examples in every run, and no clock that could fail one."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, settings
from hypothesis.stateful import run_state_machine_as_test

settings.register_profile(
    "mockserver",
    derandomize=True,
    deadline=None,
    database=None,
    print_blob=False,
    # A fixture of a property is a factory or a world that every example resets.
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
settings.load_profile("mockserver")


@pytest.fixture
def run_history():
    """Plays histories of a RuleBasedStateMachine, each in a fresh world of the given API."""

    def run(machine, api, *, examples=30, steps=30):
        run_state_machine_as_test(
            lambda: machine(api), settings=settings(max_examples=examples, stateful_step_count=steps)
        )

    return run
