"""Artifacts of failed tests: collect workspace traffic, write folders."""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Iterator, Mapping, Sequence
from itertools import count
from pathlib import Path
from typing import Any, NamedTuple

from mockserver.testing.client import Client, MockServerError, Refusal
from mockserver.testing.handles.link import Link
from mockserver.testing.handles.workspace import Workspace

Item = Mapping[str, Any]

#: The most items of one control call.
_PAGE = 1000
#: The kinds that have one page only.
_ONE_PAGE = frozenset({"mailbox", "deliveries"})
_YAML = "application/yaml"
#: The most seconds between the start of a running clock and real time; chosen: it has three digits.
_REAL_S = 0.01
#: The most characters of a test's name in the name of its folder; chosen for the 260 characters of Windows.
_LONGEST = 80
#: How many characters of a hash distinguish names that are equal without the signs that a file system refuses.
_HASH = 8
#: The file that names the test and the session of a folder.
_ABOUT = "test.json"


# ------------------------------------------------------------------ traffic


class Listed(NamedTuple):
    """Workspace items of one kind, as returned by the control API."""

    #: Oldest first; faults and stubs in the order in which they apply.
    items: Sequence[Item] = ()
    #: How many older items were not read.
    unread: int = 0
    #: How many older items the workspace has evicted.
    evicted: int = 0


class Traffic(NamedTuple):
    requests: Listed
    #: The control calls that have changed something.
    calls: Listed
    mails: Listed
    deliveries: Listed
    #: The timers that have fired.
    timers: Listed
    faults: Listed
    stubs: Listed
    #: The control calls of this process that the server has refused.
    refusals: Sequence[Refusal]


def link_of(client: Client, name: str) -> Link:
    return Link(client, {"name": name})


def read_traffic(client: Client, name: str, most: int | None = None) -> Traffic:
    """Read the last `most` items of each kind, or all items."""
    link = link_of(client, name)
    kinds = ("requests", "calls", "mailbox", "deliveries", "timers")
    requests, calls, mails, deliveries, timers = (_newest(link, kind, most) for kind in kinds)
    return Traffic(
        requests,
        calls,
        mails,
        deliveries,
        timers,
        faults=Listed(link.items("/faults")),
        stubs=Listed(link.items("/stubs")),
        refusals=[row for row in list(client.refusals) if row.workspace == name],
    )


def _newest(link: Link, kind: str, most: int | None) -> Listed:
    found: list[Item] = []
    while True:
        wanted = _PAGE if most is None else min(_PAGE, most - len(found))
        page = link.get(f"/{kind}", limit=wanted, offset=len(found) or None)
        found += page["items"]
        unread = page["count"] - len(found)
        if unread <= 0 or not page["items"] or len(found) == most or kind in _ONE_PAGE:
            return Listed(found[::-1], max(unread, 0), page.get("evicted", 0))


# ------------------------------------------------------------------ reading


class Artifacts(NamedTuple):
    #: The workspace as the server describes it: `name`, `url`, `accounts` and more.
    about: Mapping[str, Any]
    traffic: Traffic
    #: Each e-mail as a MIME message, oldest first.
    messages: Sequence[str]
    coverage: Mapping[str, Any]
    #: The state in YAML and as JSON before the test; another workspace can be made of it.
    before: str
    before_document: Mapping[str, Any]
    #: The state in YAML after the test.
    after: str
    #: What happened, as an HTML page.
    trace: str


def gather(client: Client, workspace: Workspace, made_by: Mapping[str, Any]) -> Artifacts:
    """Collect the artifacts of a workspace; the body of the call that made it gives the initial state."""
    name = workspace.name
    link, traffic = link_of(client, name), read_traffic(client, name)
    about = link.get(f"/workspaces/{name}")
    after, trace = link.text("/state", accept=_YAML), workspace.trace()
    body = {member: value for member, value in made_by.items() if member not in ("name", "label")}
    before, document = _before(client, about, {**body, "seed": link.get("/state")["seed"]})
    return Artifacts(
        about=about,
        traffic=traffic,
        messages=[link.text(f"/mailbox/{mail['id']}.eml", accept="message/rfc822") for mail in traffic.mails.items],
        coverage=link.get("/coverage"),
        before=before,
        before_document=document,
        after=after,
        trace=trace,
    )


