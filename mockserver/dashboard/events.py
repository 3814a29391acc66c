"""The events of a workspace in one order, as rows of the timeline."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from heapq import merge
from itertools import takewhile
from operator import attrgetter
from time import gmtime, strftime
from typing import Any, ClassVar, NamedTuple, Self
from urllib.parse import quote

from mockserver.core.time.state_machine import ABSENT
from mockserver.core.traffic import causes
from mockserver.core.traffic.causes import CallRecord, Changed, FiredTimer, Thing
from mockserver.core.traffic.exchange import Exchange
from mockserver.core.traffic.mail import FAILED, WAITING, Sending
from mockserver.core.workspaces.workspace import Workspace
from mockserver.dashboard.names import events_of, receiver_of
from mockserver.dashboard.timeline import is_move, move_line, took_ms, write_ms
from mockserver.resources.deliveries.delivery import ATTEMPT, MACHINE, Attempt, Delivery
from mockserver.resources.inbound.model import InboundEvent
from mockserver.resources.section import write_instant
from mockserver.views import redaction

#: The kinds of events with their labels, in the order of their toggles.
KINDS: Mapping[str, str] = {
    causes.REQUEST: "Requests", causes.CONTROL: "Control calls", causes.TIMER: "Timers", causes.MAIL: "Mails",
    causes.DELIVERY: "Webhook calls",
}  # fmt: skip
#: The longest text in a line, in characters.
_LONGEST = 300
#: The most redacted texts to cache: most requests have the same paths and reasons.
_REMEMBERED = 2_048
#: By so many seconds the effects of a control call come before the call, which is noted when it is over.
_BEFORE_S = 1e-6
#: The looks of states that are not a success.
_LOOKS = {"held": "warn", "under way": "warn", "unknown": "warn", WAITING: "warn", FAILED: "bad"}


@dataclass(slots=True)
class Event:
    """An event of a workspace."""

    kind: ClassVar[str]
    what: Any
    at: datetime
    #: In real time, in seconds since 1970; that of its cause for an e-mail, 0 if unknown.
    real_at: float
    account: str = ""

    @property
    def id(self) -> str:
        """The id of the row on the page."""
        return f"{self.kind[0]}-{self.what.id}"

    @property
    def status(self) -> int | None:
        """The status of HTTP, 0 if there was no answer, or None if the event has none."""
        return None

    @property
    def texts(self) -> Sequence[str]:
        """The texts to search."""
        return ()

    def line(self) -> dict[str, Any]:
        """Return the row of the timeline."""
        raise NotImplementedError

    def _line(self, path: str, label: str, title: str, detail: str = "", **members: Any) -> dict[str, Any]:
        """Return a row.

        Args:
            path: The address of its page, below `/_mock/ui/`.
            label: The method, or the kind in a word.
            title: The text of the link.
            detail: The text beside it, or empty.
            members: What few rows have.
        """
        rest = {"state": "", "status": None, "note": "", "fault": "", "took": "", "reason": "", "is_held": False}
        found = {**rest, **members}
        return {
            "kind": self.kind,
            "id": self.id,
            "at": write_instant(self.at),
            "real": strftime("%H:%M:%S", gmtime(self.real_at)) if self.kind != causes.MAIL else "",
            "path": path,
            "label": label,
            "tag": "em" if label.islower() else "code",
            "title": _shown(title),
            "detail": _shown(detail),
            "account": self.account,
            "look": _LOOKS.get(found["state"] or "", "ok"),
            **found,
        }


class RequestEvent(Event):
    kind = causes.REQUEST
    what: Exchange

    @classmethod
    def of(cls, row: Exchange) -> Self:
        return cls(row, row.at, row.real_at, row.account or "")

    def line(self) -> dict[str, Any]:
        row = self.what
        return self._line(
            f"requests/{row.id}",
            row.method,
            row.operation or row.path,
            row.path if row.operation else "",
            state="held" if row.is_held else None,
            status=row.status,
            # The reason of a held request is not final.
            reason=_shown(row.reason) if row.reason and not row.is_held else "",
            fault=row.fault_kind or row.fault or "",
            took="" if row.is_held else write_ms(took_ms(row)),
            is_held=row.is_held,
        )


class CallEvent(Event):
    kind = causes.CONTROL
    what: CallRecord

    @property
    def status(self) -> int | None:
        return self.what.status

    @property
    def texts(self) -> Sequence[str]:
        return self.what.path, self.what.query, self.what.body.decode(errors="replace")

    def line(self) -> dict[str, Any]:
        row = self.what
        if is_move(row):
            return move_line(row)
        number = len(row.transitions)
        note = f"{number} transition{'' if number == 1 else 's'}" if number else ""
        return self._line(f"requests/calls/{row.id}", row.method, row.path, state=None, status=row.status, note=note)


class TimerEvent(Event):
    kind = causes.TIMER
    what: FiredTimer

    @property
    def id(self) -> str:
        return f"t-{self.what.timer.id}"

    @property
    def texts(self) -> Sequence[str]:
        timer = self.what.timer
        return f"{timer.event} of {timer.machine} {timer.key}", timer.id

    def line(self) -> dict[str, Any]:
        changes = [_told(change) for change in self.what.transitions[:3]]
        path = f"clock/{quote(self.what.timer.id, safe='')}"
        return self._line(path, "timer", self.texts[0], ", ".join(changes) or "no state changed")


def _told(change: Changed) -> str:
    if change.source == change.target:
        return f"stays {change.target}"
    return "deleted" if change.target == ABSENT else f"{change.source} → {change.target}"


@dataclass(slots=True)
class MailEvent(Event):
    kind = causes.MAIL
    #: Its progress to a real SMTP server, or None without one.
    sending: Sending | None = None

    @property
    def texts(self) -> Sequence[str]:
        texts: Sequence[str] = self.what.texts
        return texts

    def line(self) -> dict[str, Any]:
        row, sending = self.what, self.sending
        reason = "" if sending is None or not sending.error else _shown(sending.error)
        state = "inbox" if sending is None else sending.state
        title = row.subject or "(no subject)"
        return self._line(f"mail/{row.id}", "mail", title, f"to {row.to}", state=state, reason=reason)


class ReceivedEvent(Event):
    kind = causes.MAIL
    what: InboundEvent

    @property
    def id(self) -> str:
        return f"m-{self.what.uuid}"

    @property
    def texts(self) -> Sequence[str]:
        return self.what.uuid, self.what.sender, self.what.recipient

    def line(self) -> dict[str, Any]:
        row = self.what
        path = f"mail/received/{quote(row.uuid, safe='')}"
        return self._line(path, "mail", f"from {row.sender}", f"to {row.recipient}", state="received")


class Call(NamedTuple):
    """A call of a webhook: the timer that began it, its delivery and its attempt as far as they are kept."""

    fired: FiredTimer
    delivery: Delivery | None
    attempt: Attempt | None
    #: The number of the attempt, from 1 on.
    number: int
    receiver: str


class AttemptEvent(Event):
    kind = causes.DELIVERY
    what: Call

    @property
    def id(self) -> str:
        timer = self.what.fired.timer
        return f"d-{timer.key}-{self.what.number}" if self.what.delivery else f"d-{timer.id}"

    @property
    def status(self) -> int | None:
        attempt = self.what.attempt
        return None if attempt is None else attempt.status or 0

    @property
    def texts(self) -> Sequence[str]:
        row, attempt = self.what.delivery, self.what.attempt
        error = attempt.error if attempt is not None else None
        return () if row is None else (self.what.receiver, *row.events, error or "", row.body.decode(errors="replace"))

    def line(self) -> dict[str, Any]:
        _, row, attempt, number, receiver = self.what
        key = self.what.fired.timer.key
        if row is None:
            return self._line(f"clock/{self.what.fired.timer.id}", "webhook", f"delivery {key}", "no longer kept")
        members: dict[str, Any] = {"note": f"attempt {number}" if number > 1 else ""}
        if attempt is None:
            members["state"] = "under way" if row.began_at == self.at else "unknown"
        else:
            members |= {"state": None, "status": attempt.status, "reason": _shown(attempt.error or "")}
        return self._line(f"webhooks/{key}", "webhook", events_of(row), receiver, **members)


def events(workspace: Workspace) -> Iterator[Event]:
    """Yield the kept events, newest first. The caller holds the lock of the workspace.

    Most events come in the order of real time, in which a restored clock may go back. Mails are only dated by the
    clock of the workspace: each comes before the first event that is older by this clock, or by its cause.
    """
    dated: Iterator[Event] = merge(
        map(RequestEvent.of, workspace.journal),
        (CallEvent(row, row.at, row.real_at) for row in workspace.calls),
        _timers(workspace),
        key=attrgetter("real_at"),
        reverse=True,
    )
    mails = _mails(workspace)
    mail = next(mails, None)
    for event in dated:
        while mail is not None and _moment(mail) >= _moment(event):
            yield mail
            mail = next(mails, None)
        yield event
    if mail is not None:
        yield mail
        yield from mails


def _moment(event: Event) -> tuple[datetime, float]:
    return event.at, event.real_at


def _timers(workspace: Workspace) -> Iterator[Event]:
    """Yield the fired timers. Those that began a call of a webhook become this call."""
    left: dict[Any, list[Attempt]] = {}
    for fired in workspace.fired:
        timer = fired.timer
        account = workspace.state.accounts.get(timer.account)
        name = "" if account is None else account.name
        if not _is_attempt(fired):
            yield TimerEvent(fired, timer.moment, fired.real_at, name)
            continue
        row = None if account is None else account.rows_of(Delivery).get(timer.key)
        call = Call(fired, None, None, 0, "")
        if account is not None and row is not None:
            rest = left.setdefault(timer.key, list(row.attempts))
            while rest and rest[-1].at > timer.moment:
                rest.pop()
            number = row.attempts_evicted + len(rest)
            is_over = bool(rest) and rest[-1].at == timer.moment
            attempt = rest.pop() if is_over else None
            call = Call(fired, row, attempt, number if is_over else number + 1, receiver_of(account, row))
        yield AttemptEvent(call, timer.moment, fired.real_at, name)


def _is_attempt(fired: FiredTimer) -> bool:
    return fired.timer.event == ATTEMPT and fired.timer.machine == MACHINE.name


def _mails(workspace: Workspace) -> Iterator[Event]:
    """Yield the mails, newest first, each with the real time of its cause."""
    mailbox, received = workspace.state.mailbox, list(_received(workspace))
    if not mailbox and not received:
        return iter(())
    known: dict[Thing, float] = {row.id: row.real_at for row in workspace.journal}
    known |= {call.id: call.real_at - _BEFORE_S for call in workspace.calls}
    known |= {fired.timer: fired.real_at for fired in workspace.fired}
    links = (link for _, link in workspace.links.since(0))
    began = {
        thing: known.get(by if isinstance(by, str) else by.thing, 0.0)
        for by, kind, thing in links
        if kind == causes.MAIL
    }
    sent = (
        MailEvent(mail, mail.at, began.get(mail.id, 0.0), mail.account or "", mailbox.sending(mail)) for mail in mailbox
    )
    came = (ReceivedEvent(row, row.date, began.get(row.uuid, 0.0), name) for name, row in received)
    return merge(sent, came, key=_moment, reverse=True)


def _received(workspace: Workspace) -> Iterator[tuple[str, InboundEvent]]:
    """Yield the received mails, newest first, without those of the scenario."""
    start, most = workspace.state.clock.start, workspace.limits.mailbox
    rows = [
        [(account.name, row) for row in takewhile(lambda row: row.date >= start, timeline.last(most))]
        for account in workspace.state.accounts.values()
        if (timeline := account.timeline_of(InboundEvent))
    ]
    return merge(*rows, key=lambda pair: pair[1].date, reverse=True)


def counts(workspace: Workspace) -> dict[str, int]:
    """Return the number of kept events of each kind. The caller holds the lock of the workspace."""
    fired = Counter(map(_is_attempt, workspace.fired))
    mails = len(workspace.state.mailbox) + sum(1 for _ in _received(workspace))
    found = (len(workspace.journal), len(workspace.calls), fired[False], mails, fired[True])
    return dict(zip(KINDS, found, strict=True))


def added(workspace: Workspace) -> int:
    """Return the number of events that were ever added, without received mails."""
    rings = (workspace.journal, workspace.calls, workspace.fired, workspace.state.mailbox)
    return sum(ring.added for ring in rings)


def _shown(text: str) -> str:
    # Long texts are not cached, so that a hostile client cannot fill the memory.
    return _redacted(text) if len(text) <= _LONGEST else f"{redaction.plain(text)[:_LONGEST]}…"


@lru_cache(maxsize=_REMEMBERED)
def _redacted(text: str) -> str:
    return redaction.plain(text)
