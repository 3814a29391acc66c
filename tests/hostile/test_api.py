"""Bad input of the API, in one table: each request is refused with the service's own error, and changes nothing."""

from __future__ import annotations

import pytest
from hostile.refusals import GOOD_EXPORT, GOOD_SENDER, GOOD_WEBHOOK, KEY, RAW, each, refused, short

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

#: Bodies that are JSON, and no objects; and calls that take an object.
NOT_OBJECTS = [b"null", b"[]", b'"text"', b"1", b"1.5", b"true", b'[{"name": "Ops"}]']
REQUIRED = [
    "/v3/senders", "/v3/senders/domains", "/v3/webhooks", "/v3/webhooks/export", "/v3/corporate/subAccount",
    "/v3/corporate/ssoToken", "/v3/corporate/subAccount/ssoToken", "/v3/corporate/subAccount/key",
]  # fmt: skip
PLAN, PLANS = "/v3/corporate/subAccount/2003001/plan", "/v3/corporate/subAccounts/plan"
UPDATES = ["/v3/senders/1", "/v3/senders/1/validate", "/v3/webhooks/814200", PLAN, PLANS]
#: Values of members that have the right type: (path, a good body, the member, the values).
VALUES = [
    ("/v3/senders", GOOD_SENDER, "email",
     ["\x00", "new@acme.test\x00", "a\r\nBcc: x@y.test", "@", "a@", "@b", "a@b", "a b@c.test", "a" * 70_000]),
    ("/v3/webhooks", GOOD_WEBHOOK, "url",
     ["", "x", "//h", "http://", "https://", "http://[::1", "http://h:99999/", "http://h:x/", "ftp://h/", "file:///etc",
      "javascript:alert(1)", "http://h/ x", "http://h/\x00", "http://h/\r\nx: y",  "http:// "]),
    ("/v3/senders/domains", {}, "name",
     ["", "x", ".", "a..b", "-a.test", "a-.test", "a.test.", "a_b.test", "a b.test", "a.test\n", "a\x00.test",
      f"{'a' * 64}.test", ".".join(["abcdefg"] * 40), "http://a.test", "a.test/x", "*.a.test"]),
    ("/v3/corporate/subAccount", {"companyName": "S", "email": "s@acme.test"}, "timezone",
     ["", ".", "/", "..", "../../etc/passwd", "/etc/passwd", "Europe", "europe/paris\x00", "Mars/Base", "a" * 9999]),
]  # fmt: skip
NO_PAGES = ["", "-1", "1.5", "abc", "9" * 30, "0x1", "1e1", "%00", "%D9%A1", "1%20", "NaN", "1,2"]
NO_DAYS = [
    "", "x", "2026", "2026-13-01", "2026-02-30", "2026-1-1", "0000-01-01", "20260101", "2026-01-01T",
    "2026-01-01T00:00:00Z", "2026-01-01T25:00:00.000Z", "2026-01-01T00:00:60.000Z", "2026-01-01 00:00:00.000Z",
    "%D9%A2026-01-01", "9999-99-99",
]  # fmt: skip
EVENTS, ACTIVITIES = "/v3/inbound/events", "/v3/organization/activities"


def bad_bodies():
    """Yield method, path, options of the request, status and code."""
    for method, path, good, member, wrongs in TYPES:
        yield from ((method, path, {"json": {**good, member: wrong}}, 400, "invalid_parameter") for wrong in wrongs)
    for kind, wrong in ((kind, wrong) for kind in ("credits", "features") for wrong in (None, True, "1", [], {})):
        for name, known in (("email", "credits"), ("sms", "credits"), ("users", "features")):
            body = {known: {name: wrong}, **({kind: {}} if kind != known else {})}
            yield "PUT", PLAN, {"json": body}, 400, "invalid_parameter"
    for amount in (-2, -(2**63), 2**63 - 1, 1e300, -1e300):
        for name in ("email", "sms", "whatsapp"):
            yield "PUT", PLAN, {"json": {"credits": {name: amount}}}, 400, None
    for path, good, member, values in VALUES:
        yield from (("POST", path, {"json": {**good, member: value}}, 400, "invalid_parameter") for value in values)
    for raw in RAW.values():
        yield "POST", "/v3/senders", {"data": raw, "headers": {"Content-Type": "application/json"}}, 400, "bad_request"
        yield "PUT", PLAN, {"data": raw, "headers": {"Content-Type": "application/json"}}, 400, "bad_request"
        yield "POST", "/v3/senders", {"data": raw, "headers": {"Content-Type": "text/csv"}}, 415, "bad_request"
    for method, path in [("POST", path) for path in REQUIRED] + [("PUT", path) for path in UPDATES]:
        yield from ((method, path, {"data": raw}, 400, "bad_request") for raw in NOT_OBJECTS)
    for path in REQUIRED:
        yield from (("POST", path, {"data": raw}, 400, "missing_parameter") for raw in (b"", b" \n\t "))
    yield from (("PUT", path, {}, 400, "bad_request") for path in (PLAN, PLANS))


