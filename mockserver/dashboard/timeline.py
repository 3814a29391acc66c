"""Lists of events with the moments between them: a heading per day, and a line where the clock was moved."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from typing import Any
from urllib.parse import unquote

from mockserver.core.time import duration
from mockserver.core.traffic.causes import CallRecord
from mockserver.core.traffic.exchange import Exchange, read_json
from mockserver.resources.section import write_instant

#: The longest text of a line about a control call, in characters.
_LONGEST = 100
_RESTORED = re.compile(r"/_mock/snapshots/([^/]+)/restore")


def is_move(call: CallRecord) -> bool:
    """Return whether a control call may have changed what time it is in the workspace."""
    path = call.path
    return call.status < 400 and (
        path in ("/_mock/clock", "/_mock/clock/advance", "/_mock/reset")
        or (path == "/_mock/state" and call.method == "PUT")
        or _RESTORED.fullmatch(path) is not None
    )


def told(call: CallRecord) -> str:
    """Return a sentence about a call that `is_move`."""
    if found := _RESTORED.fullmatch(call.path):
        return f"Snapshot {unquote(found[1])[:_LONGEST]} restored"
    if call.path == "/_mock/reset":
        return "Workspace reset"
    if call.path == "/_mock/state":
        return "State replaced"
    body = read_json(call.body)
    members: Mapping[str, Any] = body if isinstance(body, dict) else {}
    if call.path == "/_mock/clock" and "now" not in members:
        return "Clock frozen" if members.get("frozen") else "Clock running"
    return f"Clock advanced{_length(members)} to {write_instant(call.at)[:19].replace('T', ' ')}"


def _length(members: Mapping[str, Any]) -> str:
    """Return the length of an advance as ` by 3 d`, or nothing if the call named a moment or a timer."""
    length = members.get("by", members.get("now", f"{members.get('seconds', '')}s"))
    try:
        return f" by {duration.spoken(duration.parse(length))}"
    except (ValueError, TypeError):
        return ""


def with_days(rows: Iterable[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """Add to each row its time of day, and to the first row of each day the day and an id for its heading."""
    last, met = "", dict[str, int]()
    for row in rows:
        day = row["at"][:10]
        row["time"], row["day"] = row["at"][11:19], ""
        if day != last:
            last, met[day] = day, met.get(day, 0) + 1
            row["day"] = f"{datetime.fromisoformat(day):%A} {int(day[8:])} {datetime.fromisoformat(day):%B %Y}"
            row["day_id"] = f"day-{day}" + (f"-{met[day]}" if met[day] > 1 else "")
        yield row


def move_line(call: CallRecord) -> dict[str, Any]:
    return {"kind": "move", "id": call.id, "at": write_instant(call.at), "text": told(call)}


def took_ms(exchange: Exchange) -> float:
    """Return how long the client waited for an answer, in milliseconds, including the delay of a fault."""
    held_ms = 0.0 if exchange.over_at is None else (exchange.over_at - exchange.real_at) * 1000
    return max(exchange.ms, held_ms)


def write_ms(length: float) -> str:
    """Return milliseconds as `0.3 ms`, `153 ms` or `12.0 s`."""
    if length >= 10_000:
        return f"{length / 1000:,.1f} s"
    return f"{length:.0f} ms" if length >= 10 else f"{length:.1f} ms"
