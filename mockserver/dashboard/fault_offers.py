"""What the form for a rule offers: operations, kinds of faults and error codes, and which of them fit each other."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from string import Formatter
from typing import Any, NamedTuple

from mockserver.core.contract.errors import ALL_CODES
from mockserver.core.contract.operation import Audience, Operation
from mockserver.core.state.faults import ALERTS, FAULT_KINDS, NO_ALERT
from mockserver.resources.registry import ALL_OPERATIONS
from mockserver.scenario.rules.fault_codes import codes_of
from mockserver.views.record import plain
from mockserver.views.traffic import show_fault_kind


class OperationOffer(NamedTuple):
    """An operation that a rule can be for."""

    id: str
    method: str
    path: str
    #: Whether it is one of the API, or else one of OAuth and its pages.
    is_api: bool
    #: The places in `Offers.codes` of the error codes that it can give.
    codes: Sequence[int]


class KindOffer(NamedTuple):
    """A kind of fault."""

    name: str
    #: What it does, as a sentence.
    says: str
    parameters: Sequence[str]
    #: The operations that it fits, or None if it fits all; one of TLS handshakes fits none.
    operations: Sequence[str] | None


class Offers(NamedTuple):
    """All that a rule can say."""

    operations: Sequence[OperationOffer]
    kinds: Sequence[KindOffer]
    #: The error codes that some operation gives.
    codes: Sequence[str]
    #: The operations that have each parameter in their paths.
    parameters: Mapping[str, Sequence[str]]
    #: The alerts with which a TLS handshake can be refused.
    alerts: Sequence[str]


@cache
def offers() -> Offers:
    """All that a rule can say, whatever the workspace."""
    given = {name: codes_of(row) for name, row in ALL_OPERATIONS.items()}
    codes = [code for code in ALL_CODES if any(code in row for row in given.values())]
    return Offers(
        [_operation(row, [codes.index(code) for code in given[row.id]]) for row in ALL_OPERATIONS.values()],
        [_kind(name, given) for name in FAULT_KINDS],
        codes,
        _parameters(),
        [*ALERTS, NO_ALERT],
    )


def _operation(row: Operation, codes: Sequence[int]) -> OperationOffer:
    return OperationOffer(row.id, row.method, row.path, row.audience is Audience.API, codes)


def _kind(name: str, given: Mapping[str, Sequence[str]]) -> KindOffer:
    kind = FAULT_KINDS[name]
    shown = plain(show_fault_kind(name, kind))
    # A TLS handshake is over before an operation is called.
    fits: list[str] | None = [] if kind.answer is None else None
    if kind.code is not None and not kind.everywhere:
        fits = [operation for operation, codes in given.items() if kind.code.code in codes]
    return KindOffer(name, sentence(shown), kind.parameters, fits)


def sentence(shown: Mapping[str, Any]) -> str:
    """What a kind of fault does, as a sentence; `shown` is what the control API shows of it."""
    if "code" in shown:
        return f"The answer is {shown['status']} {shown['code']}: {shown['message']}".rstrip(".") + "."
    text: str = shown["does"]
    return f"{text[0].upper()}{text[1:]}."


def _parameters() -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for row in ALL_OPERATIONS.values():
        for _, name, _, _ in Formatter().parse(row.path):
            if name is not None:
                found.setdefault(name, []).append(row.id)
    return found