def bad_queries():
    for value in NO_PAGES:
        for name, other in (("limit", "offset=0"), ("offset", "limit=10")):
            yield from (("GET", f"{path}?{name}={value}", {}, 400, None) for path in (EVENTS, ACTIVITIES))
            yield "GET", f"/v3/corporate/subAccount?{other}&{name}={value}", {}, 400, None
    for path in (EVENTS, ACTIVITIES):
        yield from (("GET", f"{path}?startDate={day}&endDate={day}", {}, 400, "invalid_parameter") for day in NO_DAYS)
    for path, day in [(EVENTS, "9999-12-31"), *((ACTIVITIES, f"{year}-01-01") for year in ("0001", "1970", "9999"))]:
        yield "GET", f"{path}?startDate={day}&endDate={day}", {}, 400, None
    for query in ("/v3/webhooks?type=x", "/v3/webhooks?sort=up", f"{EVENTS}?sort=0"):
        yield "GET", query, {}, 400, "invalid_parameter"


@pytest.mark.parametrize(
    ("method", "path", "options", "status", "code"),
    [
        pytest.param(*row, id=f"{number} {row[0]} {short(row[1])} {short(next(iter(row[2].values()), ''))}")
        for number, row in enumerate((*bad_bodies(), *bad_queries()))
    ],
)
def test_bad_request_is_refused(untouched, method, path, options, status, code):
    refused(untouched.request(method, path, **options), status, code)


@each("path", [f"{EVENTS}?limit=1&limit=x", f"{EVENTS}?limit=x&limit=1", "/v3/webhooks?type=inbound&type=x"])
def test_duplicate_query_parameter_never_fails(untouched, path):
    assert untouched.get(path).status_code in (200, 400)


@each(
    "query",
    [
        "a" * 50_000, "&".join(f"p{n}={n}" for n in range(5000)), "&&&&", "===", "%", "%zz=%", "%ff=%ff", "\x00",
        "[]=1&[a]=2",
    ],
)  # fmt: skip
def test_unknown_query_is_ignored(untouched, query):
    assert untouched.get(f"/v3/senders?{query}").status_code == 200


@each(
    "headers",
    [
        {}, {"x-api-key": KEY}, {"Authorization": KEY}, {"Authorization": f"Basic {KEY}"},
        {"Authorization": f"Bearer {KEY}"}, {"Cookie": f"api-key={KEY}"}, {"api-key": ""},
    ],
)  # fmt: skip
@each(
    ("method", "path"),
    [
        ("GET", "/v3/senders"), ("POST", "/v3/senders"), ("GET", "/v3/nothing"), ("TRACE", "/v3"),
        ("GET", f"/v3/senders?api-key={KEY}"),
    ],
)  # fmt: skip
def test_request_without_a_key_is_unauthorized(untouched, method, path, headers):
    refused(untouched.client.open(path, method=method, headers=headers, data=b"{"), 401, "unauthorized")


@each("key", ["ключ".encode().decode("latin-1"), "\x7f", "a" * 60_000, "%00", f"{KEY} ", f"{KEY},{KEY}", "' or 1"])
def test_hostile_key_is_unknown(strict_target, key):
    refused(strict_target.get("/v3/senders", key=key), 401, "unauthorized")
