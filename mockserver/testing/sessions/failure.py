"""What a failed test shows of its workspace: in short what went wrong, then the last requests and what came of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from urllib.parse import urlencode

from mockserver.core.text.messages import counted
from mockserver.testing.client import Client, MockServerError
from mockserver.testing.sessions.lines import folded, printable, section, tallied
from mockserver.testing.sessions.traffic import Item, Listed, Reader, Traffic

#: How many lines of each section are shown, the last ones; chosen so that a report fits on a screen or two. Equal
#: requests one after the other are one line.
SHOWN = 20
#: How many things of each kind are read for the lines shown; chosen ten times as many, because equal ones become one
#: line.
READ = 200
#: How many stubs without a hit are named; chosen to fit on a line, because a stub library has dozens.
_NAMED = 3

#: A title, and the text below it.
Section = tuple[str, str]


def failure_report(client: Client, name: str) -> list[Section]:
    """What is told of the workspace of a failed test; nothing if nothing has happened in it.

    A workspace that cannot be read is told in the text and not raised, because that would hide the failure of the test.
    """
    try:
        return sections(Reader(client, name).traffic(READ))
    except MockServerError as error:
        return [("mockserver journal", printable(f"the journal cannot be read: {error}"))]


def sections(traffic: Traffic) -> list[Section]:
    """The report of what has happened: in short what went wrong, then the journal; nothing of what there was not."""
    found = [("mockserver", _troubles(traffic)), ("mockserver journal", _journal(traffic))]
    return [(title, text) for title, text in found if text]


# ---------------------------------------------------------------------- in short


def _troubles(traffic: Traffic) -> str:
    requests = traffic.requests.items
    parts = [
        _summary(traffic),
        _part("requests that nothing here answers", tallied(_unanswerable(requests))),
        _part("requests that a fault still holds", tallied(_target(one) for one in requests if one["held"])),
        _part("webhook calls that failed", map(_call, _failed(traffic.deliveries))),
        _part("e-mails that the SMTP server has not taken", map(_untaken, _unsent(traffic.mails))),
        _part("stubs that failed", tallied(_stub_failures(requests))),
        _part("control calls that were refused", tallied(str(one) for one in traffic.refusals)),
        _part("warnings", tallied(warning for one in requests for warning in one["warnings"])),
    ]
    return "\n".join(part for part in parts if part)


def _part(title: str, rows: Iterable[str]) -> str:
    return section(title, map(printable, rows), SHOWN)


def _summary(traffic: Traffic) -> str:
    """One line with how much has happened; empty if nothing has."""
    requests, timers = traffic.requests, traffic.timers
    refused = sum(1 for one in requests.items if (one["status"] or 0) >= 400)
    silent = sum(1 for one in requests.items if one["status"] is None)
    hits = sum(one["hits"] for one in traffic.faults.items)
    failed = len(_failed(traffic.deliveries))
    found = [
        _with(counted(_all(requests), "request"), (refused, "refused"), (silent, "without an answer")),
        counted(_all(traffic.mails), "e-mail"),
        _with(counted(_all(traffic.deliveries), "webhook call"), (failed, "failed")),
        f"{counted(_all(timers), 'timer')} fired",
        counted(hits, "fault hit"),
    ]
    return ", ".join(part for part in found if not part.startswith("0 "))


def _all(listed: Listed) -> int:
    return len(listed.items) + listed.unread + listed.evicted


def _with(words: str, *parts: tuple[int, str]) -> str:
    details = ", ".join(f"{number:,} {what}" for number, what in parts if number)
    return f"{words} ({details})" if details else words


def _unanswerable(requests: Iterable[Item]) -> Iterator[str]:
    """Why the addresses lead nowhere of requests that no operation, stub or other server has answered."""
    for one in requests:
        if one["operation"] is None or one["beyond"] == "refused":
            yield f"{_target(one)}: {one['reason']}" if one["reason"] else _target(one)


def _stub_failures(requests: Iterable[Item]) -> Iterator[str]:
    for one in requests:
        if one["stub"] is not None and one["status"] is not None and one["status"] >= 500 and one["reason"]:
            yield f"{_target(one)}: {one['reason']} ({one['stub']})"


def _failed(deliveries: Listed) -> list[Item]:
    return [one for one in deliveries.items if one["state"] in ("retrying", "dropped")]


def _call(one: Item) -> str:
    event = one["event"] if isinstance(one["event"], str) else ", ".join(one["event"])
    attempts: Sequence[Item] = one["attempts"]
    last = attempts[-1] if attempts else None
    outcome = "never tried" if last is None else last.get("error") or f"answered with {last.get('status')}"
    tries = len(attempts) + one.get("attempts_evicted", 0)
    return f"{event} to {one['url']}: {outcome}, {one['state']} after {counted(tries, 'attempt')}"


def _unsent(mails: Listed) -> list[Item]:
    return [one for one in mails.items if (one.get("smtp") or {}).get("error")]


def _untaken(one: Item) -> str:
    return f"to {one['to']}: {one['subject']}: {one['smtp']['error']}"


# ---------------------------------------------------------------------- the journal


def _journal(traffic: Traffic) -> str:
    parts = [
        _requests(traffic.requests),
        _part("e-mails", map(_mail, traffic.mails.items)),
        _part("timers that fired", map(_timer, traffic.timers.items)),
        _part("faults", map(_fault, traffic.faults.items)),
        _part("stubs", _stubs(traffic.stubs.items)),
    ]
    return "\n".join(part for part in parts if part)


def _requests(requests: Listed) -> str:
    blocks = folded(map(_request, requests.items))
    older = requests.unread + requests.evicted
    return "\n".join([*_omitted(len(blocks) - SHOWN, older), *blocks[-SHOWN:]])


def _omitted(lines: int, older: int) -> Iterator[str]:
    """A line that says how many lines and older requests are not shown; none if all are."""
    counts = [f"lines: {lines}" if lines > 0 else "", f"older requests: {older}" if older else ""]
    if omitted := ", ".join(count for count in counts if count):
        yield f"(not shown: {omitted})"


def _request(one: Item) -> str:
    """The lines of a request: what was asked, its status, and why."""
    status = "no answer" if one["status"] is None else one["status"]
    notes = [one["reason"] or "", f"fault: {one['fault']}" if one["fault"] else ""]
    notes += [f"warning: {warning}" for warning in one["warnings"]]
    return "\n".join([f"{printable(_target(one))} {status}", *(f"    {printable(note)}" for note in notes if note)])


def _target(one: Item) -> str:
    query = f"?{urlencode(one['query'], doseq=True)}" if one["query"] else ""
    return f"{one['method']} {one['path']}{query}"


def _mail(one: Item) -> str:
    code = "" if one["otp"] is None else f", one-time code {one['otp']}"
    return f"to {one['to']}: {one['subject']}{code}"


def _timer(one: Item) -> str:
    return f"{one['at']} {one['machine']} {one['key']}: {one['event']}"


def _fault(one: Item) -> str:
    return f"{one['fault']} ({one['id']}): {counted(one['hits'], 'hit')}"


def _stubs(stubs: Sequence[Item]) -> Iterator[str]:
    """A line for each stub that has answered, and one for those that have not."""
    for one in stubs:
        if one["hits"]:
            yield f"{one['method']} {one['path']} ({one['id']}): {counted(one['hits'], 'hit')}"
    idle = [f"{one['method']} {one['path']}" for one in stubs if not one["hits"]]
    if idle:
        more = f" and {len(idle) - _NAMED:,} more" if len(idle) > _NAMED else ""
        yield f"never hit: {', '.join(idle[:_NAMED])}{more}"
