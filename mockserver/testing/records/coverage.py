"""The coverage of a workspace or a server: which part of the contract its requests have met."""

from __future__ import annotations

from typing import NamedTuple

__tracebackhide__ = True  # pytest shows the line of the test instead


class Total(NamedTuple):
    """How many points of the contract have been met."""

    met: int
    #: How many points there are.
    of: int
