"""Failure reports: workspace summary, journal, artifact folder."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from itertools import groupby
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlencode

import pytest

from mockserver.core.text.messages import counted, printable
from mockserver.testing.client import Client, MockServerError
from mockserver.testing.handles.server import MockServer, own_workspaces
from mockserver.testing.handles.workspace import Workspace
from mockserver.testing.sessions.artifacts import (
    Artifacts,
    FailedTest,
    Item,
    Listed,
    Traffic,
    gather,
    link_of,
    read_traffic,
    write,
)
from mockserver.testing.sessions.session import TestWorkspace
from mockserver.views.record import read
from mockserver.views.traffic_records import Report

#: How many lines of each section are shown, the last ones; chosen so that a report fits on a screen or two.
SHOWN = 20
#: How many items of each kind are read; chosen ten times as many, because equal requests in a row share a line.
READ = 200
#: How many stubs without a hit are named; chosen to fit on a line, because a stub library has dozens.
_NAMED = 3

#: A title, and the text below it.
Section = tuple[str, str]


class Reading(NamedTuple):
    """Workspace data for a later report."""

    sections: Sequence[Section]
    #: The artifacts, or why they cannot be read; None: they are not wanted.
    artifacts: Artifacts | str | None


def read_failure(server: MockServer, test: TestWorkspace | None, since: float, *, artifacts: bool) -> list[Reading]:
    """Read the workspaces of a failed test. Errors become texts, because exceptions would hide the test failure.

    These are its own, and others of the server object that had a request `since` its start, in seconds.
    """
    found, own = [], None if test is None else test.workspace
    others = [row for row in own_workspaces(server) if row[0] is not own]
    for workspace, made_by in others if test is None else [(test.workspace, test.made_by), *others]:
        try:
            if workspace is not own and not _is_used(server.client, workspace.name, since):
                continue
            drawn = _drawn(server.client, workspace.name)
            rows = failure_report(server.client, workspace.name)
            sections = [*drawn, *((title, _without_draws(text) if drawn else text) for title, text in rows)]
        except Exception as error:  # noqa: BLE001  # see above
            sections = [("mockserver journal", printable(f"the journal cannot be read: {error!r}"))]
        named = "" if workspace is own else f" of {workspace.name}"
        titled = [(f"{title}{named}", text) for title, text in sections]
        found.append(Reading(titled, _gathered(server.client, workspace, made_by) if artifacts else None))
    return found


def _is_used(client: Client, name: str, since: float) -> bool:
    last = link_of(client, name).get(f"/workspaces/{name}")["last_request"]
    return last is not None and datetime.fromisoformat(last["real_at"]).timestamp() >= since


def _gathered(client: Client, workspace: Workspace, made_by: Item) -> Artifacts | str:
    try:
        return gather(client, workspace, made_by)
    except Exception as error:  # noqa: BLE001  # see `read_failure`
        return str(error) if isinstance(error, (MockServerError, OSError, ValueError)) else repr(error)


def tell(report: pytest.TestReport, found: Reading, folder: Path | None, session: str) -> None:
    """Add sections to a failure report, and write artifacts into a new folder unless `folder` is None."""
    report.sections.extend(found.sections)
    if folder is None or found.artifacts is None:
        return
    if isinstance(found.artifacts, str):
        told = f"they cannot be read: {found.artifacts}"
    else:
        text = "\n".join([report.longreprtext, *(f"\n{title}\n{text}" for title, text in found.sections)])
        test = FailedTest(report.nodeid, report.when or "call", text, session)
        try:
            told = str(write(folder, test, found.artifacts))
        except Exception as error:  # noqa: BLE001  # see `read_failure`
            told = f"they cannot be written to {folder}: {error}"
    report.sections.append(("mockserver artifacts", printable(told)))


def _drawn(client: Client, name: str) -> list[Section]:
    """Return a report section with the draws of `vary`, or an empty list without a seed."""
    try:
        found = client.json("GET", f"/w/{name}/_mock/vary")
    except MockServerError:  # the journal says why
        return []
    rows = "\n".join(printable(row["says"]) for row in found["items"])
    return [(f"mockserver vary={found['seed']}", rows)] if rows else []


def _without_draws(text: str) -> str:
    """Leave out the lines of the journal's first request that list the draws, which have a section."""
    return "\n".join(line for line in text.splitlines() if not line.lstrip().startswith("warning: vary "))


