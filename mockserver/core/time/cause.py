"""Causes: what makes something happen in a workspace."""

from __future__ import annotations

from typing import NamedTuple

from mockserver.core.time.timers import Timer

#: The kinds of causes. A mail is one that came in or one that was sent; a control is a call of the control API.
REQUEST, MAIL, DELIVERY, TIMER, CONTROL = KINDS = ("request", "mail", "delivery", "timer", "control")

#: The id of a thing, as text or as a number, or a timer itself, whose id is written only when it is shown.
Thing = str | int | Timer


class Cause(NamedTuple):
    """What makes something happen, or what was caused."""

    kind: str
    thing: Thing

    @classmethod
    def of(cls, by: By) -> Cause:
        """What makes something happen, as `By` says it."""
        return by if isinstance(by, Cause) else cls(REQUEST, by)

    @property
    def id(self) -> str:
        """The id as text."""
        return self.thing.id if isinstance(self.thing, Timer) else str(self.thing)

    @property
    def with_text(self) -> Cause:
        """The same with its id as text, so that those of one thing are equal."""
        return self if isinstance(self.thing, str) else Cause(self.kind, self.id)


#: What makes something happen; of a request the id, as most causes are requests, and few of them are asked for.
By = str | Cause
