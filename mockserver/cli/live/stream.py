"""What happens in a workspace, as the server tells it: server-sent events, over restarts of the server."""

from __future__ import annotations

import json
import time
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from mockserver.cli.output import echo, fail
from mockserver.cli.program import Misused
from mockserver.cli.remote import Target, health_of, told
from mockserver.testing.client import MockServerError

#: How often the server shows that the connection is alive, in seconds; three times as long without a sign, and it is
#: opened again. Chosen: a server that has gone without a word is noticed while somebody looks.
_HEARTBEAT_S = 5.0
#: How long to wait before a connection is opened again, in seconds: at first, and at most. Chosen: a server that is
#: restarted is seen at once, and one that stays away is not asked all the time.
_PAUSE_S, _LONGEST_PAUSE_S = 0.1, 2.0


class Event(NamedTuple):
    """One event of a stream."""

    #: `request`, `mail` and so on; empty: it only tells the id.
    kind: str
    #: The number of the event.
    id: str
    data: Mapping[str, Any]


def follow(target: Target, kinds: Iterable[str]) -> Iterator[Event]:
    """The events of some kinds that happen from now on; the first one, without a kind, says that the server listens.

    A connection that is lost is opened again, for as long as it takes, and what happened meanwhile is made up for.
    Exits with 2 if the server refuses, with 1 if it cannot be reached in the first place or the workspace is gone.
    """
    path = f"/_mock/stream?kind={','.join(kinds)}&heartbeat={_HEARTBEAT_S:g}"
    last: str | None = None
    pause, is_told, started = _PAUSE_S, False, None
    while True:
        try:
            before, started = started, health_of(target.client).get("started")
            # A server that was started anew numbers its events anew: all that it has is news.
            last = "0" if before not in (None, started) else last
            for event in _events(target, path, last):
                last, pause, is_told = event.id or last, _PAUSE_S, False
                yield event
        except MockServerError as error:
            if error.members and last is None:
                raise Misused(told(target.root, error)) from error
            if error.members or last is None:
                fail(told(target.root, error))
            if not is_told:
                echo(f"{target.root} does not answer; trying again", err=True)
            is_told = True
        time.sleep(pause)
        pause = min(2 * pause, _LONGEST_PAUSE_S)


def _events(target: Target, path: str, last: str | None) -> Iterator[Event]:
    """Yield the events of one connection, until it ends.

    Raises:
        MockServerError: The server refuses, or does not answer.
    """
    headers = {"X-Mock-Workspace": target.workspace, **({} if last is None else {"Last-Event-ID": last})}
    yield from _parsed(target.client.lines(path, headers=headers, timeout=3 * _HEARTBEAT_S))


def _parsed(lines: Iterable[bytes]) -> Iterator[Event]:
    """The events of the lines of a stream (https://html.spec.whatwg.org/multipage/server-sent-events.html)."""
    fields: dict[str, str] = {}
    for raw in lines:
        line = raw.decode(errors="replace").rstrip("\r\n")
        if line:
            name, _, value = line.partition(":")
            fields[name] = value.removeprefix(" ")
            continue
        if "id" in fields:
            yield Event(fields.get("event", ""), fields["id"], _data(fields))
        fields = {}


def _data(fields: Mapping[str, str]) -> dict[str, Any]:
    """Return the data of an event, which is an object; empty if it has none."""
    found: dict[str, Any] = json.loads(fields.get("data", "{}"))
    return found
