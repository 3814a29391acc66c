"""The fields of single values: strings, numbers and booleans, with the validators of numbers and blanks."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Mapping
from datetime import UTC, datetime
from typing import Any

from marshmallow import ValidationError, fields, missing, validate
from marshmallow.exceptions import SCHEMA

from mockserver.core.contract.errors import INVALID_PARAMETER, MISSING_PARAMETER, OUT_OF_RANGE
from mockserver.core.state.identifiers import LONGEST_KEY, is_key
from mockserver.core.text import addresses
from mockserver.core.text.addresses import LONGEST_URL as LONGEST_URL
from mockserver.core.text.addresses import ascii_form, is_email, is_host_name, is_url
from mockserver.web.schemas.errors import (
    MISSING,
    MOST_FIELD_ERRORS,
    BadName,
    FieldError,
    Longest,
    Sentence,
    Unread,
    field_errors_in,
    invalid,
    too_long,
)
from mockserver.web.schemas.evidence import documented


class Stated(fields.Field[Any]):
    """A base of fields with one message for invalid values, and perhaps another for absent values.

    Values out of range keep their own error.
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
    return {**kwargs, "metadata": {**kwargs.get("metadata", {}), **metadata}}


INT64_MAX = 2**63 - 1
#: The bounds of such a number in a JSON schema, as numbers that every program can hold.
WITHIN_INT64 = {"minimum": -(2.0**63), "exclusiveMaximum": 2.0**63}
#: A whole number as text; one of 19 digits may still be beyond 64 bits.
_DIGITS = re.compile(r"-?[0-9]{1,19}", re.ASCII)


class Range(validate.Range):
    def _format_error(self, value: Any, message: str) -> Any:
        return [FieldError(OUT_OF_RANGE, super()._format_error(value, message).removesuffix("."))]


class Quantity(validate.Validator):
    """A validator of quantities from 0, or -1 for unlimited, with error `out_of_range`."""

    def __call__(self, value: float) -> float:
        if value < 0 and value != -1:
            raise ValidationError([FieldError(OUT_OF_RANGE, "Must be 0 or more, or -1 for unlimited")])
        return value


class NotBlank(validate.Validator):
    def __call__(self, value: str) -> str:
        if not value.strip():
            raise invalid("Must not be blank")
        return value


def check_given(value: Any) -> None:
    """Count an empty text as missing (contract/errors#codes)."""
    if value == "":
        raise ValidationError([MISSING])


def at_most(longest: int) -> Callable[[str | list[Any]], None]:
    """Return a validator of lengths, of which JSON schemas do not tell."""

    def check(value: str | list[Any]) -> None:
        if len(value) > longest:
            raise too_long(value, longest)

    return check


class Text(fields.String):
    """A string."""


class StatedText(Stated, Text):
    """A text that must not be blank if a blank one counts as absent."""

    def deserialize(self, value: Any, attr: str | None = None, data: Any = None, **kwargs: Any) -> Any:
        if self.absent and isinstance(value, str) and not value.strip():
            raise ValidationError([self.absent])
        return super().deserialize(value, attr, data, **kwargs)


class TextOrNumber(fields.String):
    """A string; whole numbers, sent by older clients, are loaded as digits."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**with_metadata(kwargs, type=["string", "integer"], **WITHIN_INT64))

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> Any:
        if type(value) in (int, float) and -(2.0**63) <= value < 2.0**63 and value == int(value):
            value = str(int(value))
        return super()._deserialize(value, attr, data, **kwargs)


class Choice(fields.String):
    def __init__(self, *choices: str, **kwargs: Any) -> None:
        super().__init__(validate=validate.OneOf(choices, error="Must be one of: {choices}"), **kwargs)


class Int64(fields.Integer):
    """A signed 64-bit integer: a JSON number, or digits if `text` (paths and queries).

    `error` replaces the error of any refused value.
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
    return Int64(text=True, data_key=name, required=True, **documented())


class Number(fields.Float):
    """A JSON number within the range of 64-bit integers."""

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> float:
        # Compared so that NaN is refused, too: it is neither less nor greater than anything.
        if type(value) not in (int, float) or not -INT64_MAX - 1 <= value <= INT64_MAX:
            raise self.make_error("invalid", input=value)
        number: float = value
        return number

    def _serialize(self, value: Any, attr: str | None, obj: Any, **kwargs: Any) -> Any:
        return value  # unlike marshmallow's, which makes a float of a whole number


