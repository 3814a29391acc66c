"""What is refused before any rule is asked: by role, body, query or path."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from flask import Request
from werkzeug.test import EnvironBuilder

from mockserver.core.traffic.exchange import Exchange
from mockserver.resources.registry import OPERATIONS
from mockserver.web.endpoints.api_endpoint import ApiEndpoint

OTP = 123456


def exchange(request, path):
    body, query = request.get_data(cache=True), request.query_string.decode()
    return Exchange("1", datetime(2026, 1, 15, tzinfo=UTC), request.method, request.path, query, (), body, params=path)


def ask(operation, *, path=None, account="acme", strict=False, **request):
    """A request to an operation, past authentication."""

    def refused(caller):
        caller.workspace.state.strict = strict
        asked = Request(EnvironBuilder(method=OPERATIONS[operation].method, **request).get_environ())
        ApiEndpoint(OPERATIONS[operation]).answer(caller, asked, exchange(asked, path or {}))

    return account, refused


NEW = "createSender"
TABLE = {
    "role": (
        *ask("getMasterAccount"),
        "account acme has the role standalone, and getMasterAccount needs master",
    ),
    "roles": (
        *ask("createAdminSsoToken", account="eu", json={"email": "x@y.test"}),
        "account eu has the role sub_account, and createAdminSsoToken needs admin or master",
    ),
    "no body": (
        *ask("updateSubAccountPlan", account="group", path={"id": "2003001"}),
        "updateSubAccountPlan needs a body",
    ),
    "body of another kind": (
        *ask(NEW, json=["x"]),
        "the body is an array of 1, and createSender takes an object",
    ),
    "unknown members, strictly": (
        *ask(NEW, strict=True, json={"name": "x", "email": "x@y.test", "mail": 1, "ips": [], "ip": {}}),
        "createSender does not know these members of the body: mail, ip; the workspace is strict",
    ),
    "body that is no JSON": (
        *ask(NEW, data=b'{"name": }'),
        "the body of 10 bytes, sent as no type, is no JSON: Expecting value at line 1 column 10",
    ),
    "body of another type": (
        *ask(NEW, data=b"a=b", content_type="text/plain"),
        "the body of 3 bytes, sent as text/plain, is no JSON: Expecting value at line 1 column 1",
    ),
    "missing member": (
        *ask(NEW, json={"name": "x", "mail": "x@y.test"}),
        "the body's member email is missing; there stands name, mail",
    ),
    "missing members": (
        *ask(NEW, json={}),
        "the body's member email is missing; there is nothing; also wrong: name",
    ),
    "missing inner member": (
        *ask(NEW, json={"name": "x", "email": "x@y.test", "ips": [{"ip": "192.0.2.1"}]}),
        "the body's member ips[0].domain is missing; there stands ip",
    ),
    "member of another kind": (
        *ask(NEW, json={"name": ["x"], "email": "x@y.test"}),
        "the body's member name is an array of 1: Not a valid string",
    ),
    "member that is null": (
        *ask(NEW, json={"name": None, "email": "x@y.test"}),
        "the body's member name is null: Field may not be null",
    ),
    "bad address": (
        *ask(NEW, json={"name": "x", "email": "secret"}),
        "the body's member email is a string of 6 characters: Not a valid email address",
    ),
    "inner object of another kind": (
        *ask(NEW, json={"name": "x", "email": "x@y.test", "ips": [True]}),
        "the body's member ips[0] is true: Not an object",
    ),
    "amount out of range": (
        *ask("updateSubAccountPlan", account="group", path={"id": "1"}, json={"credits": {"email": -2}}),
        (
            "the body's member credits.email is the number -2: Must be greater than or equal to -1 and less than or "
            "equal to 9223372036854775807"
        ),
    ),
    "code out of range": (
        *ask("validateSenderByOtp", path={"senderId": "2"}, json={"otp": OTP * 10 + 7}),
        (
            "the body's member otp is a number of 7 characters: Must be greater than or equal to 100000 and less than "
            "or equal to 999999"
        ),
    ),
    "code of one digit": (
        *ask("validateSenderByOtp", path={"senderId": "2"}, json={"otp": 7}),
        (
            "the body's member otp is a number of 1 character: Must be greater than or equal to 100000 and less than "
            "or equal to 999999"
        ),
    ),
    "code as text": (
        *ask("validateSenderByOtp", path={"senderId": "2"}, json={"otp": str(OTP)}),
        "the body's member otp is a string of 6 characters: Not a valid integer",
    ),
    "bad number in a path": (
        *ask("getWebhook", path={"webhookId": "x1"}),
        "the path's parameter webhookId is x1: Not a valid integer",
    ),
    "long text in a path": (
        *ask("deleteSubAccount", account="group", path={"id": "x" * 5_000}),
        f"the path's parameter id is {'x' * 79}…: Sub-account {'x' * 487}…",
    ),
    "bad value in a query": (
        *ask("getWebhooks", query_string="type=all"),
        "the query's parameter type is all: Must be one of: transactional, marketing, inbound",
    ),
    "two bad values in a query": (
        *ask("getInboundEmailEvents", query_string="limit=&sort=up"),
        "the query's parameter limit is '': Not a valid integer; also wrong: sort",
    ),
    "missing in a query": (
        *ask("listSubAccounts", account="group", query_string="limit=5"),
        "the query's parameter offset is missing; there stands limit",
    ),
}


@pytest.mark.parametrize(("account", "refused", "reason"), TABLE.values(), ids=TABLE.keys())
def test_an_endpoint_says_why_it_refuses(account, refused, reason, caller, reason_of):
    assert reason_of(refused, caller(account)) == reason


@pytest.mark.parametrize(("account", "refused"), [row[:2] for row in TABLE.values()], ids=TABLE.keys())
def test_no_reason_tells_a_secret(account, refused, caller, reason_of, secrets):
    told = reason_of(refused, caller(account))

    assert {"xkeysib-acme-key", "123456", "hook-token"} <= secrets()
    assert not [secret for secret in secrets() if secret in told]


@pytest.mark.parametrize(
    ("sent_as", "warning"),
    [
        ("text/plain", "the body of createSender is JSON, and was sent as text/plain"),
        (None, "the body of createSender is JSON, and was sent without a Content-Type"),
        ("application/json; charset=utf-8", None),
        ("application/vnd.api+json", None),
    ],
)
def test_json_under_another_type_passes_with_a_warning(api, sent_as, warning):
    body = b'{"name":"Jo","email":"jo@acme.test"}'

    answer = api.post("/v3/senders", data=body, headers={"Content-Type": sent_as} if sent_as else {})

    assert answer.status_code == 201
    assert api.get("/_mock/requests").json["items"][0]["warnings"] == ([warning] if warning else [])
