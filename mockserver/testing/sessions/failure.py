"""What a failed test's workspace tells: its last requests, and what went wrong or out beside them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import groupby

from mockserver.testing.client import MockServerError
from mockserver.testing.handles.deliveries import Attempt, Delivery
from mockserver.testing.handles.faults import Fault
from mockserver.testing.handles.mailbox import Mail
from mockserver.testing.workspace import Workspace

#: How many lines of each kind are shown, the last ones; equal requests one after the other are one.
SHOWN = 20
#: How many requests are asked for, to fold them.
_ASKED = 200


def report(workspace: Workspace) -> str:
    """The last requests, oldest first, then deliveries that failed, e-mails and hits of faults, where there are any.

    Nothing where the workspace was asked nothing. What cannot be read is told instead of hiding the failure itself.
    """
    try:
        parts = [_requests(workspace), _deliveries(workspace), _mails(workspace), _faults(workspace)]
    except MockServerError as error:
        return f"the journal cannot be read: {error}"
    return "\n".join(part for part in parts if part)


def _requests(workspace: Workspace) -> str:
    found = workspace.requests.page(limit=_ASKED)
    folded = [_folded(text, len(list(same))) for text, same in groupby(map(str, reversed(found.items)))]
    older = found.total - len(found.items) + found.evicted
    return "\n".join([*_cut(len(folded) - SHOWN, older), *folded[-SHOWN:]])


def _cut(lines: int, older: int) -> Iterator[str]:
    """How much is not shown."""
    parts = [f"lines: {lines}" if lines > 0 else "", f"older requests: {older}" if older else ""]
    if told := ", ".join(part for part in parts if part):
        yield f"(not shown: {told})"


def _folded(text: str, times: int) -> str:
    first, *notes = text.splitlines()
    return "\n".join([f"{first} ({times} times)" if times > 1 else first, *notes])


def _section(title: str, lines: Iterable[str]) -> str:
    """The last lines under their title; nothing if there are none."""
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
    why = _outcome(one.attempts[-1]) if one.attempts else "never tried"
    tries = len(one.attempts) + one.attempts_evicted
    return f"{event} to {one.url}: {why}, {one.state} after {tries} attempt{'' if tries == 1 else 's'}"


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
