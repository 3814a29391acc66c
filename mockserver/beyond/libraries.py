"""Which of the shipped stub libraries answers for an operation beyond; a test compares this with the libraries."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

#: The operations beyond for which each shipped stub library has a stub. Written down, as to read the libraries takes
#: some milliseconds, and a call that is refused is answered on the event loop.
LIBRARIES: Mapping[str, frozenset[str]] = MappingProxyType({"send": frozenset({"sendTransacEmail"})})


def library_of(operation: str) -> str | None:
    """The name of the shipped stub library that answers for an operation beyond, or None."""
    return next((name for name, operations in LIBRARIES.items() if operation in operations), None)
