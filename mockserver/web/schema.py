"""What goes over the wire: the base of all schemas, the kinds of fields, and the evidence that each field carries."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any
from urllib.parse import urlsplit

from marshmallow import EXCLUDE, Schema, ValidationError, fields, missing, validate
from marshmallow.schema import SchemaMeta

from mockserver.core.contract import Mark
from mockserver.core.errors import INVALID_PARAMETER, MISSING_PARAMETER, OUT_OF_RANGE, ErrorCode, ServiceError

INT64_MAX = 2**63 - 1


# ---------------------------------------------------------------------- evidence


def documented(note: str = "", *, source: str = "", **form: Any) -> dict[str, Any]:
    """Evidence of a field: SPEC, an official document or an official client library shows it.

    `form` is what its JSON schema says besides what the field itself tells: a bound that a rule checks later, say.
    """
    return _evidence(Mark.DOCUMENTED, note, source, form)


def observed(note: str = "", *, source: str = "") -> dict[str, Any]:
    """Evidence of a field: somebody's captured traffic shows it."""
    return _evidence(Mark.OBSERVED, note, source, {})


def proposed(note: str = "", *, source: str = "") -> dict[str, Any]:
    """Evidence of a field: no source shows it, and this is what the real service would sensibly do."""
    return _evidence(Mark.PROPOSED, note, source, {})


def _evidence(mark: Mark, note: str, source: str, form: Mapping[str, Any]) -> dict[str, Any]:
    metadata: dict[str, Any] = {"x-fidelity": str(mark), **form}
    if note:
        metadata["description"] = note
    if source:
        metadata["x-source"] = source
    return {"metadata": metadata}


# ---------------------------------------------------------------------- mistakes


class Flaw:
    """What is wrong with one value: marshmallow carries it to the place of the value, as it does texts."""

    def __init__(self, code: ErrorCode, text: str) -> None:
        self.code, self.text = code, text

    def __repr__(self) -> str:
        return self.text


def invalid(text: str) -> ValidationError:
    return ValidationError([Flaw(INVALID_PARAMETER, text)])


_MISSING = Flaw(MISSING_PARAMETER, "Missing data for required field.")


class Range(validate.Range):
    """A range whose breach is `out_of_range`."""

    def _format_error(self, value: Any, message: str) -> Any:
        return [Flaw(OUT_OF_RANGE, super()._format_error(value, message).removesuffix("."))]


def refusal(errors: Mapping[Any, Any]) -> ServiceError:
    """The one error that the service gives for what marshmallow found: a missing member first, else the first flaw."""
    flaws = list(_flaws(errors, ""))
    path, flaw = next((found for found in flaws if found[1].code is MISSING_PARAMETER), flaws[0])
    if flaw is _MISSING:
        # The words of the documented example, ledger 2.22.
        return MISSING_PARAMETER(f"Missing {path} attribute in the request")
    return flaw.code(flaw.text if isinstance(flaw, Sentence) or not path else f"{path}: {flaw.text}")


class Sentence(Flaw):
    """A flaw whose text is a whole documented message, to be given as it stands."""


def _flaws(errors: Any, path: str) -> list[tuple[str, Flaw]]:
    if isinstance(errors, Flaw):
        return [(path, errors)]
    if isinstance(errors, str):
        return [(path, Flaw(INVALID_PARAMETER, errors.removesuffix(".")))]
    if isinstance(errors, Mapping):
        return [found for key, inner in errors.items() for found in _flaws(inner, _join(path, key))]
    return [found for inner in errors for found in _flaws(inner, path)]


def _join(path: str, key: object) -> str:
    if key == "_schema":
        return path
    if isinstance(key, int):
        return f"{path}[{key}]"
    return f"{path}.{key}" if path else str(key)


# ---------------------------------------------------------------------- schemas


class _Meta(SchemaMeta):
    """Lets a class without hooks of its own keep those of its bases.

    Marshmallow looks for hooks through every attribute of every base, which is half of the cost of a class, and there
    are a hundred classes to make before the first answer.
    """

    def resolve_hooks(cls) -> dict[str, list[tuple[str, bool, dict[str, Any]]]]:  # noqa: N805  # a class is its self
        own = any(hasattr(value, "__marshmallow_hook__") for value in vars(cls).values())
        inherited: dict[str, list[tuple[str, bool, dict[str, Any]]]] | None = getattr(cls.__base__, "_hooks", None)
        return super().resolve_hooks() if own or inherited is None or len(cls.__bases__) > 1 else inherited


class Base(Schema, metaclass=_Meta):
    """The base of all schemas."""


class Input(Base):
    """A path, a query or a body: what it does not know it leaves aside, as the service does."""

    class Meta:
        unknown = EXCLUDE

    error_messages: dict[str, Any] = {"type": [Flaw(INVALID_PARAMETER, "Not an object")]}  # noqa: RUF012  # marshmallow's own contract

    def on_bind_field(self, field_name: str, field_obj: fields.Field[Any]) -> None:
        field_obj.error_messages["required"] = [_MISSING]


