"""The log: a line for each request, and for what the program itself warns of; as text or as JSON."""

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

#: How much of a path, a query and a reason is kept, in characters.
_LONGEST = 1_000
#: What stands in an address as it is; all else is percent-encoded.
_SAFE = "/:@!$&'()*+,;=~?%<>[]{}|^`"


class LogFormat(StrEnum):
    """How lines are written; without a line for each request, what is left is text."""

    TEXT = "text"
    JSON = "json"
    OFF = "off"


class Secrecy(NamedTuple):
    """How secrets are taken out; filled in by the app."""

    text: Callable[[str], str]
    query: Callable[[str], str]


class _Asked(NamedTuple):
    """A request, with no more of it than is written: its bodies must not stay for the log's sake."""

    time: float
    #: Of all requests since the start: ids are drawn from a workspace's seed, and come again in another one.
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


class _Called(NamedTuple):
    """A call of the control API, and who made it."""

    time: float
    number: int
    workspace: str | None
    method: str
    path: str
    query: str
    status: int
    ms: float
    client: str | None


class _Told(NamedTuple):
    """What the program says."""

    time: float
    level: str
    logger: str
    message: str
    exception: str | None = None


class RequestLog:
    """Takes note of requests, and hands them to a thread that writes."""

    def __init__(self, form: LogFormat, secrecy: Secrecy, *, target: int = 2, limit: int = LIMIT) -> None:
        self.form = form
        self._text = secrecy.text
        # Tests ask for the same addresses again and again.
        self._path, self._query = lru_cache(maxsize=512)(secrecy.text), lru_cache(maxsize=512)(secrecy.query)
        self._numbers = itertools.count(1)
        self._write = _as_json if form is LogFormat.JSON else _as_text
        self._writer = LogWriter[_Asked | _Called | _Told](self._line, self._lost, target=target, limit=limit)

    def __call__(self, workspace: str, exchange: Exchange) -> None:
        """Note a request that is over."""
        reason, warnings = exchange.reason, exchange.warnings
        self._writer.put(
            _Asked(
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
        """Note a call of the control API that is over."""
        now, number = time.time(), next(self._numbers)
        path, query = path[:_LONGEST], query[:_LONGEST]
        self._writer.put(_Called(now, number, workspace, method, path, query, status, ms, client))

    def tell(self, record: logging.LogRecord) -> None:
        """Note what the program says."""
        exception = "".join(traceback.format_exception(*record.exc_info)) if record.exc_info else None
        self._writer.put(_Told(record.created, record.levelname, record.name, record.getMessage(), exception))

    def close(self) -> None:
        """Write what waits, if that can be done soon; nothing is taken any more."""
        self._writer.close()

    def _line(self, entry: _Asked | _Called | _Told) -> str:
        text = self._text
        if isinstance(entry, _Asked):
            entry = entry._replace(
                path=self._path(entry.path),
                query=self._query(entry.query),
                reason=entry.reason and text(entry.reason),
                warning=entry.warning and text(entry.warning),
            )
        elif isinstance(entry, _Called):
            entry = entry._replace(path=self._path(entry.path), query=self._query(entry.query))
        else:
            entry = entry._replace(message=text(entry.message), exception=entry.exception and text(entry.exception))
        return self._write(entry)

    def _lost(self, count: int) -> str:
        message = f"{count} lines were dropped here, as they came faster than they are read"
        return self._write(_Told(time.time(), "WARNING", __name__, message))


class LogHandler(logging.Handler):
    """Hands on what the program and its libraries say; as it is for the whole process, only a command sets it up."""

    def __init__(self, log: RequestLog) -> None:
        super().__init__(logging.WARNING)
        self._log = log

    def emit(self, record: logging.LogRecord) -> None:
        try:
            self._log.tell(record)
        except Exception:  # noqa: BLE001  # logging's own rule: a bad record harms nobody
            self.handleError(record)


def _as_json(entry: _Asked | _Called | _Told) -> str:
    found: dict[str, Any] = entry._asdict()
    found["time"] = _moment(entry.time)
    if not isinstance(entry, _Told):
        found["ms"] = round(entry.ms, 3)
    # Of ASCII alone, so that no reader takes anything within it for the end of a line.
    return json.dumps(found, separators=(",", ":")) + "\n"


def _as_text(entry: _Asked | _Called | _Told) -> str:
    words = _told(entry) if isinstance(entry, _Told) else _asked(entry)
    return f"{_moment(entry.time)} {' '.join(words)}\n"


def _asked(entry: _Asked | _Called) -> list[str]:
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
    if isinstance(entry, _Called):
        return [*words, f"from={entry.client or '-'}"]
    words.append(entry.id)
    if entry.fault:
        words.append(f"fault={_printable(entry.fault)}")
    for name, text in (("reason", entry.reason), ("warning", entry.warning)):
        if text:
            words.append(f"{name}={json.dumps(text, ensure_ascii=not text.isprintable())}")
    return words


def _told(entry: _Told) -> list[str]:
    lines = [_printable(entry.message), *map(_printable, (entry.exception or "").splitlines())]
    return [entry.level, entry.logger, "\n".join(lines)]


def _printable(text: str) -> str:
    """A text that stays in its line, whatever a client has sent."""
    return text if text.isprintable() else text.encode("unicode_escape").decode()


def _moment(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
