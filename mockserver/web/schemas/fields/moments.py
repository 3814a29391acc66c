"""The fields of moments and days."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from typing import Any

from marshmallow import fields


class Moment(fields.Field[datetime]):
    """A moment that is only dumped; the base of the fields of the service's formats, and itself in ISO 8601."""

    @staticmethod
    def write(value: datetime) -> Any:
        """The moment as it is dumped."""
        return value.isoformat()

    def _serialize(self, value: Any, attr: str | None, obj: Any, **kwargs: Any) -> Any:
        return None if value is None else self.write(value)


class MillisecondMoment(Moment):
    """A moment in UTC, dumped as `2025-06-01T09:00:00.000Z`."""

    @staticmethod
    def write(value: datetime) -> str:
        return f"{value.isoformat(timespec='milliseconds')[:23]}Z"


class SecondMoment(Moment):
    """A moment in UTC, dumped as `2025-06-01T09:00:00+00:00`."""

    @staticmethod
    def write(value: datetime) -> str:
        return value.isoformat(timespec="seconds")


class UnixMoment(Moment):
    """A moment, dumped as whole seconds since 1970."""

    @staticmethod
    def write(value: datetime) -> int:
        return int(value.timestamp())


class Day(fields.Field[datetime]):
    """A day in UTC, `YYYY-MM-DD`, loaded as its first moment."""

    default_error_messages = {"invalid": "Not a valid date, the format is YYYY-MM-DD"}  # noqa: RUF012  # marshmallow's

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> datetime:
        if not isinstance(value, str) or not re.fullmatch(r"\d{4}-\d{2}-\d{2}", value, re.ASCII):
            raise self.make_error("invalid")
        try:
            return datetime.strptime(value, "%Y-%m-%d").replace(tzinfo=UTC)
        except ValueError as error:
            raise self.make_error("invalid") from error


#: The Z of the documented format stands for an offset (contract/values). A blank is a plus that a client has not
#: encoded.
_MOMENT = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}(?:Z|[+ -](?:0\d|1[0-4]):?[0-5]\d)", re.ASCII)


class DayOrMoment(Day):
    """A day in UTC, `YYYY-MM-DD`, or a moment, `YYYY-MM-DDTHH:mm:ss.SSSZ` with any offset for Z; loaded in UTC."""

    default_error_messages = {  # noqa: RUF012  # marshmallow's
        "invalid": "Not a valid date, the formats are YYYY-MM-DD and YYYY-MM-DDTHH:mm:ss.SSSZ"
    }

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> datetime:
        if isinstance(value, str) and _MOMENT.fullmatch(value):
            try:
                return datetime.fromisoformat(value.replace(" ", "+")).astimezone(UTC)
            except (ValueError, OverflowError) as error:
                raise self.make_error("invalid") from error
        return super()._deserialize(value, attr, data, **kwargs)
