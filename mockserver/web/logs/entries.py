"""The entries of the log, and a line of each: as text or as JSON."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import UTC, datetime
from functools import lru_cache
from typing import Any, NamedTuple, Self
from urllib.parse import quote

from mockserver.core.traffic.exchange import Exchange

#: Takes the secrets out of a text.
Redact = Callable[[str], str]

#: The characters that a path in a line has as they are; all others are percent-encoded.
_SAFE_IN_PATH = "/:@!$&'()*+,;=~<>[]{}|^`"
#: The characters that a query in a line has as they are; all others are percent-encoded.
_SAFE_IN_QUERY = _SAFE_IN_PATH + "?%"
#: Made once, as `json.dumps` would make one for each line. ASCII only, so that no reader takes a character within the
#: line for its end.
_JSON = json.JSONEncoder(separators=(",", ":"))


class RequestEntry(NamedTuple):
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

    def redacted(self, text: Redact, path: Redact, query: Redact) -> Self:
        """The entry without secrets."""
        return self._replace(
            path=path(self.path),
            query=query(self.query),
            reason=self.reason and text(self.reason),
            warning=self.warning and text(self.warning),
        )

    def members(self) -> dict[str, Any]:
        """The members of the entry's line of JSON, but for its time."""
        return {**self._asdict(), "ms": round(self.ms, 3)}

    def words(self) -> list[str]:
        """The words of the entry's line of text, but for its time."""
        words = [f"{_call(self)} {self.id}"]
        if self.fault:
            words.append(f"fault={_printable(self.fault)}")
        for name, text in (("reason", self.reason), ("warning", self.warning)):
            if text:
                words.append(f"{name}={json.dumps(text, ensure_ascii=not text.isprintable())}")
        return words


class ControlEntry(NamedTuple):
    """A control call, and who made it."""

    #: Seconds since 1970.
    time: float
    #: Counted over all requests since the start.
    number: int
    workspace: str | None
    method: str
    path: str
    query: str
    status: int
    ms: float
    client: str | None

    def redacted(self, text: Redact, path: Redact, query: Redact) -> Self:
        """The entry without secrets."""
        return self._replace(path=path(self.path), query=query(self.query))

    def members(self) -> dict[str, Any]:
        """The members of the entry's line of JSON, but for its time."""
        return {**self._asdict(), "ms": round(self.ms, 3)}

    def words(self) -> list[str]:
        """The words of the entry's line of text, but for its time."""
        return [_call(self), f"from={self.client or '-'}"]


class MessageEntry(NamedTuple):
    """What the program or one of its libraries logs."""

    #: Seconds since 1970.
    time: float
    level: str
    logger: str
    message: str
    exception: str | None = None

    def redacted(self, text: Redact, path: Redact, query: Redact) -> Self:
        """The entry without secrets."""
        return self._replace(message=text(self.message), exception=self.exception and text(self.exception))

    def members(self) -> dict[str, Any]:
        """The members of the entry's line of JSON, but for its time."""
        return self._asdict()

    def words(self) -> list[str]:
        """The words of the entry's line of text, but for its time; a traceback follows on lines of its own."""
        lines = [_printable(self.message), *map(_printable, (self.exception or "").splitlines())]
        return [self.level, self.logger, "\n".join(lines)]


Entry = RequestEntry | ControlEntry | MessageEntry


def as_json(entry: Entry) -> str:
    """The line of an entry as JSON."""
    members = {**entry.members(), "time": _moment(entry.time)}
    return _JSON.encode(members) + "\n"


def as_text(entry: Entry) -> str:
    """The line of an entry as text."""
    return f"{_moment(entry.time)} {' '.join(entry.words())}\n"


def brief_text(seconds: float, number: int, workspace: str, call: str, exchange: Exchange) -> str:
    """The line of a request of which there is no more to tell than what it called and how it was answered, as text."""
    answered = f"{exchange.status or '-'} {exchange.ms:.3f}ms {exchange.id}"
    return f"{_moment(seconds)} #{number} {workspace} {call} {answered}\n"


def call_as_text(method: str, path: str, query: str) -> str:
    """What was called, as it stands in a line of text."""
    address = quote(path, _SAFE_IN_PATH, errors="replace")
    asked = f"?{quote(query, _SAFE_IN_QUERY, 'latin-1', 'replace')}" if query else ""
    return f"{_printable(method)} {address}{asked}"


def _call(entry: RequestEntry | ControlEntry) -> str:
    called = call_as_text(entry.method, entry.path, entry.query)
    return f"#{entry.number} {entry.workspace or '-'} {called} {entry.status or '-'} {entry.ms:.3f}ms"


def _printable(text: str) -> str:
    """A text on one line, in which characters that are not printable are escaped."""
    return text if text.isprintable() else text.encode("unicode_escape").decode()


def _moment(seconds: float) -> str:
    return _millisecond(round(seconds * 1_000_000) // 1_000)


@lru_cache(maxsize=2)
def _millisecond(number: int) -> str:
    """A millisecond since 1970, which several lines have in common when requests come fast."""
    second, milliseconds = divmod(number, 1_000)
    return f"{datetime.fromtimestamp(second, UTC).isoformat().removesuffix('+00:00')}.{milliseconds:03}Z"