class Flag(fields.Boolean):
    """A JSON boolean; strings and numbers are refused, unlike marshmallow's."""

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> bool:
        if not isinstance(value, bool):
            raise self.make_error("invalid", input=value)
        return value


#: The most characters of a header's name, and of its value. Proposed (contract/transport): far above honest ones, and
#: many servers refuse a longer line.
LONGEST_HEADER_NAME, LONGEST_HEADER_VALUE = 256, 8_192
#: The most characters of the name of a time zone. Chosen: more than the longest of the database has.
_LONGEST_TIMEZONE = 100


class Email(fields.String):
    """An e-mail address; `error` replaces the error of refused values."""

    def __init__(self, *, error: FieldError | None = None, **kwargs: Any) -> None:
        super().__init__(validate=_EmailCheck(error), **with_metadata(kwargs, format="email"))


class _EmailCheck(validate.Email):
    """A validator of e-mail addresses with Unicode or A-label domains, but no IP addresses."""

    def __init__(self, error: FieldError | None) -> None:
        super().__init__(error="Not a valid email address")
        self._error = error

    def __call__(self, value: str) -> str:
        if not is_email(value):
            raise ValidationError(self._format_error(value))
        return value

    def _format_error(self, value: str) -> Any:
        return [self._error] if self._error else super()._format_error(value)


class Url(fields.String):
    """An http or https URL of the characters that RFC 3986 allows."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(validate=_check_url, **with_metadata(kwargs, format="uri"))


def _check_url(value: str) -> None:
    if len(value) > LONGEST_URL:
        raise invalid(f"Not a valid URL: it is longer than {LONGEST_URL:,} characters")
    if not is_url(value):
        raise invalid("Not a valid URL")


class Hostname(fields.String):
    """A host name of at least two labels, loaded in lower case and A-labels."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**with_metadata(kwargs, format="hostname"))

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> Any:
        text = super()._deserialize(value, attr, data, **kwargs)
        if self.required:
            check_given(text)
        name = "" if text is None else ascii_form(text)
        if text != text.strip() or not is_host_name(name):
            raise invalid("Not a valid hostname")
        return name


class ApiKey(fields.String):
    """An API key: drawn by the service, or any other valid header value."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(validate=_check_key, **with_metadata(kwargs, minLength=1, maxLength=LONGEST_KEY))


def _check_key(value: str) -> None:
    if not is_key(value):
        raise ValidationError(f"must be 1 to {LONGEST_KEY} printable ASCII characters without blanks")


class HeaderName(fields.String):
    def __init__(self, **kwargs: Any) -> None:
        super().__init__(validate=[Longest(LONGEST_HEADER_NAME), _check_header_name], **kwargs)


def _check_header_name(value: str) -> None:
    if not addresses.is_header_name(value):
        raise invalid("Not the name of a header")
    if value.lower() in addresses.CLIENT_HEADERS:
        raise invalid("A header that every call has of its own")


class HeaderValue(fields.String):
    def __init__(self, **kwargs: Any) -> None:
        super().__init__(validate=[Longest(LONGEST_HEADER_VALUE), _check_header_value], **kwargs)


def _check_header_value(value: str) -> None:
    if not addresses.is_header_value(value):
        raise invalid("Has characters that no header has")


class Timezone(fields.String):
    """The IANA name of a time zone."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(validate=_check_timezone, **kwargs)


def _check_timezone(value: str) -> None:
    from zoneinfo import ZoneInfo, ZoneInfoNotFoundError  # noqa: PLC0415  # few requests name a zone

    if len(value) > _LONGEST_TIMEZONE:
        raise invalid("Not the name of a time zone")
    try:
        ZoneInfo(value)
    except (ValueError, OSError, ZoneInfoNotFoundError) as error:
        # A name can be that of a folder, or lead out of the database's folder.
        raise invalid("Not the name of a time zone") from error


class Moment(fields.Field[datetime]):
    """A dump-only moment in ISO 8601, and base of other moment fields."""

    @staticmethod
    def write(value: datetime) -> Any:
        return value.isoformat()

    def _serialize(self, value: Any, attr: str | None, obj: Any, **kwargs: Any) -> Any:
        return None if value is None else self.write(value)


