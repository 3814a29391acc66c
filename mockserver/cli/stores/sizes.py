"""Numbers of bytes as people read them."""

from __future__ import annotations

_UNITS = ("bytes", "kB", "MB", "GB", "TB")


def shown(number: float) -> str:
    """A number of bytes in the largest unit of which there is one: `20.5 kB`."""
    unit = 0
    while number >= 1000 and unit < len(_UNITS) - 1:
        number, unit = number / 1000, unit + 1
    return f"{number:.0f} bytes" if unit == 0 else f"{number:.1f} {_UNITS[unit]}"
