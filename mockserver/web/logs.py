"""The log: lines for requests, control calls and warnings, written by a thread as text or JSON."""

from __future__ import annotations

import atexit
import itertools
import json
import logging
import os
import select
import threading
import time
import traceback
from collections import deque
from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from enum import StrEnum
from functools import lru_cache
from itertools import islice
from typing import Any, Generic, NamedTuple, TypeVar
from urllib.parse import quote

from mockserver.core.traffic.exchange import Exchange

EntryT = TypeVar("EntryT")

#: The most entries that wait to be written. Chosen: a second of the fastest requests, in a few megabytes.
LIMIT = 10_000
#: How many entries are written at once. Chosen: some milliseconds of work, after which other threads can run.
_BATCH = 100
#: How many seconds entries are gathered before they are written. Chosen: larger writes cost less, unnoticed.
_GATHER = 0.02
#: How many seconds the end of the process waits for entries to be written. Chosen: enough for all that may wait, and
#: a reader that has stopped reading delays the end no longer.
_GRACE = 0.5


class LogWriter(Generic[EntryT]):
    """A bounded queue of entries, and a thread, started by the first entry, that writes their lines.

    The thread avoids `sys.stderr`, whose lock no daemon thread may hold at the end of the process.
    """

    def __init__(
        self, line: Callable[[EntryT], str], lost: Callable[[int], str], *, target: int = 2, limit: int = LIMIT
    ) -> None:
        """Write to file descriptor `target`, with at most `limit` queued entries.

        `line` formats an entry, and `lost` the number of dropped entries.
        """
        self._line = line
        self._lost = lost
        self._target = target
        self._limit = limit
        self._lock = threading.Lock()
        self._entries: deque[EntryT] = deque()
        self._dropped = 0
        self._thread: threading.Thread | None = None
        self._awake = threading.Event()
        self._closing = threading.Event()

    def put(self, entry: EntryT) -> None:
        """Queue an entry, dropping the oldest entry of a full queue."""
        if self._closing.is_set():
            return
        with self._lock:
            entries = self._entries
            if len(entries) >= self._limit:
                entries.popleft()
                self._dropped += 1
            entries.append(entry)
            if len(entries) > 1:
                return  # the thread takes all that wait once the first of them has awoken it
            if self._thread is None:
                self._begin()
        self._awake.set()

    def close(self, seconds: float = _GRACE) -> None:
        """Refuse new entries, and wait up to `seconds` for queued entries."""
        atexit.unregister(self.close)
        self._closing.set()
        self._awake.set()
        if self._thread is not None:
            self._thread.join(seconds)

    def _begin(self) -> None:
        self._thread = threading.Thread(target=self._run, name="log", daemon=True)
        self._thread.start()
        atexit.register(self.close)

    def _run(self) -> None:
        try:
            while self._awake.wait():
                self._closing.wait(_GATHER)
                last = self._closing.is_set()
                self._awake.clear()
                for text in self._batches():
                    self._write(text)
                if last:
                    return
        except OSError:  # the reader of the log is gone
            self._closing.set()

    def _batches(self) -> Iterable[str]:
        """Yield the lines of all queued entries, in batches."""
        with self._lock:
            entries, self._entries = self._entries, deque()
            dropped, self._dropped = self._dropped, 0
        if dropped:
            yield self._lost(dropped)
        waiting = iter(entries)
        while text := "".join(map(self._line, islice(waiting, _BATCH))):
            yield text

    def _write(self, text: str) -> None:
        rest = memoryview(text.encode(errors="backslashreplace"))
        while rest:
            try:
                rest = rest[os.write(self._target, rest) :]
            except BlockingIOError:  # another process may have made the shared terminal non-blocking
                select.select([], [self._target], [])


#: Takes the secrets out of a text.
Redact = Callable[[str], str]

#: The members that may hold secrets.
_SECRETS = frozenset({"path", "query", "reason", "warning", "message", "exception"})
#: The characters that a path in a line has as they are; all others are percent-encoded.
_SAFE_IN_PATH = "/:@!$&'()*+,;=~<>[]{}|^`"
#: The characters that a query in a line has as they are; all others are percent-encoded.
_SAFE_IN_QUERY = _SAFE_IN_PATH + "?%"
#: Made once, as `json.dumps` would make one for each line. ASCII only, so that no character ends the line.
_JSON = json.JSONEncoder(separators=(",", ":"))


class Entry(NamedTuple):
    """A request, control call or message, without bodies, which would fill the memory."""

    #: Seconds since 1970.
    time: float
    #: The members of a JSON line; a text line has the same.
    members: dict[str, Any]

    def redacted(self, text: Redact, query: Redact) -> Entry:
        """Return the entry without secrets."""
        found = dict(self.members)
        for name in _SECRETS & found.keys():
            found[name] = found[name] and (query if name == "query" else text)(found[name])
        return Entry(self.time, found)


def as_json(entry: Entry) -> str:
    return _JSON.encode({"time": _moment(entry.time), **entry.members}) + "\n"


def as_text(entry: Entry) -> str:
    """Return an entry as a text line; a traceback follows on further lines."""
    row = entry.members
    if "message" in row:
        lines = [_printable(row["message"]), *map(_printable, (row["exception"] or "").splitlines())]
        return f"{_moment(entry.time)} {row['level']} {row['logger']} " + "\n".join(lines) + "\n"
    called = call_as_text(row["method"], row["path"], row["query"])
    words = [f"#{row['number']} {row['workspace'] or '-'} {called} {row['status'] or '-'} {row['ms']:.3f}ms"]
    if "id" in row:
        words.append(row["id"])
        if row["fault"]:
            words.append(f"fault={_printable(row['fault'])}")
        told = ((name, row[name]) for name in ("reason", "warning") if row[name])
        words += [f"{name}={json.dumps(text, ensure_ascii=not text.isprintable())}" for name, text in told]
    else:
        words.append(f"from={row['client'] or '-'}")
    return f"{_moment(entry.time)} {' '.join(words)}\n"


