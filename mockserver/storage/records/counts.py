"""A coverage as counts with names, to which several servers add at the same time."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from mockserver.core.traffic.coverage import Coverage
from mockserver.storage.records.parts import CoverageForm
from mockserver.storage.records.unreadable import UnreadableError


def of(coverage: Coverage) -> dict[str, int]:
    """The counts of a coverage, each by the name of its member and of what it counts."""
    members = CoverageForm.of(coverage)._asdict()
    return {
        json.dumps([member, *point], separators=(",", ":")): number
        for member, counts in members.items()
        for point, number in counts.copy().items()
    }


def coverage(counts: Mapping[str, int]) -> Coverage:
    """The coverage that counts tell of.

    Raises:
        UnreadableError: a name is none of a coverage.
    """
    members: dict[str, dict[Any, int]] = {name: {} for name in CoverageForm._fields}
    try:
        for name, number in counts.items():
            member, *point = json.loads(name)
            members[member][tuple(point)] = number
    except (KeyError, TypeError, ValueError) as error:
        raise UnreadableError(f"{name!r} is no count of a coverage") from error
    return CoverageForm(**members).coverage()
