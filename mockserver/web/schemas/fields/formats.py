"""The fields of strings of a format: e-mail addresses, URLs, host names, headers, keys and time zones."""

from __future__ import annotations

from typing import Any

from marshmallow import ValidationError, fields, validate

from mockserver.core.state.identifiers import LONGEST_KEY, is_key
from mockserver.core.text import addresses
from mockserver.core.text.addresses import LONGEST_URL as LONGEST_URL
from mockserver.core.text.addresses import ascii_form, is_email, is_host_name, is_url
from mockserver.web.schemas.field_errors import FieldError, invalid
from mockserver.web.schemas.fields.scalars import with_metadata
from mockserver.web.schemas.length import Longest

#: The most characters of a header's name, and of its value. Proposed (contract/transport): far above honest ones, and
#: many servers refuse a longer line.
LONGEST_HEADER_NAME, LONGEST_HEADER_VALUE = 256, 8_192
#: The most characters of the name of a time zone. Chosen: more than the longest of the database has.
_LONGEST_TIMEZONE = 100


class Email(fields.String):
    """An e-mail address; `error` replaces the field error of any that is refused."""

    def __init__(self, *, error: FieldError | None = None, **kwargs: Any) -> None:
        super().__init__(validate=_EmailCheck(error), **with_metadata(kwargs, format="email"))


class _EmailCheck(validate.Email):
    """A validator that takes the domain in Unicode or in A-labels, and no IP address in its place."""

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
        name = "" if text is None or text.endswith(".") else ascii_form(text)
        if text != text.strip() or not is_host_name(name):
            raise invalid("Not a valid hostname")
        return name


class ApiKey(fields.String):
    """An API key: one that the service could have made, or any other that a header can hold."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(validate=_check_key, **with_metadata(kwargs, minLength=1, maxLength=LONGEST_KEY))


def _check_key(value: str) -> None:
    if not is_key(value):
        raise ValidationError(f"must be 1 to {LONGEST_KEY} printable ASCII characters without blanks")


class HeaderName(fields.String):
    """The name of a header that a webhook call may have; those that the mock sets on every call are refused."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(validate=[Longest(LONGEST_HEADER_NAME), _check_header_name], **kwargs)


def _check_header_name(value: str) -> None:
    if not addresses.is_header_name(value):
        raise invalid("Not the name of a header")
    if value.lower() in addresses.CLIENT_HEADERS:
        raise invalid("A header that every call has of its own")


class HeaderValue(fields.String):
    """The value of an HTTP header."""

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
