import pytest

from mockserver.core.contract import errors

SPEC_CODES = [
    "invalid_parameter", "missing_parameter", "out_of_range", "campaign_processing", "campaign_sent",
    "document_not_found", "not_enough_credits", "permission_denied", "duplicate_parameter", "duplicate_request",
    "method_not_allowed", "unauthorized", "account_under_validation", "not_acceptable", "bad_request",
    "unprocessable_entity", "Domain does not exist", "Contact email not found", "Attribute not found",
    "Category id not found", "Invalid parameters passed", "Record(s) for identifier not found",
    "Returned when query params are invalid", "Returned when invalid data posted", "Feed not found",
    "Campaign ID not found", "api-key not found", "DMARC policy requires domain authentication",
    "DNS records not properly configured", "Invalid OTP code provided", "OTP code has expired",
    "Domain already exists in your account", "The sum of all IP weights must equal 100", "Authentication failed",
    "Insufficient credits", "Request already processed",
]  # fmt: skip


def test_the_36_codes_of_the_specification_are_all_there():
    assert sorted(errors.SPEC_CODES) == sorted(SPEC_CODES)


def test_a_code_makes_an_error_with_its_own_status_and_message():
    error = errors.OTP_EXPIRED()

    assert (error.status, error.code.code, error.message) == (400, "OTP code has expired", "OTP code has expired")


def test_error_code_accepts_another_status_and_message():
    error = errors.BAD_REQUEST("too large", status=413)

    assert (error.status, error.message) == (413, "too large")


@pytest.mark.parametrize("code", list(errors.SPEC_CODES.values()), ids=lambda code: code.code)
def test_every_code_comes_with_an_error_status_and_a_message(code):
    assert 400 <= code.status < 500
    assert code.message
