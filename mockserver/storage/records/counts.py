"""A coverage as named counts, to which several servers add at the same time."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import fields

from mockserver.core.traffic.coverage import Coverage
from mockserver.storage.records.packing import UnreadableError


def of(coverage: Coverage) -> dict[str, int]:
    """Return the counts of a coverage, each by the name of the member and the point that it counts."""
    return {
        json.dumps([member.name, *point], separators=(",", ":")): number
        for member in fields(Coverage)
        for point, number in getattr(coverage, member.name).copy().items()
    }


def coverage(counts: Mapping[str, int]) -> Coverage:
    """Return the coverage that has these counts.

    Raises:
        UnreadableError: a name is none of a count.
    """
    found = Coverage()
    members = {member.name: getattr(found, member.name) for member in fields(Coverage)}
    for name, number in counts.items():
        try:
            member, *point = json.loads(name)
            members[member][tuple(point)] = number
        except (KeyError, TypeError, ValueError) as error:
            raise UnreadableError(f"{name!r} is not the name of a count of a coverage") from error
    return found
