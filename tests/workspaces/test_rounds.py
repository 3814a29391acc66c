"""Background rounds: what fails in one workspace is logged once and tried again, and the others go on."""

import pytest

from mockserver.core.workspaces import rounds as module
from mockserver.core.workspaces.rounds import AGAIN_S, Rounds
from mockserver.core.workspaces.storage import MissingError, OutageError, StorageError


class Clock:
    """The clock of the rounds, which a test moves."""

    def __init__(self):
        self.seconds = 1000.0

    def monotonic(self):
        return self.seconds


@pytest.fixture
def clock(monkeypatch):
    found = Clock()
    monkeypatch.setattr(module, "time", found)
    return found


@pytest.fixture
def rounds(clock):
    return Rounds()


class Part:
    """A part that counts its runs, and fails while `error` is one."""

    def __init__(self, error=None):
        self.error, self.runs = error, 0

    def __call__(self):
        self.runs += 1
        if self.error is not None:
            raise self.error
        return "done"


def test_failed_part_costs_no_other_part(rounds):
    assert rounds.run("a is late", Part(StorageError("it is damaged"))) is None
    assert rounds.run("b is late", Part()) == "done"


def test_failed_part_is_put_off_and_then_runs_again(rounds, clock):
    part = Part(StorageError("it is damaged"))
    rounds.run("a is late", part)
    rounds.run("a is late", part)
    assert (part.runs, rounds.is_put_off("a is late")) == (1, True)

    part.error = None
    clock.seconds += AGAIN_S
    assert not rounds.is_put_off("a is late")
    assert rounds.run("a is late", part) == "done"


def test_failure_is_logged_once_until_the_part_succeeds_or_the_reason_changes(rounds, clock, caplog):
    part = Part()
    for reason in ("it is damaged", "it is damaged", "it is locked", None, "it is locked"):
        part.error = None if reason is None else StorageError(reason)
        rounds.run("a is late", part)
        clock.seconds += AGAIN_S
    assert [row.message for row in caplog.records] == [
        "a is late: it is damaged", "a is late: it is locked", "a is late: it is locked",
    ]  # fmt: skip


@pytest.mark.parametrize("error", [OutageError("Redis is away"), MissingError("no workspace a")])
def test_outage_and_removed_workspace_are_not_logged_for_each_workspace(rounds, caplog, error):
    rounds.run("a is late", Part(error))
    assert rounds.is_put_off("a is late")
    assert caplog.records == []


def test_failure_that_was_logged_before_an_outage_is_not_logged_after_it(rounds, clock, caplog):
    for error in (StorageError("it is damaged"), OutageError("Redis is away"), StorageError("it is damaged")):
        rounds.run("a is late", Part(error))
        clock.seconds += AGAIN_S
    assert len(caplog.records) == 1


def test_unexpected_error_is_logged_with_its_traceback(rounds, caplog):
    rounds.run("a is late", Part(ValueError("a bug")))
    assert "a is late: a bug" in caplog.text
    assert "Traceback" in caplog.text


def test_failures_of_parts_that_run_no_more_are_forgotten(rounds, clock):
    for number in range(1_000):
        rounds.run(f"w{number} is late", Part(StorageError("it is damaged")))
        clock.seconds += AGAIN_S
    assert len(rounds._failed) < 100  # noqa: SLF001  # nothing else tells how many are remembered
