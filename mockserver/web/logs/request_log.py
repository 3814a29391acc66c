"""The log: a line for each request, each control call and each warning of the program, as text or as JSON."""

from __future__ import annotations

import itertools
import json
import logging
import time
import traceback
from collections.abc import Callable
from datetime import UTC, datetime
from enum import StrEnum
from functools import lru_cache
from typing import Any, NamedTuple
from urllib.parse import quote

from mockserver.core.traffic.exchange import Exchange
from mockserver.web.logs.log_writer import LIMIT, LogWriter

#: The most characters of a path, a query, a reason and a warning in a line. Chosen: more than honest ones have.
_LONGEST = 1_000
#: How many paths and queries are remembered with their secrets taken out. Chosen: tests ask for the same few again and
#: again, and so many take at most some megabytes.
_REMEMBERED = 512
#: The characters that an address in a line has as they are; all others are percent-encoded.
_SAFE = "/:@!$&'()*+,;=~?%<>[]{}|^`"


class LogFormat(StrEnum):
    """How lines are written; with `off` there is no line for a request, and warnings are text."""

    TEXT = "text"
    JSON = "json"
    OFF = "off"


class Secrecy(NamedTuple):
    """The functions that take secrets out of texts and of queries; the app provides them."""

    text: Callable[[str], str]
    query: Callable[[str], str]


class _RequestEntry(NamedTuple):
    """A request, with no more of it than is written: its bodies must not stay in memory for the log."""

    #: Seconds since 1970.
    time: float
    #: Counted over all requests since the start; `id` is drawn from a workspace's seed, and may repeat in another one.
    number: int
    workspace: str
    operation: str | None
    method: str
    path: str
    query: str
    status: int | None
    ms: float
    id: str
    fault: str | None
    reason: str | None
    warning: str | None


class _ControlEntry(NamedTuple):
    """A control call, and who made it."""

    time: float
    number: int
    workspace: str | None
    method: str
    path: str
    query: str
    status: int
    ms: float
    client: str | None


class _MessageEntry(NamedTuple):
    """What the program or one of its libraries logs."""

    time: float
    level: str
    logger: str
    message: str
    exception: str | None = None


_Entry = _RequestEntry | _ControlEntry | _MessageEntry


class RequestLog:
    """Takes requests, control calls and messages, and lets a thread write a line for each, without secrets."""

    def __init__(self, log_format: LogFormat, secrecy: Secrecy, *, target: int = 2, limit: int = LIMIT) -> None:
        """A log in this format to the file descriptor `target`, with at most `limit` lines waiting to be written."""
        self.format = log_format
        self._text = secrecy.text
        remember = lru_cache(maxsize=_REMEMBERED)
        self._path, self._query = remember(secrecy.text), remember(secrecy.query)
        self._numbers = itertools.count(1)
        self._write = _as_json if log_format is LogFormat.JSON else _as_text
        self._writer = LogWriter[_Entry](self._line, self._lost, target=target, limit=limit)

    def __call__(self, workspace: str, exchange: Exchange) -> None:
        """Write a line about a request to a workspace that is over."""
        reason, warnings = exchange.reason, exchange.warnings
        self._writer.put(
            _RequestEntry(
                time.time(),
                next(self._numbers),
                workspace,
                exchange.operation,
                exchange.method,
                exchange.path[:_LONGEST],
                exchange.query[:_LONGEST],
                exchange.status,
                exchange.ms,
                exchange.id,
                exchange.fault,
                reason and reason[:_LONGEST],
                warnings[0][:_LONGEST] if warnings else None,
            )
        )

    def note_call(
        self, workspace: str | None, method: str, path: str, query: str, status: int, ms: float, client: str | None
    ) -> None:
        """Write a line about a control call that is over."""
        now, number = time.time(), next(self._numbers)
        path, query = path[:_LONGEST], query[:_LONGEST]
        self._writer.put(_ControlEntry(now, number, workspace, method, path, query, status, ms, client))

    def tell(self, record: logging.LogRecord) -> None:
        """Write a line about what the program or one of its libraries logs."""
        exception = "".join(traceback.format_exception(*record.exc_info)) if record.exc_info else None
        self._writer.put(_MessageEntry(record.created, record.levelname, record.name, record.getMessage(), exception))

    def close(self) -> None:
        """Take nothing more, and wait for a moment until the lines that wait are written."""
        self._writer.close()

    def _line(self, entry: _Entry) -> str:
        text = self._text
        if isinstance(entry, _RequestEntry):
            entry = entry._replace(
                path=self._path(entry.path),
                query=self._query(entry.query),
                reason=entry.reason and text(entry.reason),
                warning=entry.warning and text(entry.warning),
            )
        elif isinstance(entry, _ControlEntry):
            entry = entry._replace(path=self._path(entry.path), query=self._query(entry.query))
        else:
            entry = entry._replace(message=text(entry.message), exception=entry.exception and text(entry.exception))
        return self._write(entry)

    def _lost(self, count: int) -> str:
        message = f"{count} lines were dropped here, as they came faster than they are read"
        return self._write(_MessageEntry(time.time(), "WARNING", __name__, message))


class LogHandler(logging.Handler):
    """Passes what the program and its libraries log to a `RequestLog`.

    A handler is for the whole process, so that only a command installs one.
    """

    def __init__(self, log: RequestLog) -> None:
        super().__init__(logging.WARNING)
        self._log = log

    def emit(self, record: logging.LogRecord) -> None:
        try:
            self._log.tell(record)
        except Exception:  # noqa: BLE001  # logging's rule: a bad record breaks no program
            self.handleError(record)


def _as_json(entry: _Entry) -> str:
    found: dict[str, Any] = entry._asdict()
    found["time"] = _moment(entry.time)
    if not isinstance(entry, _MessageEntry):
        found["ms"] = round(entry.ms, 3)
    # ASCII only, so that no reader takes a character within the line for its end.
    return json.dumps(found, separators=(",", ":")) + "\n"


def _as_text(entry: _Entry) -> str:
    words = _message_words(entry) if isinstance(entry, _MessageEntry) else _request_words(entry)
    return f"{_moment(entry.time)} {' '.join(words)}\n"


def _request_words(entry: _RequestEntry | _ControlEntry) -> list[str]:
    address = quote(entry.path, _SAFE.replace("?", "").replace("%", ""), errors="replace")
    if entry.query:
        address += f"?{quote(entry.query, _SAFE, 'latin-1', 'replace')}"
    words = [
        f"#{entry.number}",
        entry.workspace or "-",
        _printable(entry.method),
        address,
        str(entry.status or "-"),
        f"{entry.ms:.3f}ms",
    ]
    if isinstance(entry, _ControlEntry):
        return [*words, f"from={entry.client or '-'}"]
    words.append(entry.id)
    if entry.fault:
        words.append(f"fault={_printable(entry.fault)}")
    for name, text in (("reason", entry.reason), ("warning", entry.warning)):
        if text:
            words.append(f"{name}={json.dumps(text, ensure_ascii=not text.isprintable())}")
    return words


def _message_words(entry: _MessageEntry) -> list[str]:
    lines = [_printable(entry.message), *map(_printable, (entry.exception or "").splitlines())]
    return [entry.level, entry.logger, "\n".join(lines)]


def _printable(text: str) -> str:
    """A text on one line, in which characters that are not printable are escaped."""
    return text if text.isprintable() else text.encode("unicode_escape").decode()


def _moment(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
