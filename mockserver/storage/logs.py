"""The logs of a workspace: one field per entry, oldest first."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from copy import copy
from operator import attrgetter
from types import GenericAlias
from typing import Any, NamedTuple, get_type_hints

from mockserver.core.traffic.causes import By, CallRecord, Changed, FiredTimer, Links, Thing
from mockserver.core.traffic.exchange import Exchange
from mockserver.core.traffic.mail import EmailEvent, InboundContent, Mail
from mockserver.core.traffic.receivers import ReceivedCall
from mockserver.core.traffic.ring import LOST, Ring, RingCounts
from mockserver.core.workspaces.workspace import Workspace
from mockserver.storage.engine import ENTRY, Changes
from mockserver.storage.packing import UnreadableError, decode, encode, type_of

#: The stored members of exchanges with their types, without derived values and connections.
_EXCHANGE = {name: kind for name, kind in get_type_hints(Exchange).items() if name[0] != "_"}
del _EXCHANGE["held"], _EXCHANGE["links"], _EXCHANGE["connection"], _EXCHANGE["parsed"]


def _put_exchange(workspace: Workspace, members: Sequence[Any]) -> None:
    exchange = Exchange.__new__(Exchange)
    vars(exchange).update(zip(_EXCHANGE, members, strict=True), links=workspace.links)
    exchange.forget_values()
    workspace.journal.put_back(exchange)


class FeedForm(NamedTuple):
    """A feed item that refers to rows in other logs."""

    kind: str
    #: The id of an exchange or an e-mail, or the number of a delivery.
    id: str | int = ""
    account: str = ""
    change: Changed | None = None


def _feed_form(item: tuple[str, Any, int]) -> FeedForm:
    kind, what, _ = item
    if what is LOST or what is None:
        return FeedForm(kind)
    if kind == "transition":
        return FeedForm(kind, change=what)
    account, row = what if kind == "delivery" else ("", what)
    return FeedForm(kind, row.id, account)


def _put_feed(workspace: Workspace, form: FeedForm) -> None:
    found: Any = None
    if form.kind == "transition":
        found = form.change
    elif form.kind == "mail":
        found = workspace.state.mailbox.find(str(form.id))
    elif form.kind == "delivery":
        account = workspace.state.account_named(form.account)
        kind = type_of("mockserver.resources.deliveries.delivery:Delivery")
        row = None if account is None else account.rows_of(kind).get(form.id)
        found = None if row is None else (form.account, copy(row))
    elif form.kind != "reset":
        found = workspace.journal.find(str(form.id))
    what = LOST if found is None and form.kind != "reset" else found
    workspace.feed.put_back(form.kind, what, getattr(found, "size", 0))


class Log(NamedTuple):
    """One log: its items, their stored form, and the conversion back."""

    things: Callable[[Workspace], Ring[Any] | Links]
    form: Any
    put_back: Callable[[Workspace, Any], object]
    form_of: Callable[[Any], Any] = lambda thing: thing
    #: Returns the things that were changed, with their positions, but for the first so many changes.
    changed: Callable[[Workspace, int], Iterable[tuple[int, Any]]] = lambda of, number: ()


#: All logs by name; items refer to items of earlier logs.
LOGS: Mapping[str, Log] = {
    "requests": Log(
        lambda of: of.journal, GenericAlias(tuple, tuple(_EXCHANGE.values())), _put_exchange,
        attrgetter(*_EXCHANGE), lambda of, number: of.journal.completed_since(number),
    ),
    "transitions": Log(lambda of: of.history, Changed, lambda of, row: of.history.add(row)),
    "timers": Log(lambda of: of.fired, FiredTimer, lambda of, row: of.fired.push(row, row.size)),
    "control": Log(lambda of: of.calls, CallRecord, lambda of, row: of.calls.push(row, row.size)),
    "mails": Log(lambda of: of.state.mailbox, Mail, lambda of, row: of.state.mailbox.add(row)),
    "inbound": Log(lambda of: of.state.received, InboundContent, lambda of, row: of.state.received.add(row)),
    "email_events": Log(lambda of: of.state.email_events, EmailEvent, lambda of, row: of.state.email_events.add(row)),
    "received": Log(
        lambda of: of.receivers.ring, tuple[str, ReceivedCall], lambda of, row: of.receivers.put_back_call(*row),
        lambda row: (row[0].name, row[1]),
    ),
    "feed": Log(lambda of: of.feed.ring, FeedForm, _put_feed, _feed_form),
    "links": Log(lambda of: of.links, tuple[By, str, Thing], lambda of, row: of.links.add(*row)),
}  # fmt: skip


class Mark(NamedTuple):
    """The written range of a log; empty by default."""

    #: The written items; a replaced workspace has other items.
    things: object = None
    #: The positions of the oldest entry and of the next one.
    first: int = 0
    end: int = 0
    #: How many exchanges of the journal have got their answer late.
    completed: int = 0

    @classmethod
    def of(cls, name: str, workspace: Workspace, held: Collection[int] = ()) -> Mark:
        """Return the mark of a completely written log; `held` are the positions of stored entries."""
        things = LOGS[name].things(workspace)
        _, _, end, length = things.counts
        return cls(things, min((*held, end - length)) if held else end - length, end, workspace.journal.completed)


def changes_of(name: str, workspace: Workspace, before: Mark) -> tuple[Changes, Mark]:
    """Return the changes of a log since a mark, and the next mark."""
    log, mark = LOGS[name], Mark.of(name, workspace)
    if before == mark:
        return Changes(), mark
    things = log.things(workspace)
    if before.things is things:
        rows = [*log.changed(workspace, before.completed), *things.since(before.end)]
    else:
        rows = [*things.since(0)]
    fields = {f"{ENTRY}{name}:{at}": encode(log.form_of(thing)) for at, thing in rows}
    older, newer = range(before.first, min(mark.first, before.end)), range(max(mark.end, before.first), before.end)
    return Changes(fields, [f"{ENTRY}{name}:{at}" for at in (*older, *newer)]), mark


def entries_of(fields: Mapping[str, bytes]) -> Mapping[str, Mapping[int, bytes]]:
    """Return log entries among fields by log and position, or raise UnreadableError for an invalid name."""
    found: dict[str, dict[int, bytes]] = {name: {} for name in LOGS}
    try:
        for field, content in fields.items():
            if field.startswith(ENTRY):
                _, name, position = field.split(":")
                found[name][int(position)] = content
    except (KeyError, ValueError) as error:
        raise UnreadableError(f"an entry of a log has a wrong name: {error}") from error
    return found


def is_continued(name: str, workspace: Workspace, entries: Mapping[int, bytes], counts: RingCounts) -> bool:
    """Return whether entries extend a log to `counts` without gaps."""
    mark, first = Mark.of(name, workspace), counts.end - counts.length
    if first < mark.first or min((*entries, counts.end)) < mark.end:
        return False
    return all(at in entries for at in range(max(first, mark.end), counts.end))


def catch_up(name: str, workspace: Workspace, entries: Mapping[int, bytes], counts: RingCounts) -> None:
    """Drop the oldest items of a log, and append entries; raise UnreadableError for unreadable entries."""
    log, mark, first = LOGS[name], Mark.of(name, workspace), counts.end - counts.length
    things = log.things(workspace)
    things.drop_oldest(min(first, mark.end) - mark.first)
    for at in range(max(first, mark.end), counts.end):
        log.put_back(workspace, decode(entries[at], log.form))
    things.resume(counts)