class Output(Base):
    """An answer: an optional member that has no value is left out."""

    def get_attribute(self, obj: Any, attr: str, default: Any) -> Any:
        value = super().get_attribute(obj, attr, default)
        return missing if value is None and attr in self._optional() else value

    def _optional(self) -> frozenset[str]:
        # Compiled dumping (web.dump) is what serves requests; this is its slow and obvious counterpart.
        return frozenset(
            field.attribute or name
            for name, field in self.dump_fields.items()
            if not field.required and not field.allow_none
        )


# ---------------------------------------------------------------------- kinds of fields


class Text(fields.String):
    """A string."""


class NotBlank(validate.Validator):
    """Refuses a string of nothing but blanks."""

    def __call__(self, value: str) -> str:
        if not value.strip():
            raise invalid("Must not be blank")
        return value


class Email(fields.String):
    """An e-mail address."""

    def __init__(self, *, flaw: Flaw | None = None, **kwargs: Any) -> None:
        super().__init__(validate=_EmailCheck(flaw), **_described(kwargs, format="email"))


class _EmailCheck(validate.Email):
    def __init__(self, flaw: Flaw | None) -> None:
        super().__init__(error="Not a valid email address")
        self._flaw = flaw

    def _format_error(self, value: str) -> Any:
        return [self._flaw] if self._flaw else super()._format_error(value)


def _described(kwargs: dict[str, Any], **metadata: Any) -> dict[str, Any]:
    return {**kwargs, "metadata": {**kwargs.get("metadata", {}), **metadata}}


class Int64(fields.Integer):
    """A whole number of 64 bits: a JSON number, or the digits of a path or a query."""

    def __init__(self, *, text: bool = False, flaw: Flaw | None = None, **kwargs: Any) -> None:
        super().__init__(strict=True, **_described(kwargs, format="int64"))
        self._text = text
        self._flaw = flaw

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
            if self._flaw is None or value is missing:
                raise
            # Whatever is wrong with it, the service has one documented sentence for it.
            raise ValidationError([self._flaw]) from error


def identifier(name: str) -> Int64:
    """A positive number in a path."""
    return Int64(text=True, data_key=name, required=True, validate=validate.Range(min=1), **documented())


class Number(fields.Float):
    """A JSON number, whole or not."""

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> float:
        if type(value) not in (int, float) or not math.isfinite(value):
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
        return super()._deserialize(str(value) if type(value) is int else value, attr, data, **kwargs)


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
_URL_CHARACTERS = re.compile(r"(?:%[0-9A-Fa-f]{2}|[A-Za-z0-9._~:/?#\[\]@!$&'()*+,;=-])+")


def _check_url(value: str) -> None:
    try:
        parts = urlsplit(value)
        host, _ = parts.hostname, parts.port
    except ValueError as error:
        raise invalid("Not a valid URL") from error
    if parts.scheme not in ("http", "https") or not host or not _URL_CHARACTERS.fullmatch(value):
        raise invalid("Not a valid URL")


_LABEL = r"(?!-)[a-z0-9-]{1,63}(?<!-)"
_HOSTNAME = re.compile(rf"(?=.{{1,253}}$){_LABEL}(\.{_LABEL})+", re.ASCII | re.IGNORECASE)


class Hostname(fields.String):
    """A host name of at least two labels."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(validate=_check_hostname, **_described(kwargs, format="hostname"))


def _check_hostname(value: str) -> None:
    if not _HOSTNAME.fullmatch(value):
        raise invalid("Not a valid hostname")


class Timezone(fields.String):
    """The IANA name of a time zone."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(validate=_check_timezone, **kwargs)


def _check_timezone(value: str) -> None:
    from zoneinfo import ZoneInfo, ZoneInfoNotFoundError  # noqa: PLC0415  # few requests name a zone

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


class DayOrMoment(Day):
    """`YYYY-MM-DD` or `YYYY-MM-DDTHH:mm:ss.SSSZ`; the latter is loaded to the millisecond."""

    default_error_messages = {  # noqa: RUF012  # marshmallow's
        "invalid": "Not a valid date, the formats are YYYY-MM-DD and YYYY-MM-DDTHH:mm:ss.SSSZ"
    }

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> datetime:
        if isinstance(value, str) and re.fullmatch(r"[\d-]{10}T[\d:]{8}\.\d{3}Z", value, re.ASCII):
            try:
                return datetime.strptime(value, "%Y-%m-%dT%H:%M:%S.%fZ").replace(tzinfo=UTC)
            except ValueError as error:
                raise self.make_error("invalid") from error
        return super()._deserialize(value, attr, data, **kwargs)
