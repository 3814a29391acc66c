"""Fields whose errors are the service's own sentences."""

from __future__ import annotations

from typing import Any

from marshmallow import ValidationError, fields, missing

from mockserver.core.contract.errors import INVALID_PARAMETER, MISSING_PARAMETER, OUT_OF_RANGE
from mockserver.web.schemas.field_errors import Sentence


class Stated(fields.Field[Any]):
    """A base of fields with one sentence for whatever is wrong with a value, and perhaps one for its absence.

    A value that is out of range keeps its own error.
    """

    def __init__(self, *args: Any, sentence: str, absent: str = "", **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._sentence = Sentence(INVALID_PARAMETER, sentence)
        self.absent = Sentence(MISSING_PARAMETER, absent) if absent else None

    def deserialize(self, value: Any, attr: str | None = None, data: Any = None, **kwargs: Any) -> Any:
        try:
            return super().deserialize(value, attr, data, **kwargs)
        except ValidationError as error:
            if value is missing:
                raise ValidationError([self.absent] if self.absent else error.messages) from error
            if any(getattr(row, "code", None) is OUT_OF_RANGE for row in error.messages):
                raise
            raise ValidationError([self._sentence]) from error
