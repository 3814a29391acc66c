"""How sure the mock is of what it has answered: the record of an operation, as far as an exchange has met it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any, NamedTuple

from mockserver.core.traffic.exchange import Exchange
from mockserver.resources.registry import ALL_OPERATIONS

#: Begins the part of a source that is a page of the contract.
_PAGE = "docs/"


class Evidence(NamedTuple):
    """What is known of an operation."""

    #: What the operation does, in a line.
    summary: str
    #: Where its contract stands, below the documents of the mock, or None.
    page: str | None
    #: The refusal that was answered, as the contract has it, or None.
    error: Mapping[str, Any] | None
    #: The fields of the operation, each with its place, its name and its mark.
    fields: Sequence[Mapping[str, Any]]


def evidence_of(exchange: Exchange) -> Evidence | None:
    """What is known of the operation that was called; None where the mock has none."""
    operation = ALL_OPERATIONS.get(exchange.operation or "")
    if operation is None:
        return None
    known = _record()[operation.id]
    met = (exchange.status, exchange.code)
    error = next((row for row in known["errors"] if (row["status"], row["code"]) == met), None)
    return Evidence(operation.summary, page_of(known["source"]), None if exchange.injected else error, known["fields"])


def page_of(source: str) -> str | None:
    """The page of the contract that a source names, as an address below `/_mock/docs/`."""
    return next(
        (part.strip().removeprefix(_PAGE) for part in source.split(",") if part.strip().startswith(_PAGE)), None
    )


@cache
def _record() -> Mapping[str, Any]:
    from mockserver.evidence.fidelity import record  # noqa: PLC0415  # it is made when a request is first looked at

    found: Mapping[str, Any] = record(ALL_OPERATIONS.values())["operations"]
    return found