class MillisecondMoment(Moment):
    @staticmethod
    def write(value: datetime) -> str:
        return f"{value.isoformat(timespec='milliseconds')[:23]}Z"


class SecondMoment(Moment):
    @staticmethod
    def write(value: datetime) -> str:
        return value.isoformat(timespec="seconds")


class UnixMoment(Moment):
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


#: The Z of the documented format stands for an offset (contract/values). A blank is an unencoded plus.
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


class List(fields.List[Any]):
    """A list, read until `MOST_FIELD_ERRORS` errors."""

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> list[Any]:
        if not isinstance(value, list):
            raise self.make_error("invalid")
        _, values = loaded(enumerate(value), len(value), self.inner, **kwargs)
        return values


class OneOrMany(List):
    """One value or a list, loaded as list."""

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> Any:
        if isinstance(value, list):
            return super()._deserialize(value, attr, data, **kwargs)
        return [self.inner.deserialize(value)]


class Dict(fields.Dict):
    """A mapping with names of field `keys`, read until `MOST_FIELD_ERRORS` errors."""

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> dict[Any, Any]:
        if not isinstance(value, Mapping):
            raise self.make_error("invalid")
        names, values = loaded(value.items(), len(value), self.value_field, self.key_field, **kwargs)
        return dict(zip(names, values, strict=True))


def loaded(
    members: Iterable[tuple[Any, Any]],
    count: int,
    of_value: fields.Field[Any] | None,
    of_name: fields.Field[Any] | None = None,
    **kwargs: Any,
) -> tuple[list[Any], list[Any]]:
    """Return loaded names and values of `count` members or items; None as field takes any.

    Raises:
        ValidationError: with errors by name, about `MOST_FIELD_ERRORS` at most.
    """
    names: list[Any] = []
    values: list[Any] = []
    errors: dict[Any, Any] = {}
    error_count = 0
    for number, (name, value) in enumerate(members, 1):
        try:
            names.append(name if of_name is None else _loaded_name(of_name, name))
            values.append(value if of_value is None else of_value.deserialize(value, **kwargs))
        except ValidationError as error:
            errors[name] = error.messages
            error_count += field_errors_in(error.messages)
            if error_count >= MOST_FIELD_ERRORS and number < count:
                errors[SCHEMA] = [Unread(count - number)]
                break
    if errors:
        raise ValidationError(errors)
    return names, values


def _loaded_name(field: fields.Field[Any], name: str) -> Any:
    try:
        return field.deserialize(name)
    except ValidationError as error:
        raise ValidationError([BadName(message) for message in error.messages]) from error


#: How many levels a value may have. Chosen: fewer than a body may have (`json_text.DEEPEST`), so that a document that
#: holds the value can be sent again.
_JSON_LEVELS = 80


class Json(fields.Field[Any]):
    """Any JSON value but null, as plain data.

    YAML values beyond JSON, such as dates, are refused with their paths.
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
    """A JSON object with any members, up to `around` levels deeper than other values."""

    def __init__(self, *, around: int = 0, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self._around = around

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> Any:
        if not isinstance(value, dict):
            raise ValidationError("must be an object")
        return super()._deserialize(value, attr, data, level=1 - self._around)


def is_plain(value: object) -> bool:
    """Return whether a value is a string, boolean, finite float or 64-bit integer."""
    if isinstance(value, float):
        return math.isfinite(value)
    return isinstance(value, str) or (isinstance(value, int) and -INT64_MAX - 1 <= value <= INT64_MAX)


#: The field of the values within a value.
_INNER = Json(allow_none=True)


_OF_THE_MOCK = "x-mock-"
#: Headers of an answer that the mock writes itself.
_TAKEN = addresses.CLIENT_HEADERS | {"date", "sib-request-id"}


def check_header_name(name: str) -> None:
    """Refuse names of headers that an answer cannot have, or that the mock sets."""
    if not addresses.is_header_name(name):
        raise ValidationError("not the name of a header")
    if name.lower() in _TAKEN or name.lower().startswith(_OF_THE_MOCK):
        raise ValidationError("set by the mock itself")


def check_header_value(value: str) -> None:
    if not addresses.is_header_value(value):
        raise ValidationError("not the value of a header")
