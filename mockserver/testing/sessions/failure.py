"""What a failed test shows of its workspace: the last requests, failed webhook calls, e-mails and faults."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import groupby

from mockserver.testing.client import MockServerError
from mockserver.testing.handles.deliveries import Attempt, Delivery
from mockserver.testing.handles.faults import Fault
from mockserver.testing.handles.mailbox import Mail
from mockserver.testing.workspace import Workspace

#: How many lines of each section are shown, the last ones; chosen so that a report fits on a screen or two. Equal
#: requests one after the other are one line.
SHOWN = 20
#: How many requests are read for the lines shown; chosen ten times as many, because equal ones become one line.
_READ = 200


def journal_report(workspace: Workspace) -> str:
    """The last requests of a workspace, oldest first, then its failed deliveries, e-mails and faults.

    A section without lines is left out, so that the text may be empty. A journal that cannot be read is reported in the
    text and not raised, because that would hide the failure of the test.
    """
    try:
        sections = [_requests(workspace), _deliveries(workspace), _mails(workspace), _faults(workspace)]
    except MockServerError as error:
        return f"the journal cannot be read: {error}"
    return "\n".join(section for section in sections if section)


def _requests(workspace: Workspace) -> str:
    found = workspace.requests.page(limit=_READ)
    folded = [_folded(text, len(list(same))) for text, same in groupby(map(str, reversed(found.items)))]
    older = found.total - len(found.items) + found.evicted
    return "\n".join([*_omitted(len(folded) - SHOWN, older), *folded[-SHOWN:]])


def _omitted(lines: int, older: int) -> Iterator[str]:
    """A line that says how many lines and older requests are not shown; none if all are."""
    counts = [f"lines: {lines}" if lines > 0 else "", f"older requests: {older}" if older else ""]
    if omitted := ", ".join(count for count in counts if count):
        yield f"(not shown: {omitted})"


def _folded(text: str, times: int) -> str:
    """The lines of a request that was made several times in a row, with that number in the first line."""
    first, *notes = text.splitlines()
    return "\n".join([f"{first} ({times} times)" if times > 1 else first, *notes])


def _section(title: str, lines: Iterable[str]) -> str:
    """The last lines under a title; empty if there are none."""
    rows = list(lines)
    if not rows:
        return ""
    more = f" (the last {SHOWN} of {len(rows)})" if len(rows) > SHOWN else ""
    return "\n".join([f"{title}{more}:", *(f"    {row}" for row in rows[-SHOWN:])])


def _deliveries(workspace: Workspace) -> str:
    found = reversed(workspace.deliveries.all())
    return _section("webhook calls that failed", (_call(one) for one in found if one.state in ("retrying", "dropped")))


def _call(one: Delivery) -> str:
    event = one.event if isinstance(one.event, str) else ", ".join(one.event)
    outcome = _outcome(one.attempts[-1]) if one.attempts else "never tried"
    tries = len(one.attempts) + one.attempts_evicted
    return f"{event} to {one.url}: {outcome}, {one.state} after {tries} attempt{'' if tries == 1 else 's'}"


def _outcome(attempt: Attempt) -> str:
    return attempt.error or f"answered with {attempt.status}"


def _mails(workspace: Workspace) -> str:
    return _section("e-mails", (_mail(one) for one in reversed(workspace.mailbox.all())))


def _mail(one: Mail) -> str:
    code = "" if one.otp is None else f", one-time code {one.otp}"
    return f"to {one.to}: {one.subject}{code}"


def _faults(workspace: Workspace) -> str:
    return _section("faults", map(_fault, workspace.faults.all()))


def _fault(one: Fault) -> str:
    hits = int(one.rule["hits"])
    return f"{one.fault} ({one.id}): {hits} hit{'' if hits == 1 else 's'}"
