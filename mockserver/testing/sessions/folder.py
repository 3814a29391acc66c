"""The folder of a failed test, into which its artifacts are written."""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Iterator, Sequence
from itertools import count
from pathlib import Path
from typing import Any, NamedTuple

from mockserver.testing.sessions.artifacts import Artifacts
from mockserver.testing.sessions.traffic import Item

#: The most characters of a test's name in the name of its folder; chosen so that the paths below it stay within the
#: 260 characters that Windows takes.
_LONGEST = 80
#: How many characters of a hash tell names apart that are equal after what a file system does not take is left out.
_HASH = 8
#: The file that says of which test, and of which session, a folder is.
ABOUT = "test.json"


class FailedTest(NamedTuple):
    """What is told of a failed test beside its workspace."""

    nodeid: str
    #: `setup`, `call` or `teardown`.
    phase: str
    #: The text of the failure as pytest shows it, and the report below it.
    text: str
    #: What the session is known by, which workers of xdist share.
    session: str


def safe_name(nodeid: str) -> str:
    """A name for the folder of a test that every file system takes, that has a bound, and that no other test has."""
    # Neither dots nor spaces nor capitals tell names apart on every file system, and `con.py` is a device on Windows.
    plain = "".join(sign if sign.isascii() and (sign.isalnum() or sign == "_") else "-" for sign in nodeid)
    # The name of the test stands at the end, and tells more than the folders before it.
    words = "-".join(filter(None, plain.split("-")))[-_LONGEST:].strip("-")
    return f"{words}-{hashlib.sha256(nodeid.encode()).hexdigest()[:_HASH]}"


def write(parent: Path, test: FailedTest, found: Artifacts) -> Path:
    """Write the artifacts of a failed test into a folder of their own, and return it.

    A folder of an earlier session gives way; one of this session, as of a test that is run again, does not.

    Raises:
        OSError: the folder cannot be written.
    """
    folder = _fresh(parent, test)
    for name, text in _files(test, found):
        path = folder / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8", errors="backslashreplace", newline="\n")
    return folder


def _fresh(parent: Path, test: FailedTest) -> Path:
    """An empty folder for a test."""
    name = safe_name(test.nodeid)
    parent.mkdir(parents=True, exist_ok=True)
    for old in parent.glob(f"{name}*"):
        if (old / ABOUT).is_file() and _session(old) != test.session:
            shutil.rmtree(old)
    for folder in (parent / (name if number == 1 else f"{name}-{number}") for number in count(1)):
        try:
            folder.mkdir()
        except FileExistsError:
            continue
        break
    return folder


def _session(folder: Path) -> str | None:
    """The session that has written a folder; None: it cannot be read."""
    try:
        found = json.loads((folder / ABOUT).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    return found.get("session") if isinstance(found, dict) else None


def _files(test: FailedTest, found: Artifacts) -> Iterator[tuple[str, str]]:
    """The name of each file within the folder, with its text."""
    traffic = found.traffic
    yield ABOUT, _json({"test": test.nodeid, "phase": test.phase, "session": test.session, "workspace": found.about})
    yield "report.txt", f"{test.text}\n"
    yield "journal.json", _listed(traffic.requests.items, traffic.requests.evicted)
    yield "calls.json", _listed(traffic.calls.items, traffic.calls.evicted)
    yield "deliveries.json", _listed(traffic.deliveries.items, traffic.deliveries.evicted)
    yield "timers.json", _listed(traffic.timers.items, traffic.timers.evicted)
    yield "faults.json", _listed(traffic.faults.items)
    yield "stubs.json", _listed(traffic.stubs.items)
    yield "mails/index.json", _listed(traffic.mails.items, traffic.mails.evicted)
    for number, message in enumerate(found.messages, 1):
        yield f"mails/{number:04}.eml", message
    yield "coverage.json", _json(found.coverage)
    yield "state-before.yaml", found.before
    yield "state-after.yaml", found.after
    yield "state-before.json", _json(found.before_document)


def _listed(items: Sequence[Item], evicted: int = 0) -> str:
    return _json({"items": items, "count": len(items), "evicted": evicted})


def _json(value: Any) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False) + "\n"
