"""Which shipped stub library answers for which operation beyond."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache

from mockserver.beyond.catalogue import operation_of
from mockserver.scenario.documents.document import MappingNode
from mockserver.scenario.documents.library import Library, is_stub_library


@cache
def by_operation() -> Mapping[str, str]:
    """The name of the shipped stub library that answers for an operation beyond, by the operation's id."""
    found: dict[str, str] = {}
    for name, document in _shipped():
        for stub in document["stubs"]:
            operation = operation_of(stub["method"], stub["path"])
            if operation is not None:
                found.setdefault(operation, name)
    return found


def _shipped() -> Iterator[tuple[str, MappingNode]]:
    """The shipped stub libraries by name; of other scenarios only the text is looked at, as to parse all takes long."""
    library = Library()
    for name in library.names():
        if "\nstubs:" in library.text(name):
            document = library.read(name)
            if is_stub_library(document):
                yield name, document
