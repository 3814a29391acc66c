"""The error codes that are sentences (contract/errors#codes), and the operations for which they make sense.

The service's own answers have other codes in most of these places (contract/errors#codes). A fault may still
inject them as the specification has them, to test a client that expects them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

from mockserver.core.contract import errors
from mockserver.core.contract.operation import Audience, Operation


def _of(*names: str) -> Callable[[Operation], bool]:
    return lambda operation: operation.id in names


_FITS: Mapping[str, Callable[[Operation], bool]] = MappingProxyType(
    {
        errors.DOMAIN_DOES_NOT_EXIST.code: _of("getDomainConfiguration", "deleteDomain", "authenticateDomain"),
        errors.ATTRIBUTE_NOT_FOUND.code: _of("deleteAttribute"),
        errors.INVALID_PARAMETERS_PASSED.code: _of("deleteScheduledEmailById"),
        errors.RECORDS_NOT_FOUND.code: _of("deleteScheduledEmailById"),
        errors.CAMPAIGN_ID_NOT_FOUND.code: _of("getSharedTemplateUrl"),
        errors.DMARC_POLICY.code: _of("createSender", "updateSender"),
        errors.INSUFFICIENT_CREDITS.code: _of("updateSubAccountPlan", "updateSubAccountsPlan"),
        errors.INVALID_QUERY_PARAMS.code: lambda operation: operation.query_schema is not None,
        errors.INVALID_DATA_POSTED.code: lambda operation: operation.body_schema is not None,
        errors.AUTHENTICATION_FAILED.code: lambda operation: True,
        errors.ALREADY_PROCESSED.code: lambda operation: operation.method != "GET",
    }
)


def fits(code: str, operation: Operation) -> bool:
    """Whether a code is a sentence of the specification that says what can go wrong with this operation of the API."""
    return operation.audience is Audience.API and code in _FITS and _FITS[code](operation)
