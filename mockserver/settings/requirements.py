"""Which installed distributions are outside of the bounds that the extra `server` gives."""

from __future__ import annotations

import re
from collections.abc import Iterator
from importlib import metadata

#: A requirement of the package, as its metadata write it: a name, extras of it, and bounds such as `>=3.1.3,<3.2`.
_REQUIREMENT = re.compile(r"([\w.-]+)(?:\[[\w,-]*\])?((?:[<>=][<>=,.0-9]*)?)")
#: One bound; the package declares no other kinds.
_BOUND = re.compile(r"(>=|<)([0-9.]+)")
#: The numbers with which a version begins, which is all that such bounds compare.
_NUMBERS = re.compile(r"[0-9]+(?:\.[0-9]+)*")


def unfit(distribution: str, extra: str) -> Iterator[str]:
    """Of what an extra of a distribution brings, what is installed in another version, each with the bounds."""
    for requirement in metadata.requires(distribution) or ():
        declared, _, marker = requirement.partition(";")
        found = _REQUIREMENT.fullmatch(declared.strip())
        if found is None or extra not in marker.replace('"', "'").split("'"):
            continue
        name, bounds = found.groups()
        try:
            installed = metadata.version(name)
        except metadata.PackageNotFoundError:
            continue
        if not _is_within(installed, bounds):
            yield f"{name} {installed}, and not {bounds}"


def _is_within(installed: str, bounds: str) -> bool:
    version = _numbers(installed)
    return all((version < _numbers(bound)) == (sign == "<") for sign, bound in _BOUND.findall(bounds))


def _numbers(version: str) -> tuple[int, ...]:
    found = _NUMBERS.match(version)
    return tuple(map(int, found[0].split("."))) if found else ()
