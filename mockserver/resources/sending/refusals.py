"""The two errors that a body of `sendTransacEmail` is refused with: a member is missing, or not valid."""

from __future__ import annotations

from mockserver.core.contract.errors import INVALID_PARAMETER, MISSING_PARAMETER, ServiceError


def missing(member: str, place: str = "") -> ServiceError:
    """Return the error `email is missing in to`, or `subject is missing`."""
    message = f"{member} is missing{f' in {place}' if place else ''}"
    return MISSING_PARAMETER(message).because(
        f"missing field `{member}`{f' in `{place}`' if place else ''} in the body"
    )


def wrong(member: str, place: str = "", why: str = "") -> ServiceError:
    """Return the error `email is not valid in to`, or `subject is not valid`; the journal says why."""
    message = f"{member} is not valid{f' in {place}' if place else ''}"
    return INVALID_PARAMETER(message).because(f"{message}: {why}")
