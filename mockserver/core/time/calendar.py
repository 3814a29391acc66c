"""Reckoning in months, which differ in length."""

from __future__ import annotations

import calendar
from datetime import datetime


def months_later(moment: datetime, months: int) -> datetime:
    """The moment on the same day of another month, `months` later (earlier, if negative), at the same time.

    In a month without that day it is the month's last day.
    """
    index = moment.year * 12 + moment.month - 1 + months
    year, month = index // 12, index % 12 + 1
    day = min(moment.day, calendar.monthrange(year, month)[1])
    return moment.replace(year=year, month=month, day=day)
