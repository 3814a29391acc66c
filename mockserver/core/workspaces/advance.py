"""Advancing the clock of a workspace, timer by timer, each after the jobs that the ones before have begun."""

from __future__ import annotations

from datetime import datetime, timedelta

from mockserver.core.time.timers import Timer
from mockserver.core.time.transition import Changed
from mockserver.core.workspaces.workspace import Workspace


class Advance:
    """A move of the clock, in steps between which jobs are waited for: their outcomes may set further timers."""

    def __init__(self, workspace: Workspace, target: datetime | timedelta | Timer | None) -> None:
        """Begin a move to a moment, by a length, to when a timer is due now or, without a target, to the next timer.

        The caller holds the lock.

        Raises:
            ClockError: the target is in the past, or a moment that no clock shows.
        """
        clock = workspace.state.clock
        self._start = clock.now()
        if isinstance(target, Timer):
            # A running clock may have passed its moment since it was looked up.
            target = max(target.moment, self._start)
        self._target = clock.reached(target, self._start) if isinstance(target, timedelta) else target
        if self._target is not None:
            clock.check(self._target, self._start)
        self._workspace = workspace
        self._generation = workspace.generation
        self._changes = workspace.collect_changes()

    def step(self) -> bool:
        """Go on until a job has to be waited for; True if the move is over. The caller holds the lock."""
        workspace = self._workspace
        while not self.interrupted:
            if workspace.jobs:
                if not workspace.fire_next(workspace.state.clock.now()):
                    return False
            elif self._target is None:
                # Only now is it known which timer is next: the jobs may have set one.
                timer = workspace.state.timers.next()
                self._target = workspace.state.clock.now() if timer is None else timer.moment
            elif not workspace.fire_next(self._target):
                workspace.state.clock.move_to(self._target)
                break
        self.stop()
        return True

    def stop(self) -> None:
        """End the move where it is."""
        self._workspace.stop_collecting(self._changes)
        self._workspace.watch()

    @property
    def interrupted(self) -> bool:
        """Whether the workspace has been given another state since the move began."""
        return self._workspace.generation != self._generation

    def fired(self) -> list[Changed]:
        """The transitions by timers since the move began, in the order of their moments."""
        passed = [change for change in self._changes if change.at > self._start and self._is_timed(change)]
        return sorted(passed, key=lambda change: change.at)

    def _is_timed(self, change: Changed) -> bool:
        return change.event in self._workspace.parts.lifecycles[change.machine].machine.timed
