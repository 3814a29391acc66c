"""Timeline rows: all events of a workspace in chronological order."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from datetime import datetime
from functools import lru_cache, partial
from heapq import merge
from itertools import takewhile
from operator import attrgetter
from time import gmtime, strftime
from typing import Any, NamedTuple
from urllib.parse import quote

from mockserver.core.state.state import Account
from mockserver.core.time.state_machine import ABSENT
from mockserver.core.traffic import causes
from mockserver.core.traffic.causes import CallRecord, Changed, FiredTimer, Thing
from mockserver.core.traffic.exchange import Exchange
from mockserver.core.traffic.mail import FAILED, WAITING, Mail, Sending
from mockserver.core.workspaces.workspace import Workspace
from mockserver.dashboard.names import HAPPENED, events_of, name_of, receiver_of
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


class Row(NamedTuple):
    """What the timeline shows of an event."""

    #: The address of its page, below `/_mock/ui/`.
    path: str
    #: The method, or the kind in a word.
    label: str
    #: The text of the link, and the text beside it.
    title: str
    detail: str = ""
    #: Stands in the place of the status; None to show the status.
    state: str | None = None
    note: str = ""
    fault: str = ""
    took: str = ""
    reason: str = ""
    #: Returns further texts to search.
    more: Callable[[], str] = str


class Event(NamedTuple):
    """An event of a workspace."""

    kind: str
    #: The id of its row on the page.
    id: str
    at: datetime
    #: In real time, in seconds since 1970; that of its cause for an e-mail, 0 if unknown.
    real_at: float
    account: str
    #: The status of HTTP, 0 if no answer came; None if it has no status.
    status: int | None
    #: An exchange, control call, fired timer, sent or received mail, or a `Call`.
    what: Any
    show: Callable[[], Row]

    def mentions(self, text: str) -> bool:
        row = self.show()
        return any(text in part.lower() for part in (row.title, row.detail, row.reason, row.more()))

    def line(self) -> dict[str, Any]:
        """Return the row for the template."""
        if self.kind == causes.CONTROL and is_move(self.what):
            return move_line(self.what)
        row = self.show()
        shown = {name: _shown(getattr(row, name)) for name in ("title", "detail", "reason")}
        return {
            **row._asdict(),
            **shown,
            "more": "",
            "kind": self.kind,
            "id": self.id,
            "at": write_instant(self.at),
            "real": "" if self.kind == causes.MAIL else strftime("%H:%M:%S", gmtime(self.real_at)),
            "account": self.account,
            "status": self.status or None,
            "look": _LOOKS.get(row.state or "", "ok"),
            "tag": "em" if row.label.islower() else "code",
        }


class Call(NamedTuple):
    """A call of a webhook: the timer that began it, and its delivery unless that is no longer kept."""

    fired: FiredTimer
    delivery: Delivery | None


def of_request(row: Exchange) -> Event:
    status = row.status or 0
    return Event(
        causes.REQUEST, f"r-{row.id}", row.at, row.real_at, row.account or "", status, row, partial(_request, row)
    )


def _request(row: Exchange) -> Row:
    name = row.operation
    path, reason = f"requests/{row.id}", row.reason or ""
    found = Row(path, row.method, name or row.path, row.path if name else "", fault=row.fault_kind or row.fault or "")
    # The reason of a held request is not final.
    return found._replace(state="held") if row.is_held else found._replace(reason=reason, took=write_ms(took_ms(row)))


def _of_call(row: CallRecord) -> Event:
    return Event(causes.CONTROL, f"c-{row.id}", row.at, row.real_at, "", row.status, row, partial(_call, row))


def _call(row: CallRecord) -> Row:
    number = len(row.transitions)
    note = f"{number} transition{'' if number == 1 else 's'}" if number else ""
    path = f"requests/calls/{row.id}"
    return Row(path, row.method, row.path, note=note, more=lambda: f"{row.query} {row.body.decode(errors='replace')}")


def _timer(workspace: Workspace, account: Account | None, fired: FiredTimer) -> Row:
    timer = fired.timer
    kind = workspace.parts.lifecycles[timer.machine].row
    row = None if account is None else account.rows_of(kind).get(timer.key)
    name = "" if row is None or account is None else name_of(workspace, account, row)
    changes = ", ".join(map(_told, fired.transitions[:3])) or "no state changed"
    detail = "; ".join(filter(None, (changes, name)))
    return Row(f"clock/{timer.id}", "timer", f"{timer.event} of {timer.machine} {timer.key}", detail, "")


def _told(change: Changed) -> str:
    if change.source == change.target:
        return HAPPENED.get(change.event, f"stays {change.target}")
    return "deleted" if change.target == ABSENT else f"{change.source} → {change.target}"


def _attempt(account: Account, row: Delivery, attempt: Attempt | None, at: datetime, number: int) -> Row:
    return Row(
        f"webhooks/{row.id}",
        "webhook",
        events_of(row),
        receiver_of(account, row),
        state=None if attempt else "under way" if row.began_at == at else "unknown",
        note=f"attempt {number}" if number > 1 else "",
        reason=attempt.error or "" if attempt else "",
        more=lambda: row.body.decode(errors="replace"),
    )


def _lost_attempt(fired: FiredTimer) -> Row:
    return Row(f"clock/{fired.timer.id}", "webhook", f"delivery {fired.timer.key}", "no longer kept", "")


def events(workspace: Workspace) -> Iterator[Event]:
    """Yield the kept events, newest first. The workspace is open.

    Most events come in the order of real time, in which a restored clock may go back. Mails are only dated by the
    clock of the workspace: each comes before the first event that is older by this clock, or by its cause.
    """
    requests, calls = map(of_request, workspace.journal), map(_of_call, workspace.calls)
    dated = merge(requests, calls, _timers(workspace), key=attrgetter("real_at"), reverse=True)
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
            show = partial(_timer, workspace, account, fired)
            yield Event(causes.TIMER, f"t-{timer.id}", timer.moment, fired.real_at, name, None, fired, show)
            continue
        row = None if account is None else account.rows_of(Delivery).get(timer.key)
        identifier, status, show = f"d-{timer.id}", None, partial(_lost_attempt, fired)
        if account is not None and row is not None:
            rest = left.setdefault(timer.key, list(row.attempts))
            while rest and rest[-1].at > timer.moment:
                rest.pop()
            attempt = rest.pop() if rest and rest[-1].at == timer.moment else None
            number = row.attempts_evicted + len(rest) + 1
            identifier, status = f"d-{timer.key}-{number}", attempt.status or 0 if attempt else None
            show = partial(_attempt, account, row, attempt, timer.moment, number)
        call = Call(fired, row)
        yield Event(causes.DELIVERY, identifier, timer.moment, fired.real_at, name, status, call, show)


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
        Event(
            causes.MAIL, f"m-{mail.id}", mail.at, began.get(mail.id, 0.0), mail.account or "", None, mail,
            partial(_sent, mail, mailbox.sending(mail)),
        )
        for mail in mailbox
    )  # fmt: skip
    came = (
        Event(causes.MAIL, f"m-{row.uuid}", row.date, began.get(row.uuid, 0.0), name, None, row, partial(_came, row))
        for name, row in received
    )
    return merge(sent, came, key=_moment, reverse=True)


def _sent(mail: Mail, sending: Sending | None) -> Row:
    state, reason = ("inbox", None) if sending is None else (sending.state, sending.error)
    title = mail.subject or "(no subject)"
    return Row(
        f"mail/{mail.id}",
        "mail",
        title,
        f"to {mail.to}",
        state,
        reason=reason or "",
        more=lambda: "\n".join(mail.texts),
    )


def _came(row: InboundEvent) -> Row:
    path = f"mail/received/{quote(row.uuid, safe='')}"
    return Row(path, "mail", f"from {row.sender}", f"to {row.recipient}", "received", more=lambda: row.uuid)


def _received(workspace: Workspace) -> Iterator[tuple[str, InboundEvent]]:
    """Yield the received mails with their accounts, newest first, without those of the scenario."""
    start, most = workspace.state.clock.start, workspace.limits.mailbox
    rows = [
        [(account.name, row) for row in takewhile(lambda row: row.date >= start, timeline.last(most))]
        for account in workspace.state.accounts.values()
        if (timeline := account.timeline_of(InboundEvent))
    ]
    return merge(*rows, key=lambda pair: pair[1].date, reverse=True)


def counts(workspace: Workspace) -> dict[str, int]:
    """Return the number of kept events of each kind. The workspace is open."""
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
