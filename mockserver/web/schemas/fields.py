"""The kinds of fields: what a value looks like on the wire, and which values are refused."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from typing import Any
from urllib.parse import urlsplit

from marshmallow import ValidationError, fields, missing, validate
from marshmallow.exceptions import SCHEMA

from mockserver.core.contract.errors import OUT_OF_RANGE
from mockserver.core.state.keys import LONGEST_KEY, is_key
from mockserver.core.text import header_form
from mockserver.core.text.domain_name import LONGEST_EMAIL, ascii_form, is_host_name
from mockserver.web.schemas.evidence import documented
from mockserver.web.schemas.field_errors import MOST_FIELD_ERRORS, BadName, FieldError, Unread, field_errors_in, invalid
from mockserver.web.schemas.length import Longest

INT64_MAX = 2**63 - 1
#: The longest URL (proposed), in characters. What is longer is refused before anything else looks at it.
LONGEST_URL = 2_048
#: The longest name and the longest value of a header (proposed), in characters.
LONGEST_HEADER_NAME, LONGEST_HEADER_VALUE = 256, 8_192
#: The longest name of a host (RFC 1035, 2.3.4), and more than the longest one of a time zone.
_LONGEST_HOSTNAME, _LONGEST_TIMEZONE = 253, 100


class Range(validate.Range):
    """A range whose breach is `out_of_range`."""

    def _format_error(self, value: Any, message: str) -> Any:
        return [FieldError(OUT_OF_RANGE, super()._format_error(value, message).removesuffix("."))]


class Text(fields.String):
    """A string."""


class Quantity(validate.Validator):
    """Refuses what is less than nothing, but for -1, which is unlimited; the breach is `out_of_range`."""

    def __call__(self, value: float) -> float:
        if value < 0 and value != -1:
            raise ValidationError([FieldError(OUT_OF_RANGE, "Must be 0 or more, or -1 for unlimited")])
        return value


class NotBlank(validate.Validator):
    """Refuses a string of nothing but blanks."""

    def __call__(self, value: str) -> str:
        if not value.strip():
            raise invalid("Must not be blank")
        return value


class Email(fields.String):
    """An e-mail address."""

    def __init__(self, *, error: FieldError | None = None, **kwargs: Any) -> None:
        super().__init__(validate=_EmailCheck(error), **_described(kwargs, format="email"))


class _EmailCheck(validate.Email):
    """Takes both spellings of a domain, and no address in the place of one."""

    def __init__(self, error: FieldError | None) -> None:
        super().__init__(error="Not a valid email address")
        self._error = error

    def __call__(self, value: str) -> str:
        if len(value) > LONGEST_EMAIL:
            raise ValidationError(self._format_error(value))
        local, _, domain = value.rpartition("@")
        is_whole = domain == domain.strip() and not domain.endswith(".")
        if not is_whole or not is_host_name(ascii_form(domain)) or not self.USER_REGEX.match(local):
            raise ValidationError(self._format_error(value))
        return value

    def _format_error(self, value: str) -> Any:
        return [self._error] if self._error else super()._format_error(value)


def _described(kwargs: dict[str, Any], **metadata: Any) -> dict[str, Any]:
    return {**kwargs, "metadata": {**kwargs.get("metadata", {}), **metadata}}


class Int64(fields.Integer):
    """A whole number of 64 bits: a JSON number, or the digits of a path or a query."""

    def __init__(self, *, text: bool = False, error: FieldError | None = None, **kwargs: Any) -> None:
        super().__init__(strict=True, **_described(kwargs, format="int64"))
        self._text = text
        self._error = error

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> int:
        if self._text and isinstance(value, str) and re.fullmatch(r"-?[0-9]{1,19}", value, re.ASCII):
            value = int(value)
        elif isinstance(value, float) and value.is_integer():
            value = int(value)  # 1.0 is an integer of JSON, and one client library sends whole floats
        if type(value) is not int or not -INT64_MAX - 1 <= value <= INT64_MAX:
            raise self.make_error("invalid")
        return value

    def deserialize(self, value: Any, attr: str | None = None, data: Any = None, **kwargs: Any) -> Any:
        try:
            return super().deserialize(value, attr, data, **kwargs)
        except ValidationError as error:
            if self._error is None or value is missing:
                raise
            # Whatever is wrong with it, the service has one documented sentence for it.
            raise ValidationError([self._error]) from error


def identifier(name: str) -> Int64:
    """A number in a path: whatever has 64 bits can be asked for, and may be unknown."""
    return Int64(text=True, data_key=name, required=True, **documented())


class List(fields.List[Any]):
    """A list; a bad one is read until it has shown a hundred flaws, as nobody needs to be told of more."""

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> list[Any]:
        if not isinstance(value, list):
            raise self.make_error("invalid")
        _, values = _parts(enumerate(value), len(value), self.inner, **kwargs)
        return values


class Dict(fields.Dict):
    """A mapping of any names that the field of keys takes; a bad one is read as a bad list is."""

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> dict[Any, Any]:
        if not isinstance(value, Mapping):
            raise self.make_error("invalid")
        names, values = _parts(value.items(), len(value), self.value_field, self.key_field, **kwargs)
        return dict(zip(names, values, strict=True))


def _parts(
    parts: Iterable[tuple[Any, Any]],
    count: int,
    of_value: fields.Field[Any] | None,
    of_name: fields.Field[Any] | None = None,
    **kwargs: Any,
) -> tuple[list[Any], list[Any]]:
    """The names and the values of so many parts, as their fields load them.

    Raises:
        ValidationError: with the flaws of the first parts that have any, by name.
    """
    names: list[Any] = []
    values: list[Any] = []
    errors: dict[Any, Any] = {}
    found = 0
    for number, (name, value) in enumerate(parts, 1):
        try:
            names.append(name if of_name is None else _name(of_name, name))
            values.append(value if of_value is None else of_value.deserialize(value, **kwargs))
        except ValidationError as error:
            errors[name] = error.messages
            found += field_errors_in(error.messages)
            if found >= MOST_FIELD_ERRORS and number < count:
                errors[SCHEMA] = [Unread(count - number)]
                break
    if errors:
        raise ValidationError(errors)
    return names, values


def _name(field: fields.Field[Any], name: str) -> Any:
    try:
        return field.deserialize(name)
    except ValidationError as error:
        raise ValidationError([BadName(message) for message in error.messages]) from error


class Json(fields.Field[Any]):
    """Any value of JSON, null apart, as plain data.

    What YAML has and JSON has not is refused in its place. There are fewer levels than a body may have, so that what is
    taken can be written with all that stands around it.
    """

    def _deserialize(self, value: Any, attr: str | None, data: Any, *, level: int = 1, **kwargs: Any) -> Any:
        if not isinstance(value, (dict, list)):
            if not is_plain(value):
                raise ValidationError("is no value of JSON")
            return value
        if level > _JSON_LEVELS:
            raise ValidationError(f"is nested too deeply: there may be {_JSON_LEVELS} levels")
        parts = value.items() if isinstance(value, dict) else enumerate(value)
        names, values = _parts(parts, len(value), _PART, level=level + 1)
        return dict(zip(names, values, strict=True)) if isinstance(value, dict) else values


class JsonObject(Json):
    """An object of JSON with any members; `around` more levels are taken, for what stands around one that came in."""

    def __init__(self, *, around: int = 0, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self._around = around

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> Any:
        if not isinstance(value, dict):
            raise ValidationError("must be an object")
        return super()._deserialize(value, attr, data, level=1 - self._around)


_JSON_LEVELS = 80
_PART = Json(allow_none=True)


def is_plain(value: object) -> bool:
    """Whether a value is a text, a truth value, or a number that JSON can hold."""
    if isinstance(value, float):
        return math.isfinite(value)
    return isinstance(value, str) or (isinstance(value, int) and -INT64_MAX - 1 <= value <= INT64_MAX)


class Number(fields.Float):
    """A JSON number, whole or not, of a size that 64 bits hold."""

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> float:
        # Written so that it refuses what is no number as well, which compares with nothing.
        if type(value) not in (int, float) or not -INT64_MAX - 1 <= value <= INT64_MAX:
            raise self.make_error("invalid", input=value)
        number: float = value
        return number

    def _serialize(self, value: Any, attr: str | None, obj: Any, **kwargs: Any) -> Any:
        return value  # a whole number stays one


class TextOrNumber(fields.String):
    """A string; a whole number is taken as its digits, as older clients send it."""

    def __init__(self, **kwargs: Any) -> None:
        form = {"type": ["string", "integer"], "minimum": -INT64_MAX - 1, "maximum": INT64_MAX}
        super().__init__(**_described(kwargs, **form))

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> Any:
        if type(value) in (int, float) and value == int(value):
            value = str(int(value))
        return super()._deserialize(value, attr, data, **kwargs)


class Flag(fields.Boolean):
    """A JSON boolean, and nothing that merely looks like one."""

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> bool:
        if not isinstance(value, bool):
            raise self.make_error("invalid", input=value)
        return value


class Choice(fields.String):
    """One of a few strings."""

    def __init__(self, *choices: str, **kwargs: Any) -> None:
        super().__init__(validate=validate.OneOf(choices, error="Must be one of: {choices}"), **kwargs)


class Url(fields.String):
    """An http or https address, in the characters that RFC 3986 allows."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(validate=_check_url, **_described(kwargs, format="uri"))


