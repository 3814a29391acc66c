"""Which operations give which error codes: what a fault can make go wrong."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from types import MappingProxyType

from mockserver.core.contract import errors
from mockserver.core.contract.errors import (
    ALL_CODES,
    BAD_REQUEST,
    INTERNAL_ERROR,
    NOT_ENOUGH_CREDITS,
    NOT_FOUND,
    PERMISSION_DENIED,
)
from mockserver.core.contract.operation import Audience, Operation
from mockserver.core.state.faults import FAULT_KINDS, FaultKind
from mockserver.resources.registry import ALL_OPERATIONS

#: The sentences that are codes and that no operation declares (contract/errors#codes), and where they make sense: no
#: answer has them by itself.
_FITS: Mapping[str, Callable[[Operation], bool]] = MappingProxyType(
    {
        errors.INVALID_QUERY_PARAMS.code: lambda operation: operation.query_schema is not None,
        errors.INVALID_DATA_POSTED.code: lambda operation: operation.body_schema is not None,
        errors.AUTHENTICATION_FAILED.code: lambda operation: True,
        errors.ALREADY_PROCESSED.code: lambda operation: operation.method != "GET",
    }
)


def fits(code: str, operation: Operation) -> bool:
    """Whether a code is a sentence of the specification that says what can go wrong with this operation of the API."""
    return operation.audience is Audience.API and code in _FITS and _FITS[code](operation)


#: The error codes that every operation can give, whatever it documents itself.
EVERYWHERE = frozenset(
    {kind.code.code for kind in FAULT_KINDS.values() if kind.code and kind.everywhere}
    | {BAD_REQUEST.code, NOT_FOUND.code, INTERNAL_ERROR.code}
)
#: The statuses of codes in operations beyond, where they are not the code's own (contract/sending#sendTransacEmail).
_BEYOND_STATUSES = {NOT_ENOUGH_CREDITS.code: {"sendTransacEmail": 402}}


def _gives(operation: Operation, code: str) -> bool:
    return fits(code, operation) or any(row.code.code == code for row in operation.errors)


def _may_give(operation: Operation, code: str) -> bool:
    """Whether an operation gives a code; all of the API may give `permission_denied`, to a token without the scope
    (contract/oauth#scopes).
    """
    return _gives(operation, code) or (code == PERMISSION_DENIED.code and operation.audience is Audience.API)


def giving(code: str) -> frozenset[str]:
    """The operations of a fault that names none: those of the API that give its code, or else all that do."""
    rows = [row for row in ALL_OPERATIONS.values() if _gives(row, code)]
    return frozenset(row.id for row in rows if row.audience is Audience.API) or frozenset(row.id for row in rows)


def operations_of(kind: FaultKind) -> list[str]:
    """The ids of the operations that a kind of fault fits."""
    if kind.everywhere or kind.code is None:
        return list(ALL_OPERATIONS)
    return [row.id for row in ALL_OPERATIONS.values() if _gives(row, kind.code.code)]


def codes_of(operation: Operation) -> list[str]:
    """The error codes that a fault can make an operation give, without `force`."""
    return [code for code in ALL_CODES if code in EVERYWHERE or _may_give(operation, code)]


def statuses(code: str | None) -> dict[str, int]:
    """The status of a code in the operations in which it has one of its own."""
    rows = ((row.id, error) for row in ALL_OPERATIONS.values() for error in row.errors)
    found = {operation: error.status for operation, error in rows if error.code.code == code}
    return {**found, **_BEYOND_STATUSES.get(code or "", {})}


def never_given(code: str, operations: Sequence[Operation]) -> Iterator[tuple[str, str]]:
    """The operations that never give a code, as members of a fault with what is wrong there."""
    for row in operations:
        if not _may_give(row, code):
            gives = ", ".join(dict.fromkeys(error.code.code for error in row.errors))
            yield "match", f"{row.id} never gives {code}; it gives {gives or 'no error of its own'}"
    if not operations and not any(_gives(row, code) for row in ALL_OPERATIONS.values()):
        yield "code", f"no operation gives {code}"
