"""All errors of the service: codes, usual statuses and messages.

The 36 codes of the specification, and three that real traffic shows besides (contract/errors). Rules raise
`ServiceError`, and the endpoint makes the answer of it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple


class ErrorCode(NamedTuple):
    """A kind of error: the `code` of its body, its usual status and message. Call it to make the error to raise."""

    code: str
    status: int
    message: str

    def __call__(
        self, message: str | None = None, *, status: int | None = None, sentence: ErrorCode | None = None
    ) -> ServiceError:
        """Return the error to raise; `sentence`, the code for `sentence_codes: sentences`, has the default message."""
        text = message or (sentence or self).message
        return ServiceError(self, text, status or self.status, sentence)


class ServiceError(Exception):
    """A refusal by the service, with status, code and message; the state is unchanged."""

    def __init__(self, code: ErrorCode, message: str, status: int, sentence: ErrorCode | None = None) -> None:
        super().__init__(f"{status} {code.code}: {message}")
        self.code, self.message, self.status = code, message, status
        self._sentence = sentence
        #: The reason in one sentence with values, for the journal only.
        self.reason = message
        #: Further headers of the answer.
        self.headers: tuple[tuple[str, str], ...] = ()
        #: Further members of the error body.
        self.members: Mapping[str, Any] = {}

    def code_by(self, choice: str) -> str:
        """Return the code of the answer, by `behaviour.sentence_codes` (contract/errors#codes)."""
        name = self.code.code
        if choice == "observed":
            return _OBSERVED.get(name, name)
        if choice == "sentences":
            return self._sentence.code if self._sentence else _SENTENCES.get(name, name)
        return name

    def because(self, reason: str) -> ServiceError:
        """Set the reason for the journal, and return the error."""
        self.reason = reason
        return self


def _sentence(code: str, status: int) -> ErrorCode:
    return ErrorCode(code, status, code)


INVALID_PARAMETER = ErrorCode("invalid_parameter", 400, "Invalid parameter")
MISSING_PARAMETER = ErrorCode("missing_parameter", 400, "Missing parameter")
OUT_OF_RANGE = ErrorCode("out_of_range", 400, "Value is out of range")
CAMPAIGN_PROCESSING = ErrorCode("campaign_processing", 400, "Campaign is being processed")
CAMPAIGN_SENT = ErrorCode("campaign_sent", 400, "Campaign has already been sent")
DOCUMENT_NOT_FOUND = ErrorCode("document_not_found", 404, "Document not found")
NOT_ENOUGH_CREDITS = ErrorCode("not_enough_credits", 400, "Not enough credits")
PERMISSION_DENIED = ErrorCode("permission_denied", 403, "Access forbidden.")
DUPLICATE_PARAMETER = ErrorCode("duplicate_parameter", 400, "Value already exists")
DUPLICATE_REQUEST = ErrorCode("duplicate_request", 409, "Duplicate request")
METHOD_NOT_ALLOWED = ErrorCode("method_not_allowed", 405, "Method not allowed")
UNAUTHORIZED = ErrorCode("unauthorized", 401, "Key not found")
ACCOUNT_UNDER_VALIDATION = ErrorCode("account_under_validation", 403, "Your account is under validation")
NOT_ACCEPTABLE = ErrorCode("not_acceptable", 406, "Not acceptable")
BAD_REQUEST = ErrorCode("bad_request", 400, "Bad request")
UNPROCESSABLE_ENTITY = ErrorCode("unprocessable_entity", 422, "Unprocessable entity")
DOMAIN_DOES_NOT_EXIST = _sentence("Domain does not exist", 404)
CONTACT_EMAIL_NOT_FOUND = _sentence("Contact email not found", 404)
ATTRIBUTE_NOT_FOUND = _sentence("Attribute not found", 404)
CATEGORY_ID_NOT_FOUND = _sentence("Category id not found", 404)
INVALID_PARAMETERS_PASSED = _sentence("Invalid parameters passed", 400)
RECORDS_NOT_FOUND = _sentence("Record(s) for identifier not found", 404)
INVALID_QUERY_PARAMS = _sentence("Returned when query params are invalid", 400)
INVALID_DATA_POSTED = _sentence("Returned when invalid data posted", 400)
FEED_NOT_FOUND = _sentence("Feed not found", 404)
CAMPAIGN_ID_NOT_FOUND = _sentence("Campaign ID not found", 404)
API_KEY_NOT_FOUND = _sentence("api-key not found", 404)
DMARC_POLICY = ErrorCode(
    "DMARC policy requires domain authentication",
    400,
    # Recorded, where a sender is created (contract/senders#createSender).
    "Your DMARC policy requires your domain to be authenticated before creating a sender with this domain. "
    "Authenticate domain and then create a sender.",
)
DNS_NOT_CONFIGURED = ErrorCode(
    "DNS records not properly configured",
    400,
    # Recorded (contract/domains#authenticateDomain).
    "The domain cannot be authenticated. Check your domain DNS panel and ensure Brevo code, DKIM record and "
    "DMARC record are added correctly.",
)
OTP_INVALID = _sentence("Invalid OTP code provided", 400)
OTP_EXPIRED = _sentence("OTP code has expired", 400)
DOMAIN_EXISTS = _sentence("Domain already exists in your account", 400)
IP_WEIGHTS = _sentence("The sum of all IP weights must equal 100", 400)
AUTHENTICATION_FAILED = _sentence("Authentication failed", 401)
INSUFFICIENT_CREDITS = _sentence("Insufficient credits", 400)
ALREADY_PROCESSED = _sentence("Request already processed", 400)

#: The 36 codes of the specification (contract/errors#codes).
SPEC_CODES: dict[str, ErrorCode] = {
    value.code: value for value in list(globals().values()) if isinstance(value, ErrorCode)
}

#: The codes of recorded answers instead of sentence codes, as far as known (contract/errors#codes).
_OBSERVED = {DNS_NOT_CONFIGURED.code: BAD_REQUEST.code, DMARC_POLICY.code: BAD_REQUEST.code}
#: The sentences of codes that have one condition only.
_SENTENCES = {NOT_ENOUGH_CREDITS.code: INSUFFICIENT_CREDITS.code}

#: Codes of real traffic that the specification does not list (contract/errors#statuses).
NOT_FOUND = ErrorCode("not_found", 404, "Invalid route/method passed")
TOO_MANY_REQUESTS = ErrorCode("too_many_requests", 429, "Too many requests. Please try again later.")
INTERNAL_ERROR = ErrorCode("internal_error", 500, "Internal server error")

#: Of contacts (contract/contacts#createContact): the status is documented, and the code in no other place.
ACCOUNT_IN_PROCESS = ErrorCode("account_in_process", 425, "The account is being processed")

#: A page whose link has expired or was used (proposed, contract/sso#ssoCorporateLogin).
GONE = ErrorCode("gone", 410, "This link works no longer")

#: The codes of OAuth: RFC 6749, 4.1.2.1 and 5.2; RFC 6750, 3.1.
INVALID_REQUEST = ErrorCode("invalid_request", 400, "The request is not well-formed")
INVALID_CLIENT = ErrorCode("invalid_client", 401, "The app is unknown, or its credentials are wrong")
INVALID_GRANT = ErrorCode("invalid_grant", 400, "The code or the refresh token is unknown, used, expired or revoked")
INVALID_SCOPE = ErrorCode("invalid_scope", 400, "The app may not ask for one of these scopes")
INVALID_TOKEN = ErrorCode("invalid_token", 401, "The access token is unknown, expired or revoked")
INSUFFICIENT_SCOPE = ErrorCode("insufficient_scope", 403, "The access token lacks a scope")
UNAUTHORIZED_CLIENT = ErrorCode("unauthorized_client", 400, "The app may not do this")
UNSUPPORTED_GRANT_TYPE = ErrorCode("unsupported_grant_type", 400, "The grant type is not supported")
UNSUPPORTED_RESPONSE_TYPE = ErrorCode("unsupported_response_type", 400, "The response type is not supported")
ACCESS_DENIED = ErrorCode("access_denied", 403, "The user has refused")
SERVER_ERROR = ErrorCode("server_error", 500, "Internal server error")
TEMPORARILY_UNAVAILABLE = ErrorCode("temporarily_unavailable", 503, "Service unavailable")

OAUTH_CODES: dict[str, ErrorCode] = {
    code.code: code
    for code in (
        INVALID_REQUEST, INVALID_CLIENT, INVALID_GRANT, INVALID_SCOPE, INVALID_TOKEN, INSUFFICIENT_SCOPE,
        UNAUTHORIZED_CLIENT, UNSUPPORTED_GRANT_TYPE, UNSUPPORTED_RESPONSE_TYPE, ACCESS_DENIED, SERVER_ERROR,
        TEMPORARILY_UNAVAILABLE,
    )
}  # fmt: skip

#: Every code that a fault can inject, and that an exchange in the journal can have.
ALL_CODES: dict[str, ErrorCode] = {
    **SPEC_CODES,
    **{code.code: code for code in (NOT_FOUND, TOO_MANY_REQUESTS, INTERNAL_ERROR, ACCOUNT_IN_PROCESS, GONE)},
    **OAUTH_CODES,
}


def no_room(reason: str) -> ServiceError:
    """Return the error for a call that adds something to a full workspace (contract/transport, proposed)."""
    return OUT_OF_RANGE("The limit of what can be created is reached").because(reason)