#: RFC 3986, 2: percent-encoded, reserved and unreserved characters.
_URL_CHARACTERS = re.compile(r"(?:%[0-9A-Fa-f]{2}|[A-Za-z0-9._~:/?#\[\]@!$&'()*+,;=-])++")


def _check_url(value: str) -> None:
    if len(value) > LONGEST_URL:
        raise invalid(f"Not a valid URL: it is longer than {LONGEST_URL:,} characters")
    try:
        parts = urlsplit(value)
        host, _ = parts.hostname, parts.port
    except ValueError as error:
        raise invalid("Not a valid URL") from error
    if parts.scheme not in ("http", "https") or not host or not _URL_CHARACTERS.fullmatch(value):
        raise invalid("Not a valid URL")


class ApiKey(fields.String):
    """An API key, of the service's form or of another one that a header can hold."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(validate=_check_key, **_described(kwargs, minLength=1, maxLength=LONGEST_KEY))


def _check_key(value: str) -> None:
    if not is_key(value):
        raise ValidationError(f"must be 1 to {LONGEST_KEY} printable ASCII characters without blanks")


class HeaderName(fields.String):
    """The name of a header that a call may have beside those that say where it goes and ends."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(validate=[Longest(LONGEST_HEADER_NAME), _check_header_name], **kwargs)


