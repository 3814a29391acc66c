"""The error codes that are sentences and tied to no condition (contract/errors#codes), and where they make sense.

No answer has them by itself. A fault may still inject them, to test a client that expects them; the sentences that
operations declare need no row here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

from mockserver.core.contract import errors
from mockserver.core.contract.operation import Audience, Operation

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
