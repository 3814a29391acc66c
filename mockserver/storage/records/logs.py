"""What a workspace writes down one by one: what has happened in it, oldest first."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, NamedTuple, Protocol

from mockserver.core.time.cause import By, Thing
from mockserver.core.time.transition import Changed
from mockserver.core.traffic.call_record import CallRecord
from mockserver.core.traffic.exchange import Exchange
from mockserver.core.traffic.fired_timer import FiredTimer
from mockserver.core.traffic.mail import Mail
from mockserver.core.traffic.receivers import ReceivedCall, Receiver
from mockserver.core.traffic.ring import RingCounts
from mockserver.core.workspaces.workspace import Workspace
from mockserver.storage.records import exchanges
from mockserver.storage.records.changes import Entry, LogChange
from mockserver.storage.records.exchanges import ExchangeForm
from mockserver.storage.records.packing import pack, seal, unpack, unseal
from mockserver.storage.records.unreadable import UnreadableError


class Things(Protocol):
    """What a log is written from: a ring, or the links."""

    @property
    def counts(self) -> RingCounts: ...

    def __len__(self) -> int: ...

    def since(self, position: int) -> Iterator[tuple[int, Any]]: ...

    def resume(self, counts: RingCounts) -> None: ...


class LinkForm(NamedTuple):
    """A link, with its things as they are known."""

    by: By
    kind: str
    thing: Thing


class CallForm(NamedTuple):
    """A call that a receiver got, with the receiver's name."""

    receiver: str
    call: ReceivedCall


class Log(NamedTuple):
    """One log: where its things are, what they are written as, and how one that was read is put back."""

    things: Callable[[Workspace], Things]
    form: Any
    form_of: Callable[[Any], Any]
    put_back: Callable[[Workspace, Any], object]


def _same(thing: Any) -> Any:
    return thing


def _call_form(pair: tuple[Receiver, ReceivedCall]) -> CallForm:
    return CallForm(pair[0].name, pair[1])


def _put_back_exchange(workspace: Workspace, form: ExchangeForm) -> None:
    workspace.journal.put_back(form.exchange(workspace.links))


def _put_back_call(workspace: Workspace, form: CallForm) -> None:
    if workspace.receivers.get(form.receiver) is None:
        raise UnreadableError(f"there is no receiver {form.receiver!r}, which has got a call")
    workspace.receivers.put_back_call(form.receiver, form.call)


def _put_back_fired(workspace: Workspace, row: FiredTimer) -> None:
    workspace.fired.add(row, row.size)


def _put_back_control_call(workspace: Workspace, row: CallRecord) -> None:
    workspace.calls.add(row, row.size)


#: All logs by their names.
LOGS: Mapping[str, Log] = {
    "requests": Log(lambda of: of.journal.ring, ExchangeForm, exchanges.form_of, _put_back_exchange),
    "transitions": Log(lambda of: of.history.ring, Changed, _same, lambda of, row: of.history.add(row)),
    "timers": Log(lambda of: of.fired, FiredTimer, _same, _put_back_fired),
    "control": Log(lambda of: of.calls, CallRecord, _same, _put_back_control_call),
    "mails": Log(lambda of: of.state.mailbox.ring, Mail, _same, lambda of, row: of.state.mailbox.add(row)),
    "received": Log(lambda of: of.receivers.ring, CallForm, _call_form, _put_back_call),
    "links": Log(lambda of: of.links, LinkForm, LinkForm._make, lambda of, row: of.links.add(*row)),
}


class Mark(NamedTuple):
    """How far a log was written."""

    #: Others may have come in their place since then; None: what is written is not what there is.
    things: Things | None
    #: The positions of the oldest that is left, and of the next one.
    first: int
    end: int
    #: What was written of those that were still to change, by their positions.
    open: Mapping[int, bytes]

    def is_of(self, things: Things) -> bool:
        """Whether the same things are to be written, further ones perhaps."""
        return self.things is things

    def is_all(self, first: int, end: int) -> bool:
        """Whether nothing of the things from one position to another is still to be written."""
        return (first, end) == (self.first, self.end) and not self.open


def growth(name: str, workspace: Workspace, before: Mark | None) -> tuple[LogChange | None, Mark]:
    """What is new in a log since it was written, or None, and how far it is written then."""
    log = LOGS[name]
    things = log.things(workspace)
    end = things.counts.end
    first = end - len(things)
    last = before if before is not None and before.is_of(things) else None
    if last is not None and last.is_all(first, end):
        return None, last
    rows = list(_to_write(things, last))
    written = {at: seal(pack(log.form_of(thing))) for at, thing in rows}
    mark = Mark(things, first, end, {at: written[at] for at, thing in rows if _is_open(thing)})
    known = {} if last is None else last.open
    entries = [(at, data) for at, data in written.items() if known.get(at) != data]
    is_same = not entries if before is None else last is not None and not entries and last.first == first
    return None if is_same else LogChange(name, first, entries, anew=last is None and before is not None), mark


def _to_write(things: Things, last: Mark | None) -> Iterator[tuple[int, Any]]:
    """The things that may have changed since they were written, and those that are new, with their positions."""
    if last is None:
        yield from things.since(0)
        return
    for at in last.open:
        yield from ((found, thing) for found, thing in islice(things.since(at), 1) if found == at < last.end)
    yield from things.since(last.end)


def mark_of(name: str, workspace: Workspace, held: Sequence[Entry]) -> Mark:
    """How far a log is written of which entries are held that were put back."""
    things = LOGS[name].things(workspace)
    end = things.counts.end
    return Mark(things if len(things) == len(held) else None, held[0][0] if held else end, end, {})


def put_back(log: Log, workspace: Workspace, held: Sequence[Entry], counts: RingCounts) -> None:
    """Fill an empty log of a workspace.

    Raises:
        UnreadableError: they are no entries of this log.
    """
    for _, data in held:
        log.put_back(workspace, unpack(unseal(data), log.form))
    log.things(workspace).resume(counts)


def _is_open(thing: Any) -> bool:
    """Whether what a log holds is still to change: an exchange whose answer a fault holds back."""
    return isinstance(thing, Exchange) and thing.is_held
