"""What a scenario expects of its workspace in the end."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple


class Expected(NamedTuple):
    #: The items of `expect:` in a scenario.
    items: tuple[Mapping[str, Any], ...]
    #: A digest of each section at the beginning, by name; empty unless an item has `only`.
    sections: Mapping[str, str]
