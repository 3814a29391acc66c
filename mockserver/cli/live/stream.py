"""What happens in a workspace, as the server tells it: server-sent events, over restarts of the server."""

from __future__ import annotations

import json
import time
from collections.abc import Iterable, Iterator, Mapping
from http.client import HTTPException
from typing import Any, NamedTuple

from mockserver.cli.live.target import Target
from mockserver.cli.output import echo, fail
from mockserver.cli.program import Misused
from mockserver.cli.remote import RequestRefused, Unreachable, get, opened, read
from mockserver.testing.answers import unreachable

#: How often the server shows that the connection is alive, in seconds; three times as long without a sign, and it is
#: opened again. Chosen: a server that has gone without a word is noticed while somebody looks.
_HEARTBEAT_S = 5.0
#: How long to wait before a connection is opened again, in seconds: at first, and at most. Chosen: a server that is
#: restarted is seen at once, and one that stays away is not asked all the time.
_PAUSE_S, _LONGEST_PAUSE_S = 0.1, 2.0
#: How much later a server has to be started to be another one, in seconds. Chosen: no server is started again so soon,
#: and no answer takes so long.
_NEWER_S = 0.5


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
    pause, is_told, began = _PAUSE_S, False, float("inf")
    while True:
        try:
            before, began = began, _beginning(target)
            # A server that was started anew numbers its events anew: all that it has is news.
            last = "0" if began > before + _NEWER_S else last
            for event in _events(target, path, last):
                last, pause, is_told = event.id or last, _PAUSE_S, False
                yield event
        except RequestRefused as error:
            if last is None:
                raise Misused(str(error)) from error
            fail(str(error))
        except Unreachable as error:
            if last is None:
                fail(str(error))
            if not is_told:
                echo(f"{target.root} does not answer; trying again", err=True)
            is_told = True
        time.sleep(pause)
        pause = min(2 * pause, _LONGEST_PAUSE_S)


def _beginning(target: Target) -> float:
    """When the server was started, by the monotonic clock of this machine.

    Raises:
        Unreachable: it does not answer, or no mockserver does.
    """
    health = read(target.root, get(target.root, "/_mock/health"), {"uptime_s": (int, float)})
    return time.monotonic() - float(health["uptime_s"])


def _events(target: Target, path: str, last: str | None) -> Iterator[Event]:
    """The events of one connection, until it ends.

    Raises:
        RequestRefused: the server refuses.
        Unreachable: it does not answer, or no mockserver does.
    """
    answer = opened(
        target.root, "GET", path, workspace=target.workspace, token=target.token, timeout=3 * _HEARTBEAT_S,
        last_event=last,
    )  # fmt: skip
    with answer:
        if answer.headers.get_content_type() != "text/event-stream":
            raise Unreachable(f"no mock server answers at {target.root}: its answer is not a stream")
        try:
            yield from _parsed(answer)
        except (OSError, HTTPException) as error:
            raise Unreachable(unreachable(target.root, error)) from error


def _parsed(lines: Iterable[bytes]) -> Iterator[Event]:
    """The events of the lines of a stream (https://html.spec.whatwg.org/multipage/server-sent-events.html).

    Raises:
        Unreachable: no mockserver has sent them.
    """
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
    """The data of an event, which is an object; empty if it has none.

    Raises:
        Unreachable: it is something else, which no mockserver sends.
    """
    try:
        found = json.loads(fields.get("data", "{}"))
    except (ValueError, RecursionError) as error:
        raise Unreachable(f"the stream holds what is no JSON: {error}") from error
    if not isinstance(found, dict):
        raise Unreachable("the stream holds what is no event")
    return found
