"""The fields of JSON values that no schema describes."""

from __future__ import annotations

import math
from typing import Any

from marshmallow import ValidationError, fields

from mockserver.web.schemas.fields.containers import loaded
from mockserver.web.schemas.fields.scalars import INT64_MAX

#: How many levels a value may have. Chosen: fewer than a body may have (`json_text.DEEPEST`), so that a document that
#: holds the value can be sent again.
_JSON_LEVELS = 80


class Json(fields.Field[Any]):
    """Any JSON value but null, as plain data.

    Values that YAML has and JSON has not, such as dates, are refused, each with its path.
    """

    def _deserialize(self, value: Any, attr: str | None, data: Any, *, level: int = 1, **kwargs: Any) -> Any:
        if not isinstance(value, (dict, list)):
            if not is_plain(value):
                raise ValidationError("is no value of JSON")
            return value
        if level > _JSON_LEVELS:
            raise ValidationError(f"is nested too deeply: there may be {_JSON_LEVELS} levels")
        members = value.items() if isinstance(value, dict) else enumerate(value)
        names, values = loaded(members, len(value), _INNER, level=level + 1)
        return dict(zip(names, values, strict=True)) if isinstance(value, dict) else values


class JsonObject(Json):
    """A JSON object with any members.

    It may have `around` more levels than other values: so many that it has around a value that came in.
    """

    def __init__(self, *, around: int = 0, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self._around = around

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> Any:
        if not isinstance(value, dict):
            raise ValidationError("must be an object")
        return super()._deserialize(value, attr, data, level=1 - self._around)


def is_plain(value: object) -> bool:
    """Whether a value is a string, a boolean, a finite float or a whole number of 64 bits."""
    if isinstance(value, float):
        return math.isfinite(value)
    return isinstance(value, str) or (isinstance(value, int) and -INT64_MAX - 1 <= value <= INT64_MAX)


#: The field of the values within a value.
_INNER = Json(allow_none=True)
