"""Bodies that are no JSON of ours, or nothing at all."""

from __future__ import annotations

import pytest
from hostile.refusals import RAW, each, refused


@pytest.mark.parametrize("raw", RAW.values(), ids=RAW)
@pytest.mark.parametrize(
    ("method", "path"),
    [("POST", "/v3/senders"), ("PUT", "/v3/corporate/subAccount/2003001/plan")],
    ids=["a required body", "an optional body"],
)
def test_a_body_that_is_not_good_json_is_refused(untouched, method, path, raw):
    answer = untouched.request(method, path, data=raw, headers={"Content-Type": "application/json"})
    refused(answer, 400, "bad_request")


@pytest.mark.parametrize("raw", RAW.values(), ids=RAW)
def test_a_body_that_is_not_json_and_says_so_is_of_an_unsupported_type(untouched, raw):
    refused(untouched.post("/v3/senders", data=raw, headers={"Content-Type": "text/csv"}), 415, "bad_request")


@each("raw", [b"null", b"[]", b'"text"', b"1", b"1.5", b"true", b'[{"name": "Ops"}]'])
@each(
    ("method", "path"),
    [
        ("POST", "/v3/senders"), ("PUT", "/v3/senders/1"), ("PUT", "/v3/senders/1/validate"),
        ("POST", "/v3/senders/domains"), ("POST", "/v3/webhooks"), ("PUT", "/v3/webhooks/814200"),
        ("POST", "/v3/webhooks/export"), ("POST", "/v3/corporate/subAccount"),
        ("PUT", "/v3/corporate/subAccount/2003001/plan"), ("PUT", "/v3/corporate/subAccounts/plan"),
        ("POST", "/v3/corporate/ssoToken"), ("POST", "/v3/corporate/subAccount/ssoToken"),
        ("POST", "/v3/corporate/subAccount/key"),
    ],
)  # fmt: skip
def test_a_body_that_is_no_object_is_refused(untouched, method, path, raw):
    refused(untouched.request(method, path, data=raw), 400, "bad_request")


@pytest.mark.parametrize("raw", [b"", b" \n\t "], ids=["empty", "blanks"])
@each(
    ("path", "code"),
    [
        ("/v3/senders", "missing_parameter"), ("/v3/senders/domains", "missing_parameter"),
        ("/v3/webhooks", "missing_parameter"), ("/v3/webhooks/export", "missing_parameter"),
        ("/v3/corporate/subAccount", "missing_parameter"), ("/v3/corporate/ssoToken", "missing_parameter"),
        ("/v3/corporate/subAccount/ssoToken", "missing_parameter"),
        ("/v3/corporate/subAccount/key", "missing_parameter"),
    ],
)  # fmt: skip
def test_a_body_without_anything_misses_what_is_required(untouched, path, code, raw):
    refused(untouched.post(path, data=raw), 400, code)


@each("path", ["/v3/corporate/subAccount/2003001/plan", "/v3/corporate/subAccounts/plan"])
def test_a_plan_update_without_a_body_is_refused(untouched, path):
    refused(untouched.put(path), 400, "bad_request")
