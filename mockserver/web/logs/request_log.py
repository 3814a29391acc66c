"""The log: a line for each request, each control call and each warning of the program, as text or as JSON."""

from __future__ import annotations

import itertools
import logging
import time
import traceback
from collections.abc import Callable
from enum import StrEnum
from functools import lru_cache
from typing import NamedTuple

from mockserver.core.traffic.exchange import Exchange
from mockserver.web.logs.entries import (
    ControlEntry,
    Entry,
    MessageEntry,
    RequestEntry,
    as_json,
    as_text,
    brief_text,
    call_as_text,
)
from mockserver.web.logs.log_writer import LIMIT, LogWriter

#: The most characters of a path, a query, a reason and a warning in a line. Chosen: more than honest ones have.
_LONGEST = 1_000
#: How many calls are remembered as they are written, without secrets. Chosen: tests make the same few again and again,
#: and so many take at most some megabytes.
_REMEMBERED = 512


class LogFormat(StrEnum):
    """How lines are written; with `off` there is no line for a request, and warnings are text."""

    TEXT = "text"
    JSON = "json"
    OFF = "off"


class Secrecy(NamedTuple):
    """The functions that take secrets out of texts and of queries; the app provides them."""

    text: Callable[[str], str]
    query: Callable[[str], str]


class RequestLog:
    """Takes requests, control calls and messages, and lets a thread write a line for each, without secrets."""

    def __init__(self, log_format: LogFormat, secrecy: Secrecy, *, target: int = 2, limit: int = LIMIT) -> None:
        """A log in this format to the file descriptor `target`, with at most `limit` lines waiting to be written."""
        self.format = log_format
        self._secrecy = secrecy
        self._call = lru_cache(maxsize=_REMEMBERED)(self._shown_call)
        self._numbers = itertools.count(1)
        self._write = as_json if log_format is LogFormat.JSON else as_text
        self._writer = LogWriter[Entry | str](self._line, self._lost, target=target, limit=limit)

    def __call__(self, workspace: str, exchange: Exchange) -> None:
        """Write a line about a request to a workspace that is over."""
        reason, warnings = exchange.reason, exchange.warnings
        if self._write is as_text and reason is exchange.fault is None and not warnings:
            # Most lines; they take half as long to write while all that they tell of is at hand.
            call = self._call(exchange.method, exchange.path[:_LONGEST], exchange.query[:_LONGEST])
            self._writer.put(brief_text(time.time(), next(self._numbers), workspace, call, exchange))
            return
        self._writer.put(
            RequestEntry(
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
        self._writer.put(ControlEntry(now, number, workspace, method, path, query, status, ms, client))

    def note_message(self, record: logging.LogRecord) -> None:
        """Write a line about what the program or one of its libraries logs."""
        exception = "".join(traceback.format_exception(*record.exc_info)) if record.exc_info else None
        self._writer.put(MessageEntry(record.created, record.levelname, record.name, record.getMessage(), exception))

    def close(self) -> None:
        """Take nothing more, and wait for a moment until the lines that wait are written."""
        self._writer.close()

    def _line(self, entry: Entry | str) -> str:
        if isinstance(entry, str):
            return entry
        text, query = self._secrecy
        return self._write(entry.redacted(text, text, query))

    def _shown_call(self, method: str, path: str, query: str) -> str:
        text, of_query = self._secrecy
        return call_as_text(method, text(path), of_query(query))

    def _lost(self, count: int) -> str:
        message = f"{count} lines were dropped here, as they came faster than they are read"
        return self._write(MessageEntry(time.time(), "WARNING", __name__, message))


class LogHandler(logging.Handler):
    """Passes what the program and its libraries log to a `RequestLog`.

    A handler is for the whole process, so that only a command installs one.
    """

    def __init__(self, log: RequestLog) -> None:
        super().__init__(logging.WARNING)
        self._log = log

    def emit(self, record: logging.LogRecord) -> None:
        try:
            self._log.note_message(record)
        except Exception:  # noqa: BLE001  # logging's rule: a bad record breaks no program
            self.handleError(record)
