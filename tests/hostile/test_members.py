"""Members of the wrong type, or out of all bounds."""

from __future__ import annotations

import json

import pytest
from hostile.refusals import GOOD_EXPORT, GOOD_SENDER, GOOD_WEBHOOK, each, refused

NOT_TEXT = [None, True, 1, 1.5, [], {}, ["x"]]
NOT_INTEGER = [None, True, 1.5, "1", "", [], {}, [1]]
NOT_FLAG = [None, 0, 1, "true", [], {}]
NOT_LIST = [None, True, 1, "x", {}]
NOT_OBJECT = [None, True, 1, "x", []]

#: (method, path, a good body, the member, what it cannot be)
TYPES = [
    *(("POST", "/v3/senders", GOOD_SENDER, name, NOT_TEXT) for name in ("email", "name")),
    ("POST", "/v3/senders", GOOD_SENDER, "ips", [*NOT_LIST, [1], [None], ["192.0.2.1"], [[]]]),
    *(("PUT", "/v3/senders/1", {}, name, NOT_TEXT) for name in ("email", "name")),
    ("PUT", "/v3/senders/1", {}, "ips", [*NOT_LIST, [1]]),
    ("PUT", "/v3/senders/1/validate", {}, "otp", NOT_INTEGER),
    ("POST", "/v3/senders/domains", {}, "name", NOT_TEXT),
    ("POST", "/v3/webhooks", GOOD_WEBHOOK, "events", [*NOT_LIST, [1], [None], [["x"]], [{}]]),
    *(("POST", "/v3/webhooks", GOOD_WEBHOOK, name, NOT_TEXT) for name in ("url", "type", "channel", "description")),
    ("POST", "/v3/webhooks", {**GOOD_WEBHOOK, "type": "inbound", "events": []}, "domain", NOT_TEXT),
    ("POST", "/v3/webhooks", GOOD_WEBHOOK, "batched", NOT_FLAG),
    ("POST", "/v3/webhooks", GOOD_WEBHOOK, "auth", [*NOT_OBJECT, {"type": 1}, {"token": []}]),
    ("POST", "/v3/webhooks", GOOD_WEBHOOK, "headers", [*NOT_LIST, [1], [{"key": 1}], [{"value": {}}]]),
    *(("PUT", "/v3/webhooks/814200", {}, name, NOT_TEXT) for name in ("url", "description", "domain")),
    ("PUT", "/v3/webhooks/814200", {}, "batched", NOT_FLAG),
    ("PUT", "/v3/webhooks/814200", {}, "events", [*NOT_LIST, [1]]),
    *(("POST", "/v3/webhooks/export", GOOD_EXPORT, name, NOT_TEXT) for name in ("type", "event", "notifyURL", "email")),
    *(("POST", "/v3/webhooks/export", GOOD_EXPORT, name, NOT_INTEGER) for name in ("days", "webhookId")),
    *(("POST", "/v3/webhooks/export", GOOD_EXPORT, name, NOT_TEXT) for name in ("startDate", "endDate", "sort")),
    ("POST", "/v3/webhooks/export", GOOD_EXPORT, "messageId", [None, True, 1.5, [], {}]),
    *(("POST", "/v3/corporate/subAccount", {"companyName": "S", "email": "s@acme.test"}, name, NOT_TEXT)
      for name in ("companyName", "email", "language", "timezone")),
    ("POST", "/v3/corporate/subAccount", {"companyName": "S", "email": "s@acme.test"}, "groupIds", [*NOT_LIST, [1]]),
    *(("PUT", "/v3/corporate/subAccount/2003001/plan", {}, name, NOT_OBJECT) for name in ("credits", "features")),
    *(("PUT", "/v3/corporate/subAccounts/plan", {"subAccountIds": [2003001]}, name, NOT_OBJECT)
      for name in ("credits", "features")),
    ("PUT", "/v3/corporate/subAccounts/plan", {}, "subAccountIds", [*NOT_LIST, ["1"], [1.5], [None], [True], [[]]]),
    ("POST", "/v3/corporate/ssoToken", {}, "email", NOT_TEXT),
    ("POST", "/v3/corporate/subAccount/ssoToken", {}, "id", NOT_INTEGER),
    *(("POST", "/v3/corporate/subAccount/ssoToken", {"id": 2003001}, name, NOT_TEXT)
      for name in ("email", "target", "url")),
    ("POST", "/v3/corporate/subAccount/key", {"name": "CI"}, "id", NOT_INTEGER),
    ("POST", "/v3/corporate/subAccount/key", {"id": 2003001}, "name", NOT_TEXT),
]  # fmt: skip


