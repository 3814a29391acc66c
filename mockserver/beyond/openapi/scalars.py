"""The smallest text and the number nearest to 0 within the bounds of a schema."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

from mockserver.beyond.openapi.document import LeftOutError
from mockserver.core.text.given import shown
from mockserver.web.schemas.json_text import INT64

#: The longest text, in characters. Chosen: a stub has no room for a longer one.
_LONGEST = 65_536
_DATE, _HOST, _EMAIL, _ADDRESS = "2026-01-01", "example.com", "user@example.com", "https://example.com"
#: Texts of the formats that an empty text does not fit; the names and addresses are those of RFC 2606 and RFC 5737.
_FORMATS = {
    "date-time": f"{_DATE}T00:00:00Z", "date": _DATE, "time": "00:00:00Z", "duration": "P1D",
    "email": _EMAIL, "idn-email": _EMAIL, "hostname": _HOST, "idn-hostname": _HOST,
    "uri": _ADDRESS, "url": _ADDRESS, "iri": _ADDRESS, "ipv4": "192.0.2.1", "ipv6": "2001:db8::1",
    "uuid": "00000000-0000-4000-8000-000000000000",
}  # fmt: skip
_FITS: Mapping[str, Callable[[Fraction, Fraction], bool]] = {
    "minimum": lambda number, bound: number >= bound,
    "exclusiveMinimum": lambda number, bound: number > bound,
    "maximum": lambda number, bound: number <= bound,
    "exclusiveMaximum": lambda number, bound: number < bound,
    "multipleOf": lambda number, bound: bound > 0 and (number / bound).denominator == 1,
}


def smallest_text(schema: Mapping[str, Any]) -> str:
    """Return the text of a schema's format, or the shortest text if an empty one fits the format.

    Raises:
        LeftOutError: the text is too short or too long for the schema.
    """
    least, format_ = schema.get("minLength", 0), schema.get("format")
    text = _FORMATS.get(format_ if isinstance(format_, str) else "") or "a" * math.ceil(min(least, _LONGEST))
    if not least <= len(text) <= schema.get("maxLength", _LONGEST):
        raise LeftOutError(f"a text has to have a length that {shown(text)} does not have")
    return text


def smallest_number(schema: Mapping[str, Any], *, is_whole: bool) -> int | float:
    """Return the first number that fits the bounds of a schema: 0, a bound, or a multiple beside a bound.

    Raises:
        LeftOutError: none of them fits.
    """
    bounds = {name: schema[name] for name in _FITS if name in schema}
    step = bounds.get("multipleOf") or Fraction(1)
    ends = [bound for name, bound in bounds.items() if name != "multipleOf"]
    for number in (
        Fraction(0),
        *ends,
        *(step * (math.floor(end / step) + more) for end in ends for more in (0, 1, -1)),
    ):
        is_written = int(number) in INT64 if number.denominator == 1 else not is_whole
        if is_written and all(_FITS[name](number, bound) for name, bound in bounds.items()):
            return int(number) if number.denominator == 1 else float(number)
    raise LeftOutError("no simple number fits the bounds of a schema")
