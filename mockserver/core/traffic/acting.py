"""Which control call is under way in this thread, as the cause of what it changes."""

from __future__ import annotations

from contextvars import ContextVar
from typing import Protocol

from mockserver.core.time.cause import CONTROL, Cause
from mockserver.core.time.transition import Changed
from mockserver.core.traffic.call_record import MOST_TRANSITIONS


class Ids(Protocol):
    """Draws the ids of control calls."""

    def call(self) -> str:
        """The id of the next one."""
        ...


class Acting:
    """A control call that is under way. It gets an id when it causes something, or when it is over."""

    def __init__(self) -> None:
        #: The workspace on which it acts; None: it has not said so yet.
        self.on: object | None = None
        #: The transitions that it has caused, the first ones.
        self.changes: list[Changed] = []
        self._cause: Cause | None = None

    @property
    def has_caused(self) -> bool:
        """Whether anything was caused so far."""
        return self._cause is not None

    def cause(self, ids: Ids) -> Cause:
        """The call as a cause; its id is drawn when it is first asked for."""
        if self._cause is None:
            self._cause = Cause(CONTROL, ids.call())
        return self._cause

    def note(self, change: Changed) -> None:
        """Take in a transition that it has caused."""
        if len(self.changes) < MOST_TRANSITIONS:
            self.changes.append(change)


#: The control call of this thread, or None. A variable of the context: calls of other threads go on beside it, and act
#: on the same workspace whenever they have its lock.
ACTING: ContextVar[Acting | None] = ContextVar("acting", default=None)