@each(
    ("method", "path", "good", "member", "wrong"),
    [
        pytest.param(method, path, good, member, wrong, id=f"{method} {path} {member}={json.dumps(wrong)}")
        for method, path, good, member, wrongs in TYPES
        for wrong in wrongs
    ],
)
def test_a_member_of_the_wrong_type_is_refused(untouched, method, path, good, member, wrong):
    answer = untouched.request(method, path, json={**good, member: wrong})
    refused(answer, 400, "invalid_parameter")


@each("kind", ["credits", "features"])
@each("wrong", [None, True, "1", [], {}])
@each("name", ["email", "sms", "users"])
def test_an_amount_of_the_wrong_type_is_refused_where_the_amount_is_known(untouched, kind, name, wrong):
    kinds = {"email": "credits", "sms": "credits", "users": "features"}
    body = {kinds[name]: {name: wrong}, **({kind: {}} if kind != kinds[name] else {})}
    answer = untouched.put("/v3/corporate/subAccount/2003001/plan", json=body)
    refused(answer, 400, "invalid_parameter")


@each("amount", [-2, -(2**63), 2**63 - 1, 1e300, -1e300])
@each("name", ["email", "sms", "whatsapp"])
def test_an_amount_out_of_all_bounds_is_refused(untouched, name, amount):
    answer = untouched.put("/v3/corporate/subAccount/2003001/plan", json={"credits": {name: amount}})
    refused(answer, 400)


@each("text", ["\x00", "new@acme.test\x00", "a\r\nBcc: x@y.test", "@", "a@", "@b", "a@b", "a b@c.test", "a" * 70_000])
def test_an_address_that_is_none_is_refused(untouched, text):
    refused(untouched.post("/v3/senders", json={**GOOD_SENDER, "email": text}), 400, "invalid_parameter")


@each(
    "url",
    ["", "x", "//h", "http://", "https://", "http://[::1", "http://h:99999/", "http://h:x/", "ftp://h/", "file:///etc",
     "javascript:alert(1)", "http://h/ x", "http://h/\x00", "http://h/\r\nx: y",  "http:// "],
)  # fmt: skip
def test_an_url_that_is_none_is_refused(untouched, url):
    refused(untouched.post("/v3/webhooks", json={**GOOD_WEBHOOK, "url": url}), 400, "invalid_parameter")


@each(
    "name",
    ["", "x", ".", "a..b", "-a.test", "a-.test", "a.test.", "a_b.test", "a b.test", "a.test\n", "a\x00.test",
     f"{'a' * 64}.test", ".".join(["abcdefg"] * 40), "http://a.test", "a.test/x", "*.a.test"],
)  # fmt: skip
def test_a_host_name_that_is_none_is_refused(untouched, name):
    refused(untouched.post("/v3/senders/domains", json={"name": name}), 400, "invalid_parameter")


@each(
    "zone",
    ["", ".", "/", "..", "../../etc/passwd", "/etc/passwd", "Europe", "europe/paris\x00", "Mars/Base", "a" * 9999],
)
def test_a_time_zone_that_is_none_is_refused(untouched, zone):
    body = {"companyName": "S", "email": "s@acme.test", "timezone": zone}
    refused(untouched.post("/v3/corporate/subAccount", json=body), 400, "invalid_parameter")
