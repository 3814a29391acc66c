"""What is refused before any rule is asked: by role, body, query or path."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from flask import Request
from werkzeug.test import EnvironBuilder

from mockserver.core.traffic.exchange import Exchange
from mockserver.resources.registry import OPERATIONS
from mockserver.web.endpoints.endpoint import ApiEndpoint

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
TABLE = [
    (*ask("getMasterAccount"),
     "getMasterAccount requires the role master; account acme has the role standalone"),
    (*ask("createAdminSsoToken", account="eu", json={"email": "x@y.test"}),
     "createAdminSsoToken requires the role admin or master; account eu has the role sub_account"),
    (*ask("updateSubAccountPlan", account="group", path={"id": "2003001"}),
     "missing body: updateSubAccountPlan requires a JSON object"),
    (*ask(NEW, json=["x"]),
     "the body of createSender must be a JSON object (got an array of 1 item)"),
    (*ask(NEW, strict=True, json={"name": "x", "email": "x@y.test", "mail": 1, "ips": [], "ip": {}}),
     "unknown fields in the body of createSender: `mail`, `ip` (the workspace is strict)"),
    (*ask(NEW, data=b'{"name": }'),
     "the body is not valid JSON: Expecting value at line 1 column 10 (10 bytes, no Content-Type)"),
    (*ask(NEW, data=b"a=b", content_type="text/plain"),
     "the body is not valid JSON: Expecting value at line 1 column 1 (3 bytes, Content-Type text/plain)"),
    (*ask(NEW, data=b"\x1f\x8b\x08", content_type="application/json", headers={"Content-Encoding": "gzip"}),
     ("the body is not valid JSON: not UTF-8 at byte 1 (3 bytes, Content-Type application/json, "
     "Content-Encoding gzip: send it uncompressed)")),
    (*ask(NEW, data=b"x", content_type="application/json", headers={"Content-Encoding": "br"}),
     ("the body is not valid JSON: Expecting value at line 1 column 1 (1 byte, Content-Type application/json, "
     "Content-Encoding br: send it uncompressed)")),
    (*ask(NEW, data='{"name": "é"}'.encode("latin-1"), content_type="application/json; charset=latin-1"),
     ("the body is not valid JSON: not UTF-8 at byte 10 (13 bytes, Content-Type application/json, "
     "charset latin-1: send UTF-8)")),
    (*ask(NEW, json={"name": "x", "mail": "x@y.test"}),
     "missing field `email` in the body (it has `name`, `mail`)"),
    (*ask(NEW, json={}),
     "missing field `email` in the body (it is empty); also wrong: `name`"),
    (*ask(NEW, json={"name": "x", "email": "x@y.test", "ips": [{"ip": "192.0.2.1"}]}),
     "missing field `ips[0].domain` in the body (`ips[0]` has `ip`)"),
    (*ask(NEW, json={"name": "x", "email": ""}),
     "empty field `email` in the body"),
    (*ask(NEW, json={"name": ["x"], "email": "x@y.test"}),
     "invalid field `name` in the body: Not a valid string (got an array of 1 item)"),
    (*ask(NEW, json={"name": None, "email": "x@y.test"}),
     "invalid field `name` in the body: Field may not be null (got null)"),
    (*ask(NEW, json={"name": "x", "email": "secret"}),
     "invalid field `email` in the body: Not a valid email address (got a string of 6 characters)"),
    (*ask(NEW, json={"name": "x", "email": "x@y.test", "ips": [True]}),
     "invalid field `ips[0]` in the body: Not an object (got true)"),
    (*ask("updateSubAccountPlan", account="group", path={"id": "1"}, json={"credits": {"email": -2}}),
     ("invalid field `credits.email` in the body: Must be greater than or equal to -1 and less than or equal "
     "to 9223372036854775807 (got the number -2)")),
    (*ask("validateSenderByOtp", path={"senderId": "2"}, json={"otp": OTP * 10 + 7}),
     ("invalid field `otp` in the body: Must be greater than or equal to 100000 and less than or equal to "
     "999999 (got a number of 7 characters)")),
    (*ask("validateSenderByOtp", path={"senderId": "2"}, json={"otp": 7}),
     ("invalid field `otp` in the body: Must be greater than or equal to 100000 and less than or equal to "
     "999999 (got a number of 1 character)")),
    (*ask("validateSenderByOtp", path={"senderId": "2"}, json={"otp": str(OTP)}),
     "invalid field `otp` in the body: Not a valid integer (got a string of 6 characters)"),
    (*ask("getWebhook", path={"webhookId": "x1"}),
     "invalid parameter `webhookId` in the path: Not a valid integer (got x1)"),
    (*ask("deleteSubAccount", account="group", path={"id": "x" * 5_000}),
     f"invalid parameter `id` in the path: Sub-account {'x' * 487}… (got {'x' * 79}…)"),
    (*ask("getWebhooks", query_string="type=all"),
     "invalid parameter `type` in the query: Must be one of: transactional, marketing, inbound (got all)"),
    (*ask("getInboundEmailEvents", query_string="limit=&sort=up"),
     "invalid parameter `limit` in the query: Not a valid integer (got ''); also wrong: `sort`"),
    (*ask("listSubAccounts", account="group", query_string="limit=5"),
     "missing parameter `offset` in the query (it has `limit`)"),
]  # fmt: skip


@pytest.mark.parametrize(("account", "refused", "reason"), TABLE, ids=map(str, range(len(TABLE))))
def test_endpoint_explains_its_refusal_without_secrets(account, refused, reason, caller, reason_of, secrets):
    assert reason_of(refused, caller(account)) == reason
    assert {"xkeysib-acme-key", "123456", "hook-token"} <= secrets()
    assert not [secret for secret in secrets() if secret in reason]


READ = "createSender read the body as JSON although"
TYPES = {
    "text/plain": [f"{READ} its Content-Type is text/plain; send application/json"],
    None: [f"{READ} it has no Content-Type; send application/json"],
    "application/json; charset=utf-8": [],
    "application/vnd.api+json": [],
    "application/x-www-form-urlencoded": [],
    "multipart/form-data": [f"{READ} its Content-Type is multipart/form-data; send application/json"],
}


@pytest.mark.parametrize("sent_as", TYPES)
def test_json_under_another_type_passes_with_a_warning(api, sent_as):
    body = b'{"name":"Jo","email":"jo@acme.test"}'

    answer = api.post("/v3/senders", data=body, headers={"Content-Type": sent_as} if sent_as else {})

    assert answer.status_code == 201
    assert api.get("/_mock/requests").json["items"][0]["warnings"] == TYPES[sent_as]
