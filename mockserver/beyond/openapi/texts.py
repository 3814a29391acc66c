"""The shortest text that a schema allows."""

from __future__ import annotations

from collections.abc import Mapping

from mockserver.beyond.openapi.document import LeftOutError
from mockserver.beyond.openapi.flat import Flat
from mockserver.beyond.openapi.patterns import NoMatchError, shortest_match

#: The longest text, in characters. Chosen: far above any example.
_LONGEST = 100_000

#: A text of each format that JSON Schema and OpenAPI know and that the empty text has not; names and addresses are
#: those that RFC 2606 and RFC 5737 reserve.
_FORMATS: Mapping[str, str] = {
    "date-time": "2026-01-01T00:00:00Z",
    "date": "2026-01-01",
    "time": "00:00:00Z",
    "duration": "P1D",
    "email": "user@example.com",
    "idn-email": "user@example.com",
    "hostname": "example.com",
    "idn-hostname": "example.com",
    "ipv4": "192.0.2.1",
    "ipv6": "2001:db8::1",
    "uri": "https://example.com",
    "url": "https://example.com",
    "iri": "https://example.com",
    "uuid": "00000000-0000-4000-8000-000000000000",
}


def smallest_text(flat: Flat) -> str:
    """The shortest text that fits the format, the pattern and the lengths of a schema.

    Raises:
        LeftOutError: none is found.
    """
    least = int(flat.bounds.get("minLength", 0))
    most = flat.bounds.get("maxLength", least)
    if least > min(most, _LONGEST):
        raise LeftOutError(f"a text has to have {least} characters")
    text = _of_pattern(flat, least) if flat.patterns else _of_format(flat.format, least)
    if "maxLength" in flat.bounds and len(text) > most:
        raise LeftOutError(f"a text of at most {most} characters has to be one of {flat.format or 'its pattern'}")
    return text


def _of_format(format_: str | None, least: int) -> str:
    text = _FORMATS.get(format_ or "", "")
    if len(text) >= least:
        return text
    if format_ in ("uri", "url", "iri"):
        return f"{text}/".ljust(least, "a")
    if text and "email" in (format_ or ""):
        return text.rjust(least, "a")
    if text:
        raise LeftOutError(f"a text of the format {format_} has to have {least} characters")
    return "a" * least


def _of_pattern(flat: Flat, least: int) -> str:
    if len(set(flat.patterns)) > 1:
        raise LeftOutError("a text has to fit several patterns")
    # The text of the format is no candidate: whether it fits would be a match against a foreign pattern.
    try:
        return shortest_match(flat.patterns[0], least)
    except NoMatchError as error:
        raise LeftOutError(f"{error} in the pattern {flat.patterns[0]!r:.60}") from error