def failure_report(client: Client, name: str) -> list[Section]:
    """Return summary and journal of a workspace, omitting empty sections; errors become texts."""
    try:
        report = read(Report, link_of(client, name).get("/report", limit=SHOWN))
        traffic = read_traffic(client, name, READ)
    except MockServerError as error:
        return [("mockserver journal", printable(f"the journal cannot be read: {error}"))]
    found = [("mockserver", _troubles(report, traffic)), ("mockserver journal", _journal(traffic))]
    return [(title, text) for title, text in found if text]


def _troubles(report: Report, traffic: Traffic) -> str:
    """Return the report of the workspace with the control calls of this process that were refused."""
    refusals = [f"refused control call: {printable(text)}" for text in _tallied(map(str, traffic.refusals))]
    if not refusals and not report.summary and not report.items:
        return ""
    return "\n".join([str(report), *refusals])


# ------------------------------------------------------------------ the journal


def _part(title: str, rows: Iterable[str]) -> str:
    found = list(rows)
    if not found:
        return ""
    more = f" (the last {SHOWN:,} of {len(found):,})" if len(found) > SHOWN else ""
    return "\n".join([f"{title}{more}:", *(f"    {printable(row)}" for row in found[-SHOWN:])])


def _journal(traffic: Traffic) -> str:
    timers = (f"{one['at']} {one['machine']} {one['key']}: {one['event']}" for one in traffic.timers.items)
    faults = (f"{one['fault']} ({one['id']}): {counted(one['hits'], 'hit')}" for one in traffic.faults.items)
    parts = [
        _requests(traffic.requests),
        _part("e-mails", map(_mail, traffic.mails.items)),
        _part("timers that fired", timers),
        _part("faults", faults),
        _part("stubs", _stubs(traffic.stubs.items)),
    ]
    return "\n".join(part for part in parts if part)


def _requests(requests: Listed) -> str:
    blocks = _folded(map(_request, requests.items))
    older = requests.unread + requests.evicted
    return "\n".join([*_omitted(len(blocks) - SHOWN, older), *blocks[-SHOWN:]])


def _omitted(lines: int, older: int) -> Iterator[str]:
    counts = [f"lines: {lines}" if lines > 0 else "", f"older requests: {older}" if older else ""]
    if omitted := ", ".join(count for count in counts if count):
        yield f"(not shown: {omitted})"


def _request(one: Item) -> str:
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


def _stubs(stubs: Sequence[Item]) -> Iterator[str]:
    """Yield one line per stub with hits, and one line for all unused stubs."""
    for one in stubs:
        if one["hits"]:
            yield f"{one['method']} {one['path']} ({one['id']}): {counted(one['hits'], 'hit')}"
    idle = [f"{one['method']} {one['path']}" for one in stubs if not one["hits"]]
    if idle:
        more = f" and {len(idle) - _NAMED:,} more" if len(idle) > _NAMED else ""
        yield f"never hit: {', '.join(idle[:_NAMED])}{more}"


# ------------------------------------------------------------------ lines


def _folded(blocks: Iterable[str]) -> list[str]:
    """Merge equal consecutive blocks, appending the count to the first line."""
    found = []
    for block, same in groupby(blocks):
        times = len(list(same))
        first, line_feed, rest = block.partition("\n")
        found.append(f"{first} ({times:,} times){line_feed}{rest}" if times > 1 else block)
    return found


def _tallied(sentences: Iterable[str]) -> Iterator[str]:
    for sentence, times in Counter(sentences).items():
        yield sentence if times == 1 else f"{sentence} ({times:,} times)"