def brief_text(seconds: float, number: int, workspace: str, call: str, exchange: Exchange) -> str:
    """Return the text line of a request without fault, reason and warnings."""
    answered = f"{exchange.status or '-'} {exchange.ms:.3f}ms {exchange.id}"
    return f"{_moment(seconds)} #{number} {workspace} {call} {answered}\n"


def call_as_text(method: str, path: str, query: str) -> str:
    address = quote(path, _SAFE_IN_PATH, errors="replace")
    asked = f"?{quote(query, _SAFE_IN_QUERY, 'latin-1', 'replace')}" if query else ""
    return f"{_printable(method)} {address}{asked}"


def _printable(text: str) -> str:
    return text if text.isprintable() else text.encode("unicode_escape").decode()


def _moment(seconds: float) -> str:
    return _millisecond(round(seconds * 1_000_000) // 1_000)


@lru_cache(maxsize=2)
def _millisecond(number: int) -> str:
    """Format a millisecond since 1970, cached as fast requests share it."""
    second, milliseconds = divmod(number, 1_000)
    return f"{datetime.fromtimestamp(second, UTC).isoformat().removesuffix('+00:00')}.{milliseconds:03}Z"


#: The most characters of a path, a query, a reason and a warning in a line. Chosen: more than honest ones have.
_LONGEST = 1_000
#: How many calls are remembered as they are written, without secrets. Chosen: tests make the same few again and again,
#: and so many take at most some megabytes.
_REMEMBERED = 512


class LogFormat(StrEnum):
    """The format of lines; `off` drops requests, and writes warnings as text."""

    TEXT = "text"
    JSON = "json"
    OFF = "off"


class Secrecy(NamedTuple):
    """Functions that redact texts and queries; the app provides them."""

    text: Callable[[str], str]
    query: Callable[[str], str]


class RequestLog:
    """Queues requests, control calls and messages for a thread that writes redacted lines."""

    def __init__(self, log_format: LogFormat, secrecy: Secrecy, *, target: int = 2, limit: int = LIMIT) -> None:
        """Log in this format to file descriptor `target`, with at most `limit` queued lines."""
        self.format = log_format
        self._secrecy = secrecy
        self._call = lru_cache(maxsize=_REMEMBERED)(self._shown_call)
        self._numbers = itertools.count(1)
        self._write = as_json if log_format is LogFormat.JSON else as_text
        self._writer = LogWriter[Entry | str](self._line, self._lost, target=target, limit=limit)

    def __call__(self, workspace: str, exchange: Exchange) -> None:
        """Log a finished request of a workspace."""
        reason, warnings = exchange.reason, exchange.warnings
        if self._write is as_text and reason is exchange.fault is None and not warnings:
            # Most lines; they take half as long to write while all that they tell of is at hand.
            call = self._call(exchange.method, exchange.path[:_LONGEST], exchange.query[:_LONGEST])
            self._writer.put(brief_text(time.time(), next(self._numbers), workspace, call, exchange))
            return
        members = {
            "number": next(self._numbers),
            "workspace": workspace,
            "operation": exchange.operation,
            "method": exchange.method,
            "path": exchange.path[:_LONGEST],
            "query": exchange.query[:_LONGEST],
            "status": exchange.status,
            "ms": round(exchange.ms, 3),
            "id": exchange.id,
            "fault": exchange.fault,
            "reason": reason and reason[:_LONGEST],
            "warning": warnings[0][:_LONGEST] if warnings else None,
        }
        self._writer.put(Entry(time.time(), members))

    def note_call(
        self, workspace: str | None, method: str, path: str, query: str, status: int, ms: float, client: str | None
    ) -> None:
        """Log a finished control call."""
        members = {
            "number": next(self._numbers),
            "workspace": workspace,
            "method": method,
            "path": path[:_LONGEST],
            "query": query[:_LONGEST],
            "status": status,
            "ms": round(ms, 3),
            "client": client,
        }
        self._writer.put(Entry(time.time(), members))

    def note_message(self, record: logging.LogRecord) -> None:
        """Log a record of the program or a library."""
        exception = "".join(traceback.format_exception(*record.exc_info)) if record.exc_info else None
        self._writer.put(_message(record.created, record.levelname, record.name, record.getMessage(), exception))

    def close(self) -> None:
        """Refuse new lines, and wait briefly for queued lines."""
        self._writer.close()

    def _line(self, entry: Entry | str) -> str:
        if isinstance(entry, str):
            return entry
        text, query = self._secrecy
        return self._write(entry.redacted(text, query))

    def _shown_call(self, method: str, path: str, query: str) -> str:
        text, of_query = self._secrecy
        return call_as_text(method, text(path), of_query(query))

    def _lost(self, count: int) -> str:
        message = f"{count} lines were dropped here, as they came faster than they are read"
        return self._write(_message(time.time(), "WARNING", __name__, message))


def _message(seconds: float, level: str, logger: str, message: str, exception: str | None = None) -> Entry:
    return Entry(seconds, {"level": level, "logger": logger, "message": message, "exception": exception})


class LogHandler(logging.Handler):
    """Passes log records of the program and its libraries to a `RequestLog`.

    A handler affects the whole process, so that only a command installs it.
    """

    def __init__(self, log: RequestLog) -> None:
        super().__init__(logging.WARNING)
        self._log = log

    def emit(self, record: logging.LogRecord) -> None:
        try:
            self._log.note_message(record)
        except Exception:  # noqa: BLE001  # logging's rule: a bad record breaks no program
            self.handleError(record)
