"""A move of the clock that waits for what leaves on the way, so that its outcome decides what is due next."""

from __future__ import annotations

from datetime import datetime, timedelta

from mockserver.core.time.transition import Changed
from mockserver.core.workspaces.workspace import Workspace


class Advance:
    """Goes from timer to timer, each fired at its own moment; what is under way then is waited for."""

    def __init__(self, workspace: Workspace, target: datetime | timedelta | None) -> None:
        """Begin, under the workspace's lock: to a moment, for so long or, without a target, to the next timer.

        Raises:
            ClockError: the target lies in the past, or beyond the years of the clock.
        """
        clock = workspace.state.clock
        self._start = clock.now()
        self._target = clock.reached(target, self._start) if isinstance(target, timedelta) else target
        if self._target is not None:
            clock.check(self._target, self._start)
        self._workspace = workspace
        self._state = workspace.state
        self._changes = workspace.collect_changes()

    def step(self) -> bool:
        """Go as far as what is under way allows, under the workspace's lock; whether the target is reached."""
        workspace = self._workspace
        while not self.interrupted:
            if workspace.jobs:
                if not workspace.fire_next(workspace.state.clock.now()):
                    return False
            elif self._target is None:
                # Only now is it known which timer is next: what was under way may have set one.
                timer = workspace.state.timers.next()
                self._target = workspace.state.clock.now() if timer is None else timer.moment
            elif not workspace.fire_next(self._target):
                workspace.state.clock.move_to(self._target)
                break
        self.stop()
        return True

    def stop(self) -> None:
        """Go no further."""
        self._workspace.stop_collecting(self._changes)
        self._workspace.watch()

    @property
    def interrupted(self) -> bool:
        """Whether the workspace was given another state meanwhile."""
        return self._workspace.state is not self._state

    def fired(self) -> list[Changed]:
        """The timed events on the way, by their moments; what came of calls that were under way before is none."""
        passed = [change for change in self._changes if change.at > self._start and self._is_timed(change)]
        return sorted(passed, key=lambda change: change.at)

    def _is_timed(self, change: Changed) -> bool:
        return change.event in self._workspace.parts.lifecycles[change.machine].machine.timed
