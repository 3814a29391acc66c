"""The operations on senders, contract/senders."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mockserver.core.contract import errors
from mockserver.core.contract.operation import Mark, chosen_error, documented_error, proposed_error
from mockserver.core.lazy import lazy
from mockserver.core.workspaces.caller import Caller
from mockserver.web.endpoints.operations import Operations

if TYPE_CHECKING:
    from mockserver.resources.senders import model, schemas
else:
    model, schemas = lazy(__package__, "model", "schemas")

SENDERS = Operations("senders", "specification 4.1")

_PATH = schemas.SenderPath
_UNKNOWN = documented_error(errors.DOCUMENT_NOT_FOUND, "unknown senderId", "specification 4.1, contract/errors#codes")
_BAD_ID = proposed_error(errors.INVALID_PARAMETER, "senderId is not an integer", "contract/senders#deleteSender")
_WEIGHTS = documented_error(errors.IP_WEIGHTS, "weights do not sum to 100", "specification 7.3")
_BAD_BODY = proposed_error(
    errors.INVALID_PARAMETER,
    "bad e-mail, wrong type, weight for some IPs only, an IP that is not available",
    "contract/senders#createSender",
)
_WEIGHT_RANGE = proposed_error(errors.OUT_OF_RANGE, "a weight outside 1 to 100", "contract/senders#createSender")
_NO_IPS = proposed_error(
    errors.MISSING_PARAMETER, "no ips, with dedicated IPs", "specification 2.1, contract/senders#createSender"
)
_STRICT_POLICY = proposed_error(
    errors.DMARC_POLICY,
    "the domain's DMARC policy is strict, and the domain is not authenticated",
    "specification 7.3 (the code), contract/senders#createSender",
)
_DUPLICATE = proposed_error(errors.DUPLICATE_PARAMETER, "the address is a sender", "contract/senders#createSender")


@SENDERS.operation(
    "getSenders", "GET", "/v3/senders",
    summary="List senders",
    query=schemas.SenderFilter, answer=schemas.Senders,
    notes=("There is no pagination, and no operation that reads one sender.",),
)  # fmt: skip
def get_senders(caller: Caller, query: dict[str, str]) -> dict[str, Any]:
    return {"senders": model.select(caller, query.get("ip"), query.get("domain"))}


@SENDERS.operation(
    "createSender", "POST", "/v3/senders",
    summary="Create a sender",
    adds=True, status=201, body=schemas.NewSender, answer=schemas.SenderCreated,
    errors=(
        proposed_error(errors.MISSING_PARAMETER, "email or name is absent; ips, with dedicated IPs"),
        _BAD_BODY, _WEIGHT_RANGE, _WEIGHTS, _DUPLICATE, _STRICT_POLICY,
        chosen_error(errors.BAD_REQUEST, "observed", Mark.OBSERVED, "contract/senders#createSender"),
    ),
)  # fmt: skip
def create_sender(caller: Caller, body: dict[str, Any]) -> model.Created:
    return model.create(caller, **body)


@SENDERS.operation(
    "updateSender", "PUT", "/v3/senders/{senderId}",
    summary="Update a sender",
    status=204, params=_PATH, body=schemas.SenderChanges,
    errors=(
        _NO_IPS, _BAD_BODY, _WEIGHT_RANGE, _WEIGHTS, _DUPLICATE, _STRICT_POLICY,
        chosen_error(errors.BAD_REQUEST, "observed", Mark.PROPOSED, "contract/senders#createSender"),
        _UNKNOWN,
    ),
    notes=("An empty body changes nothing and is well.",),
)  # fmt: skip
def update_sender(caller: Caller, sender_id: int, body: dict[str, Any]) -> None:
    model.update(caller, sender_id, **body)


@SENDERS.operation(
    "deleteSender", "DELETE", "/v3/senders/{senderId}",
    summary="Delete a sender",
    status=204, params=_PATH,
    errors=(_BAD_ID, _UNKNOWN),
)  # fmt: skip
def delete_sender(caller: Caller, sender_id: int) -> None:
    model.delete(caller, sender_id)


@SENDERS.operation(
    "validateSenderByOtp", "PUT", "/v3/senders/{senderId}/validate",
    summary="Validate a sender by one-time code",
    status=204, params=_PATH, body=schemas.Otp,
    errors=(
        documented_error(errors.OTP_INVALID, "wrong code, or the sender expects no code", "specification 3.1"),
        documented_error(errors.OTP_EXPIRED, "the code has expired", "specification 3.1"),
        proposed_error(errors.MISSING_PARAMETER, "otp is absent"),
        proposed_error(errors.INVALID_PARAMETER, "otp or senderId is not an integer"),
        proposed_error(errors.OUT_OF_RANGE, "otp is outside 100000 to 999999"),
        _UNKNOWN,
    ),
)  # fmt: skip
def validate_sender_by_otp(caller: Caller, sender_id: int, body: dict[str, int]) -> None:
    model.validate(caller, sender_id, body["otp"])


@SENDERS.operation(
    "getIps", "GET", "/v3/senders/ips",
    summary="List dedicated IPs of the account",
    answer=schemas.DedicatedIps,
)  # fmt: skip
def get_ips(caller: Caller) -> dict[str, Any]:
    return {"ips": model.ips_of_account(caller)}


@SENDERS.operation(
    "getIpsFromSender", "GET", "/v3/senders/{senderId}/ips",
    summary="List dedicated IPs of one sender",
    params=_PATH, answer=schemas.SenderIps,
    errors=(_BAD_ID, _UNKNOWN),
)  # fmt: skip
def get_ips_from_sender(caller: Caller, sender_id: int) -> dict[str, Any]:
    return {"ips": model.ips_of_sender(caller, sender_id)}
