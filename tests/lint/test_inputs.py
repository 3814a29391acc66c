"""The rules `unused-input` and `outdated-api`."""

from __future__ import annotations

import pytest
from lint.calls import Call

SENDER = {"name": "News", "email": "news@acme.test"}
MAIL = {
    "sender": {"email": "shop@acme.test"}, "to": [{"email": "ada@acme.test"}], "subject": "Hi", "textContent": "Hello",
}  # fmt: skip

UNUSED = {
    "a member": (
        Call("POST", "/v3/senders", {**SENDER, "nam": 1}), "createSender ignored the unknown body field `nam`",
    ),
    "a parameter": (Call("GET", "/v3/senders?page=2"), "getSenders ignored the unknown query parameter `page`"),
    "a body": (
        Call("DELETE", "/v3/senders/7", {"force": True}),
        "deleteSender takes no body and ignored the body that was sent",
    ),
    "a header of e-mails": (
        Call("POST", "/v3/smtp/email", MAIL, headers={"X-Sib-Sandbox": "drop"}),
        "sendTransacEmail does not read the header x-sib-sandbox of a request",
    ),
    "an idempotency key in a header": (
        Call("POST", "/v3/smtp/email", MAIL, headers={"Idempotency-Key": "1"}),
        "sendTransacEmail does not read the header idempotency-key of a request",
    ),
}  # fmt: skip


@pytest.mark.parametrize(("call", "message"), UNUSED.values(), ids=UNUSED)
def test_input_that_is_not_read_is_found(check, call, message):
    check("unused-input", [call], f"{message} (1 request)", [0])


def test_equal_unused_inputs_are_one_finding(check):
    call = Call("GET", "/v3/senders?page=2")
    check("unused-input", [call, call], "getSenders ignored the unknown query parameter `page` (2 requests)", [0, 1])


@pytest.mark.parametrize(
    "call",
    [
        Call("POST", "/v3/senders", SENDER), Call("DELETE", "/v3/senders/7", {}),
        Call("POST", "/v3/smtp/email", {**MAIL, "headers": {"X-Sib-Sandbox": "drop"}}),
        Call("GET", "/v3/senders", headers={"X-Request-Id": "1", "traceparent": "00-1-2-01", "X-Fern-Language": "Py"}),
        Call("GET", "/v3/senders", key="no-key"),
    ],
    ids=["what is read", "an empty body", "a header in the body", "headers of tracing", "an unknown key"],
)  # fmt: skip
def test_input_is_no_finding_if_it_is(check, call):
    check("unused-input", [call])


OUTDATED = {
    "a host": (
        Call("GET", "/v3/account", headers={"Host": "api.sendinblue.com"}),
        "the host api.sendinblue.com is a former one of api.brevo.com",
    ),
    "a header": (
        Call("GET", "/v3/account", headers={"partner-key": "abc"}),
        "the header partner-key belongs to the reseller API, which the service has deprecated",
    ),
    "a path": (
        Call("GET", "/v3/reseller/children"),
        "GET /v3/reseller/children is deprecated: the paths below /v3/corporate have taken its place",
    ),
}


@pytest.mark.parametrize(("call", "message"), OUTDATED.values(), ids=OUTDATED)
def test_outdated_call_is_found_by(check, call, message):
    check("outdated-api", [call], f"{message} (1 request)", [0])


@pytest.mark.parametrize(
    "headers",
    [{"Host": "api.brevo.com"}, {"Host": "notsendinblue.com"}, {"partner-key": ""}, {"Host": "localhost:8003"}],
    ids=str,
)
def test_call_of_the_present_api_is_no_finding(check, headers):
    check("outdated-api", [Call("GET", "/v3/account", headers=headers)])