def _before(client: Client, about: Mapping[str, Any], body: Mapping[str, Any]) -> tuple[str, Mapping[str, Any]]:
    """Return the initial state of a workspace (YAML and JSON), including the original keys."""
    twin = _twin(client, body)
    clock = twin["clock"]
    if abs(clock["offset_s"]) < _REAL_S and not clock["frozen"]:
        # The clock is real time: the twin has to begin at the same moment as the workspace.
        _drop(client, twin)
        twin = _twin(client, {**body, "start": about["made_at"]})
    link = link_of(client, twin["name"])
    try:
        written, document = link.text("/state", accept=_YAML), json.dumps(link.get("/state"))
    finally:
        _drop(client, twin)
    for made, there in zip(twin["accounts"], about["accounts"], strict=False):
        if made["api_key"] and there["api_key"]:
            written = written.replace(made["api_key"], there["api_key"])
            document = document.replace(made["api_key"], there["api_key"])
    return written, json.loads(document)


def _twin(client: Client, body: Mapping[str, Any]) -> Mapping[str, Any]:
    made = client.json("POST", "/_mock/workspaces", body={**body, "counted": False})
    found: Mapping[str, Any] = client.json("GET", f"/_mock/workspaces/{made['name']}")
    return found


def _drop(client: Client, about: Mapping[str, Any]) -> None:
    try:
        client.json("DELETE", f"/_mock/workspaces/{about['name']}")
    except MockServerError as error:
        if error.status != 404:
            raise


# ------------------------------------------------------------------ the folder


class FailedTest(NamedTuple):
    nodeid: str
    #: `setup`, `call` or `teardown`.
    phase: str
    #: The text of the failure as pytest shows it, and the report below it.
    text: str
    #: The id of the session, which workers of xdist share.
    session: str


def safe_name(nodeid: str) -> str:
    """Return a bounded, unique, portable folder name for a test."""
    # Dots, spaces and capitals do not distinguish names in every file system, and `con.py` is a device on Windows.
    plain = "".join(sign if sign.isascii() and (sign.isalnum() or sign == "_") else "-" for sign in nodeid)
    # The name of the test is at the end, and says more than the folders before it.
    words = "-".join(filter(None, plain.split("-")))[-_LONGEST:].strip("-")
    return f"{words}-{hashlib.sha256(nodeid.encode()).hexdigest()[:_HASH]}"


def write(parent: Path, test: FailedTest, found: Artifacts) -> Path:
    """Write the artifacts of a failed test into a new folder, and return the folder.

    A folder of an earlier session is replaced; a folder of this session, of a repeated test, is not.
    """
    folder = _fresh(parent, test)
    for name, text in _files(test, found):
        path = folder / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8", errors="backslashreplace", newline="\n")
    return folder


def _fresh(parent: Path, test: FailedTest) -> Path:
    name = safe_name(test.nodeid)
    parent.mkdir(parents=True, exist_ok=True)
    for old in parent.glob(f"{name}*"):
        if (old / _ABOUT).is_file() and _session(old) != test.session:
            shutil.rmtree(old)
    for folder in (parent / (name if number == 1 else f"{name}-{number}") for number in count(1)):
        try:
            folder.mkdir()
        except FileExistsError:
            continue
        break
    return folder


def _session(folder: Path) -> str | None:
    try:
        found = json.loads((folder / _ABOUT).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    return found.get("session") if isinstance(found, dict) else None


def _files(test: FailedTest, found: Artifacts) -> Iterator[tuple[str, str]]:
    traffic = found.traffic
    yield _ABOUT, _json({"test": test.nodeid, "phase": test.phase, "session": test.session, "workspace": found.about})
    yield "report.txt", f"{test.text}\n"
    yield "trace.html", found.trace
    listed = {"journal": traffic.requests, "calls": traffic.calls, "deliveries": traffic.deliveries,
              "timers": traffic.timers, "faults": traffic.faults, "stubs": traffic.stubs,
              "mails/index": traffic.mails}  # fmt: skip
    for name, rows in listed.items():
        yield f"{name}.json", _json({"items": rows.items, "count": len(rows.items), "evicted": rows.evicted})
    for number, message in enumerate(found.messages, 1):
        yield f"mails/{number:04}.eml", message
    yield "coverage.json", _json(found.coverage)
    yield "state-before.yaml", found.before
    yield "state-after.yaml", found.after
    yield "state-before.json", _json(found.before_document)


def _json(value: Any) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False) + "\n"
