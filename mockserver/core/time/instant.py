"""Moments as texts: date-times of RFC 3339."""

from __future__ import annotations

import re
from datetime import UTC, datetime

from mockserver.core.time.clock import shown

_DATE_TIME = re.compile(r"\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d:\d\d(\.\d{1,9})?([Zz]|[+-]\d\d:\d\d)", re.ASCII)


def parse_instant(text: str) -> datetime:
    """The moment of an RFC 3339 date-time, in UTC.

    Raises:
        ValueError: the text is no RFC 3339 date-time, or the clock cannot show the moment.
    """
    if not _DATE_TIME.fullmatch(text):
        raise ValueError("not an RFC 3339 date-time, such as 2026-01-15T09:00:00Z")
    try:
        moment = datetime.fromisoformat(text.upper()).astimezone(UTC)
    except (ValueError, OverflowError) as error:
        raise ValueError("not an RFC 3339 date-time, such as 2026-01-15T09:00:00Z") from error
    return shown(moment)


def write_instant(moment: datetime) -> str:
    """A moment as an RFC 3339 date-time in UTC, with a fraction of a second only where there is one."""
    return moment.isoformat().replace("+00:00", "Z")
