"""The fields of single values: strings, numbers and booleans, with the validators of numbers and blanks."""

from __future__ import annotations

import re
from typing import Any

from marshmallow import ValidationError, fields, missing, validate

from mockserver.core.contract.errors import INVALID_PARAMETER, MISSING_PARAMETER, OUT_OF_RANGE
from mockserver.web.schemas.evidence import documented
from mockserver.web.schemas.field_errors import FieldError, Sentence, invalid


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


def with_metadata(kwargs: dict[str, Any], **metadata: Any) -> dict[str, Any]:
    """The arguments of a field, with more metadata for its JSON schema."""
    return {**kwargs, "metadata": {**kwargs.get("metadata", {}), **metadata}}


INT64_MAX = 2**63 - 1
#: A whole number as text; one of 19 digits may still be beyond 64 bits.
_DIGITS = re.compile(r"-?[0-9]{1,19}", re.ASCII)


class Range(validate.Range):
    """A validator of numbers within bounds; any other number is `out_of_range`."""

    def _format_error(self, value: Any, message: str) -> Any:
        return [FieldError(OUT_OF_RANGE, super()._format_error(value, message).removesuffix("."))]


class Quantity(validate.Validator):
    """A validator of quantities: 0 or more, or -1 for unlimited; any other number is `out_of_range`."""

    def __call__(self, value: float) -> float:
        if value < 0 and value != -1:
            raise ValidationError([FieldError(OUT_OF_RANGE, "Must be 0 or more, or -1 for unlimited")])
        return value


class NotBlank(validate.Validator):
    """A validator that refuses a string without any character but blanks."""

    def __call__(self, value: str) -> str:
        if not value.strip():
            raise invalid("Must not be blank")
        return value


class Text(fields.String):
    """A string."""


class TextOrNumber(fields.String):
    """A string; a whole number, which older clients send, is loaded as its digits."""

    def __init__(self, **kwargs: Any) -> None:
        schema = {"type": ["string", "integer"], "minimum": -INT64_MAX - 1, "maximum": INT64_MAX}
        super().__init__(**with_metadata(kwargs, **schema))

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> Any:
        if type(value) in (int, float) and value == int(value):
            value = str(int(value))
        return super()._deserialize(value, attr, data, **kwargs)


class Choice(fields.String):
    """One of the strings `choices`."""

    def __init__(self, *choices: str, **kwargs: Any) -> None:
        super().__init__(validate=validate.OneOf(choices, error="Must be one of: {choices}"), **kwargs)


class Int64(fields.Integer):
    """A whole number of 64 bits with a sign, as a JSON number or, if `text`, as the digits of a path or a query.

    `error` replaces the field error of any value that is refused.
    """

    def __init__(self, *, text: bool = False, error: FieldError | None = None, **kwargs: Any) -> None:
        super().__init__(strict=True, **with_metadata(kwargs, format="int64"))
        self._text = text
        self._error = error

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> int:
        if self._text and isinstance(value, str) and _DIGITS.fullmatch(value):
            value = int(value)
        elif isinstance(value, float) and value.is_integer():
            value = int(value)  # 1.0 is an integer in JSON, and one client library sends whole floats
        if type(value) is not int or not -INT64_MAX - 1 <= value <= INT64_MAX:
            raise self.make_error("invalid")
        return value

    def deserialize(self, value: Any, attr: str | None = None, data: Any = None, **kwargs: Any) -> Any:
        try:
            return super().deserialize(value, attr, data, **kwargs)
        except ValidationError as error:
            if self._error is None or value is missing:
                raise
            # The service has one documented sentence for whatever is wrong with the value.
            raise ValidationError([self._error]) from error


def identifier(name: str) -> Int64:
    """The field of an id in a path: any whole number of 64 bits, whether something has that id or not."""
    return Int64(text=True, data_key=name, required=True, **documented())


class Number(fields.Float):
    """A JSON number, whole or not, between the least and the greatest whole number of 64 bits."""

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> float:
        # Compared so that NaN is refused, too: it is neither less nor greater than anything.
        if type(value) not in (int, float) or not -INT64_MAX - 1 <= value <= INT64_MAX:
            raise self.make_error("invalid", input=value)
        number: float = value
        return number

    def _serialize(self, value: Any, attr: str | None, obj: Any, **kwargs: Any) -> Any:
        return value  # unlike marshmallow's, which makes a float of a whole number


class Flag(fields.Boolean):
    """A JSON boolean; unlike marshmallow's own, it takes no string or number for one."""

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> bool:
        if not isinstance(value, bool):
            raise self.make_error("invalid", input=value)
        return value