def _check_header_name(value: str) -> None:
    if not header_form.is_name(value):
        raise invalid("Not the name of a header")
    if value.lower() in header_form.OF_THE_CALL:
        raise invalid("A header that every call has of its own")


class HeaderValue(fields.String):
    """The value of an HTTP header."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(validate=[Longest(LONGEST_HEADER_VALUE), _check_header_value], **kwargs)


def _check_header_value(value: str) -> None:
    if not header_form.is_value(value):
        raise invalid("Has characters that no header has")


class Hostname(fields.String):
    """A host name of at least two labels, loaded in small letters and A-labels."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**_described(kwargs, format="hostname"))

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> Any:
        text = super()._deserialize(value, attr, data, **kwargs)
        name = "" if text is None or text.endswith(".") else ascii_form(text)
        if text != text.strip() or not is_host_name(name):
            raise invalid("Not a valid hostname")
        return name


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
        # A name can be a folder, or lead out of the database's.
        raise invalid("Not the name of a time zone") from error


class Moment(fields.Field[datetime]):
    """A moment in one of the service's forms; the base of those below."""

    @staticmethod
    def write(value: datetime) -> Any:
        return value.isoformat()

    def _serialize(self, value: Any, attr: str | None, obj: Any, **kwargs: Any) -> Any:
        return None if value is None else self.write(value)


class MillisecondMoment(Moment):
    """`2025-06-01T09:00:00.000Z`."""

    @staticmethod
    def write(value: datetime) -> str:
        return f"{value.isoformat(timespec='milliseconds')[:23]}Z"


class SecondMoment(Moment):
    """`2025-06-01T09:00:00+00:00`."""

    @staticmethod
    def write(value: datetime) -> str:
        return value.isoformat(timespec="seconds")


class UnixMoment(Moment):
    """Whole seconds since 1970."""

    @staticmethod
    def write(value: datetime) -> int:
        return int(value.timestamp())


class Day(fields.Field[datetime]):
    """`YYYY-MM-DD` in UTC, loaded as its first moment."""

    default_error_messages = {"invalid": "Not a valid date, the format is YYYY-MM-DD"}  # noqa: RUF012  # marshmallow's

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> datetime:
        if not isinstance(value, str) or not re.fullmatch(r"\d{4}-\d{2}-\d{2}", value, re.ASCII):
            raise self.make_error("invalid")
        try:
            return datetime.strptime(value, "%Y-%m-%d").replace(tzinfo=UTC)
        except ValueError as error:
            raise self.make_error("invalid") from error


#: The Z of the documented form stands for an offset (contract/values); a blank is a plus that a client has not encoded.
_MOMENT = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}(?:Z|[+ -](?:0\d|1[0-4]):?[0-5]\d)", re.ASCII)


class DayOrMoment(Day):
    """`YYYY-MM-DD`, or `YYYY-MM-DDTHH:mm:ss.SSSZ` where Z is any offset, loaded as that millisecond in UTC."""

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
