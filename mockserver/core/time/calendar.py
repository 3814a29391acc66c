"""Months, which have no fixed length."""

from __future__ import annotations

import calendar
from datetime import datetime


def months_later(moment: datetime, months: int) -> datetime:
    """The same day and time some months later (or earlier, if negative); the month's last day where it has none."""
    index = moment.year * 12 + moment.month - 1 + months
    year, month = index // 12, index % 12 + 1
    day = min(moment.day, calendar.monthrange(year, month)[1])
    return moment.replace(year=year, month=month, day=day)
