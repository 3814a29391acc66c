"""Hostile requests: each gets a clear 4xx in the words of whoever is asked, and changes nothing."""

from __future__ import annotations

import http.client
import json
import re
import socket
from functools import cache, partial
from urllib.parse import urlsplit

import pytest

KEY = "xkeysib-acme"
GOOD_SENDER = {"name": "Ops", "email": "new@acme.test"}
GOOD_WEBHOOK = {"url": "https://hook.test/", "events": ["delivered"]}
GOOD_EXPORT = {"type": "transactional", "event": "opened", "notifyURL": "https://hook.test/"}
UUID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}")
TRACES = re.compile(rb"Traceback|File \"|\.py\b|Error\(|werkzeug|flask|marshmallow|<html", re.IGNORECASE)


#: A master account with something of everything, at a standstill.
SCENARIO = {
    "extends": "corporate-v2",
    "clock": {"start": "2026-01-15T09:00:00Z", "frozen": True},
    "accounts": [
        {
            "name": "acme",
            "senders": [
                {"id": 1, "name": "News", "email": "news@acme.test"},
                {"id": 2, "name": "Ops", "email": "ops@acme.test", "state": "awaiting_verification", "otp": 123456},
            ],
            "domains": [{"name": "acme.test", "state": "authenticated"}],
            "webhooks": [{"id": 814200, "url": "https://hook.test/", "events": ["delivered"]}],
            "campaigns": [{"id": 11, "name": "January"}],
            "attributes": {"normal": ["FIRSTNAME"]},
        }
    ],
}


@cache
def application(make_api, **settings):
    """One application for all the tests: none of them changes it, which each of them checks."""
    return make_api(SCENARIO, key=KEY, **settings)


@pytest.fixture
def target(make_api):
    return application(make_api)


@pytest.fixture
def untouched(target):
    """Fails the test if the world is another one afterwards; `resume` counts requests, so it is left out."""
    before = state(target)
    yield target
    assert state(target) == before


def state(api):
    found = api.get("/_mock/state").json
    return {name: value for name, value in found.items() if name != "resume"}


def refused(answer, status, code=None):
    """The service's own refusal."""
    assert answer.status_code == status
    assert answer.content_type == "application/json"
    assert set(answer.json) == {"code", "message"}
    assert isinstance(answer.json["message"], str)
    assert answer.json["message"]
    assert code in (None, answer.json["code"])
    assert answer.data.endswith(b"}\n")
    assert UUID.fullmatch(answer.headers["sib-request-id"])
    assert not TRACES.search(answer.data)


def problem(answer, status, *paths):
    """The control API's refusal, naming these places of the body."""
    assert answer.status_code == status
    assert answer.content_type == "application/problem+json"
    assert answer.json["status"] == status
    assert answer.json["title"]
    assert answer.json["detail"]
    assert sorted(error["path"] for error in answer.json.get("errors", [])) == sorted(paths)
    assert all(error["message"] for error in answer.json.get("errors", []))
    assert not TRACES.search(answer.data)


def short(value):
    """The name of a case: what it sends, cut to a readable length."""
    text = ascii(value)
    return text if len(text) < 40 else f"{text[:30]} and so on, {len(text)}"


each = partial(pytest.mark.parametrize, ids=short)


# ---------------------------------------------------------------------- bodies that are no JSON of ours

RAW = {
    "cut off": b'{"name": "Ops", "email": "new@acme.test"',
    "not JSON at all": b"name=Ops&email=new@acme.test",
    "single quotes": b"{'name': 'Ops'}",
    "a trailing comma": b'{"name": "Ops",}',
    "a comment": b'{"name": "Ops" /* */}',
    "two values": b'{"name": "Ops"} {"name": "Ops"}',
    "a duplicate member": b'{"name": "Ops", "email": "new@acme.test", "name": "Oops"}',
    "a nested duplicate member": b'{"name": "Ops", "email": "new@acme.test", "x": {"a": 1, "a": 1}}',
    "not UTF-8": b'{"name": "\xff\xfe", "email": "new@acme.test"}',
    "UTF-16": '{"name": "Ops"}'.encode("utf-16"),
    "overlong UTF-8": b'{"name": "\xc0\xaf"}',
    "a byte order mark": b'\xef\xbb\xbf{"name": "Ops", "email": "new@acme.test"}',
    "NaN": b'{"name": "Ops", "email": "new@acme.test", "x": NaN}',
    "Infinity": b'{"name": "Ops", "email": "new@acme.test", "x": Infinity}',
    "minus Infinity": b'{"name": "Ops", "email": "new@acme.test", "x": -Infinity}',
    "a number beyond a double": b'{"name": "Ops", "email": "new@acme.test", "x": 1e400}',
    "an integer beyond 64 bits": b'{"name": "Ops", "email": "new@acme.test", "x": 9223372036854775808}',
    "an integer below 64 bits": b'{"name": "Ops", "email": "new@acme.test", "x": -9223372036854775809}',
    "an integer of 5,000 digits": b'{"x": ' + b"9" * 5000 + b"}",
    "101 arrays": b'{"x": ' + b"[" * 101 + b"]" * 101 + b"}",
    "100,000 arrays": b"[" * 100_000,
    "100,000 objects": b'{"a":' * 100_000 + b"1" + b"}" * 100_000,
    "half a surrogate pair": b'{"name": "\\ud83d", "email": "new@acme.test"}',
    "half a surrogate pair in a name": b'{"\\udc00": 1}',
    "a control character in a string": b'{"name": "a\x00b"}',
    "a NUL byte": b"\x00",
    "a leading zero": b'{"x": 01}',
}


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
        ("POST", "/v3/senders"),
        ("PUT", "/v3/senders/1"),
        ("PUT", "/v3/senders/1/validate"),
        ("POST", "/v3/senders/domains"),
        ("POST", "/v3/webhooks"),
        ("PUT", "/v3/webhooks/814200"),
        ("POST", "/v3/webhooks/export"),
        ("POST", "/v3/corporate/subAccount"),
        ("PUT", "/v3/corporate/subAccount/2003001/plan"),
        ("PUT", "/v3/corporate/subAccounts/plan"),
        ("POST", "/v3/corporate/ssoToken"),
        ("POST", "/v3/corporate/subAccount/ssoToken"),
        ("POST", "/v3/corporate/subAccount/key"),
    ],
)
def test_a_body_that_is_no_object_is_refused(untouched, method, path, raw):
    refused(untouched.request(method, path, data=raw), 400, "bad_request")


@pytest.mark.parametrize("raw", [b"", b" \n\t "], ids=["empty", "blanks"])
@each(
    ("path", "code"),
    [
        ("/v3/senders", "missing_parameter"),
        ("/v3/senders/domains", "missing_parameter"),
        ("/v3/webhooks", "missing_parameter"),
        ("/v3/webhooks/export", "missing_parameter"),
        ("/v3/corporate/subAccount", "missing_parameter"),
        ("/v3/corporate/ssoToken", "missing_parameter"),
        ("/v3/corporate/subAccount/ssoToken", "missing_parameter"),
        ("/v3/corporate/subAccount/key", "missing_parameter"),
    ],
)
def test_a_body_without_anything_misses_what_is_required(untouched, path, code, raw):
    refused(untouched.post(path, data=raw), 400, code)


@each("path", ["/v3/corporate/subAccount/2003001/plan", "/v3/corporate/subAccounts/plan"])
def test_a_plan_update_without_a_body_is_refused(untouched, path):
    refused(untouched.put(path), 400, "bad_request")


# ---------------------------------------------------------------------- members of the wrong type

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
    ["", "x", ".", "a..b", "-a.test", "a-.test", "a.test.", "a_b.test", "a b.test", "ä.test", "a.test\n", "a\x00.test",
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


# ---------------------------------------------------------------------- paths

NUMBERS = [
    "0", "-1", "1.0", "1e3", "+1", "0x1", "abc", "%20", "1%20", "%31%00", "%00", "%2e%2e", "%2E", "..%2F..",
    "1;x=1", "9223372036854775808", "-9223372036854775809", "9" * 5000, "%D9%A1", "¹", "NaN", "null", "true",
    "1,2", "1_000", "%0A1",
]  # fmt: skip


@each("number", NUMBERS)
@each(
    ("method", "path"),
    [
        ("PUT", "/v3/senders/{}"),
        ("DELETE", "/v3/senders/{}"),
        ("PUT", "/v3/senders/{}/validate"),
        ("GET", "/v3/senders/{}/ips"),
        ("GET", "/v3/webhooks/{}"),
        ("PUT", "/v3/webhooks/{}"),
        ("DELETE", "/v3/webhooks/{}"),
        ("GET", "/v3/corporate/subAccount/{}"),
        ("DELETE", "/v3/corporate/subAccount/{}"),
        ("PUT", "/v3/corporate/subAccount/{}/plan"),
        ("GET", "/v3/emailCampaigns/{}/sharedUrl"),
    ],
)
def test_a_number_in_a_path_that_is_none_is_refused_and_never_not_found(untouched, method, path, number):
    answer = untouched.request(method, path.format(number), json={} if method == "PUT" else None)
    # An encoded slash makes another path of it.
    refused(answer, 404 if "%2F" in number else 400)


@each(
    "segment",
    ["%00", "%2e%2e", "..", ".", "%0d%0aset-cookie:a", "%ff%fe", "%F0%9F%98%80", "😀", "a" * 8000, "x;y=1", "%25",
     "%zz", "%", "'%20or%201=1", "<script>", "{}", "*"],
)  # fmt: skip
@each(
    ("method", "path", "status"),
    [
        ("GET", "/v3/senders/domains/{}", 404),
        ("DELETE", "/v3/senders/domains/{}", 404),
        ("PUT", "/v3/senders/domains/{}/authenticate", 404),
        ("DELETE", "/v3/smtp/email/{}", 400),
        ("DELETE", "/v3/contacts/attributes/{}/PLAN", 400),
        ("DELETE", "/v3/contacts/attributes/normal/{}", 404),
    ],
)
def test_a_hostile_segment_is_taken_for_what_it_says(untouched, method, path, status, segment):
    refused(untouched.request(method, path.format(segment)), status)


@each(
    "path",
    ["/v3", "/v3/", "/v3//senders", "//v3/senders", "/v3/senders/", "/v3/senders//", "/v3/senders//validate",
     "/v3/./senders", "/v3/../v3/senders", "/v3/%2e%2e/_mock/state", "/v3/senders;x=1", "/v3/Senders",
     "/V3/senders", "/v3/senders/1/validate/", "/v3/senders%00", "/v2/senders", "/v4/senders", "/v3.1/senders",
     "/senders", "/v30/senders", "/v3senders", "/v3/contacts", "/v3/smtp/email", "/v3/%", "/v3/" + "a/" * 2000,
     "/v3/ä", "/favicon.ico", "/v3/senders/ips/ips", "/v3/webhooks/export/1", "/v3/corporate/subAccount/1/2/3"],
)  # fmt: skip
@each("method", ["GET", "POST", "PUT", "DELETE"])
def test_an_unknown_path_is_an_invalid_route(untouched, method, path):
    answer = untouched.request(method, path)
    refused(answer, 404, "not_found")
    assert answer.json["message"] == "Invalid route/method passed"


def test_an_encoded_slash_is_a_slash(untouched):
    """WSGI hands paths over decoded; what such a path leads to looks at the request as ever."""
    refused(untouched.put("/v3/senders/1%2Fvalidate", json={}), 400, "missing_parameter")


@each(
    ("method", "path"),
    [
        *((method, "/v3/senders") for method in ("PUT", "DELETE", "PATCH", "TRACE", "COPY", "PROPFIND", "X-ODD")),
        *((method, "/v3/senders/1") for method in ("GET", "POST", "PATCH", "TRACE")),
        *((method, "/v3/senders/1/validate") for method in ("GET", "POST", "DELETE")),
        *((method, "/v3/senders/ips") for method in ("POST", "PUT", "DELETE")),
        *((method, "/v3/webhooks/export") for method in ("GET", "PUT", "DELETE")),
        *((method, "/v3/corporate/masterAccount") for method in ("POST", "PUT", "DELETE", "PATCH")),
        *((method, "/v3/account") for method in ("POST", "PUT", "DELETE", "PATCH", "TRACE")),
    ],
)
def test_a_wrong_method_is_an_invalid_route(untouched, method, path):
    refused(untouched.request(method, path, json={}), 404, "not_found")


@each(("path", "status"), [("/v3/senders", 200), ("/v3/senders/1", 404), ("/v3/nothing", 404)])
def test_head_is_answered_as_get_without_a_body(untouched, path, status):
    answer = untouched.request("HEAD", path)
    assert (answer.status_code, answer.data) == (status, b"")
    assert UUID.fullmatch(answer.headers["sib-request-id"])


@each("path", ["/v3/senders", "/v3/senders/1", "/v3/nothing", "/v3/%00"])
def test_a_preflight_is_answered_for_any_path(untouched, path):
    answer = untouched.request("OPTIONS", path)
    assert (answer.status_code, answer.data) == (204, b"")
    assert answer.headers["access-control-allow-origin"] == "*"


# ---------------------------------------------------------------------- queries


@each("value", ["", "-1", "1.5", "abc", "9" * 30, "0x1", "1e1", "%00", "%D9%A1", "1%20", "NaN", "1,2"])
@each("name", ["limit", "offset"])
@each(
    "path", ["/v3/inbound/events?{}", "/v3/organization/activities?{}", "/v3/corporate/subAccount?limit=10&offset=0&{}"]
)
def test_a_page_that_is_none_is_refused(untouched, path, name, value):
    path = path.replace(f"{name}=10", "").replace(f"{name}=0", "").format(f"{name}={value}")
    refused(untouched.get(path), 400)


@each(
    "day",
    ["", "x", "2026", "2026-13-01", "2026-02-30", "2026-1-1", "0000-01-01", "20260101", "2026-01-01T",
     "2026-01-01T00:00:00Z", "2026-01-01T25:00:00.000Z", "2026-01-01T00:00:60.000Z", "2026-01-01 00:00:00.000Z",
     "%D9%A2026-01-01", "9999-99-99"],
)  # fmt: skip
@each("path", ["/v3/inbound/events", "/v3/organization/activities"])
def test_a_day_that_is_none_is_refused(untouched, path, day):
    refused(untouched.get(f"{path}?startDate={day}&endDate={day}"), 400, "invalid_parameter")


@each(
    ("path", "day"),
    [
        ("/v3/inbound/events", "9999-12-31"),
        ("/v3/organization/activities", "0001-01-01"),
        ("/v3/organization/activities", "1970-01-01"),
        ("/v3/organization/activities", "9999-12-31"),
    ],
)
def test_a_day_at_the_end_of_time_is_refused(untouched, path, day):
    refused(untouched.get(f"{path}?startDate={day}&endDate={day}"), 400)


@each(
    ("path", "value"),
    [("/v3/webhooks?type={}", "x"), ("/v3/webhooks?sort={}", "up"), ("/v3/inbound/events?sort={}", "0")],
)
def test_a_choice_that_is_none_is_refused(untouched, path, value):
    refused(untouched.get(path.format(value)), 400, "invalid_parameter")


@each(
    "path",
    ["/v3/inbound/events?limit=1&limit=x", "/v3/inbound/events?limit=x&limit=1", "/v3/webhooks?type=inbound&type=x"],
)
def test_a_query_parameter_that_stands_twice_is_taken_once_and_never_fails(untouched, path):
    assert untouched.get(path).status_code in (200, 400)


@each(
    "query",
    [
        "a" * 50_000,
        "&".join(f"p{n}={n}" for n in range(5000)),
        "&&&&",
        "===",
        "%",
        "%zz=%",
        "%ff=%ff",
        "\x00",
        "[]=1&[a]=2",
    ],
)
def test_a_query_that_nobody_understands_is_left_aside(untouched, query):
    assert untouched.get(f"/v3/senders?{query}").status_code == 200


# ---------------------------------------------------------------------- who calls


@each(
    "headers",
    [
        {},
        {"x-api-key": KEY},
        {"Authorization": KEY},
        {"Authorization": f"Basic {KEY}"},
        {"Authorization": f"Bearer {KEY}"},
        {"Cookie": f"api-key={KEY}"},
        {"api-key": ""},
    ],
)
@each(("method", "path"), [("GET", "/v3/senders"), ("POST", "/v3/senders"), ("GET", "/v3/nothing"), ("TRACE", "/v3")])
def test_without_a_key_all_is_unauthorized(untouched, method, path, headers):
    answer = untouched.client.open(path, method=method, headers=headers, data=b"{")
    refused(answer, 401, "unauthorized")


@each("key", ["ключ".encode().decode("latin-1"), "\x7f", "a" * 60_000, "%00", f"{KEY} ", f"{KEY},{KEY}", "' or 1"])
def test_a_hostile_key_is_unknown(make_api, key):
    refused(application(make_api, keys="known").get("/v3/senders", key=key), 401, "unauthorized")


def test_a_key_in_the_query_is_none(untouched):
    refused(untouched.client.get(f"/v3/senders?api-key={KEY}"), 401, "unauthorized")


# ---------------------------------------------------------------------- the control API


@pytest.mark.parametrize("raw", RAW.values(), ids=RAW)
@each(
    ("method", "path"),
    [("POST", "/_mock/reset"), ("PUT", "/_mock/clock"), ("POST", "/_mock/clock/advance"), ("PUT", "/_mock/dns/a.test")],
)
def test_a_call_whose_body_is_not_good_json_is_refused(untouched, method, path, raw):
    problem(untouched.request(method, path, data=raw, content_type="application/json"), 400, "")


@each("raw", [b"null", b"[]", b'"x"', b"1", b"true"])
@each(
    ("method", "path"),
    [("POST", "/_mock/reset"), ("PUT", "/_mock/clock"), ("POST", "/_mock/clock/advance"), ("PUT", "/_mock/dns/a.test")],
)
def test_a_call_whose_body_is_no_object_is_refused(untouched, method, path, raw):
    problem(untouched.request(method, path, data=raw), 400, "")


@each(
    "raw",
    [
        b"a: [",
        b"a: 1\na: 2",
        b"- 1",
        b"!!python/object:os.system {}",
        b"\xff",
        b"a: *b",
        b"{a: &a [*a]}",
        b"\x00",
        b"a: \t- b",
        b"%",
    ],
)
def test_a_yaml_body_that_is_no_good_scenario_is_refused(untouched, raw):
    answer = untouched.post("/_mock/reset", data=raw, content_type="application/yaml")
    assert answer.status_code == 400
    assert answer.content_type == "application/problem+json"
    assert not TRACES.search(answer.data)


@each(
    ("method", "path", "body", "paths"),
    [
        ("POST", "/_mock/reset", {"scenarios": "empty"}, ["/scenarios"]),
        ("POST", "/_mock/reset", {"a/b": 1, "~": 2}, ["/a~1b", "/~0"]),
        ("PUT", "/_mock/clock", {"now": "PT1H", "frosen": True, "speed": 2}, ["/frosen", "/speed"]),
        ("POST", "/_mock/clock/advance", {"by": "PT1S", "until": "x"}, ["/until"]),
        ("PUT", "/_mock/dns/a.test", {"spf_record": "ok"}, ["/spf_record"]),
    ],
)
def test_an_unknown_member_is_a_mistake(untouched, method, path, body, paths):
    problem(untouched.request(method, path, json=body), 400, *paths)


@each(
    ("method", "path", "body", "paths"),
    [
        ("POST", "/_mock/reset", {"scenario": 1}, ["/scenario"]),
        ("POST", "/_mock/reset", {"scenario": ["empty"]}, ["/scenario"]),
        ("PUT", "/_mock/clock", {"now": 1}, ["/now"]),
        ("PUT", "/_mock/clock", {"now": []}, ["/now"]),
        ("PUT", "/_mock/clock", {"frozen": "yes"}, ["/frozen"]),
        ("PUT", "/_mock/clock", {"frozen": 1}, ["/frozen"]),
        ("PUT", "/_mock/clock", {"frozen": None}, ["/frozen"]),
        ("PUT", "/_mock/clock", {"now": "soon", "frozen": 2}, ["/now", "/frozen"]),
        ("PUT", "/_mock/clock", {}, [""]),
        ("POST", "/_mock/clock/advance", {}, [""]),
        ("POST", "/_mock/clock/advance", {"by": 60}, ["/by"]),
        ("POST", "/_mock/clock/advance", {"by": None}, ["/by"]),
        ("POST", "/_mock/clock/advance", {"seconds": "60"}, ["/seconds"]),
        ("POST", "/_mock/clock/advance", {"seconds": True}, ["/seconds"]),
        ("POST", "/_mock/clock/advance", {"seconds": []}, ["/seconds"]),
        ("POST", "/_mock/clock/advance", {"seconds": -1}, ["/seconds"]),
        ("POST", "/_mock/clock/advance", {"seconds": 1e300}, ["/seconds"]),
        ("POST", "/_mock/clock/advance", {"to": "tomorrow"}, ["/to"]),
        ("POST", "/_mock/clock/advance", {"by": "PT1S", "seconds": 1}, [""]),
        ("PUT", "/_mock/dns/a.test", {}, [""]),
        ("PUT", "/_mock/dns/a.test", {"brevo_code": True, "dkim_record": "good"}, ["/brevo_code", "/dkim_record"]),
    ],
)
def test_a_member_of_the_wrong_type_or_none_at_all_is_a_mistake(untouched, method, path, body, paths):
    problem(untouched.request(method, path, json=body), 400, *paths)


@each(
    "by",
    ["", "P", "PT", "15M", "PT15", "-PT1S", "P1Y", "P1M", "P999999999D", "P99999999999999999999D", "PT1E400S",
     "PT1e9S", "PTNaNS", "PT1H1H", "P1DT", "PT0,S", "\u0663", "PT\u0661S", "P" + "9" * 100_000 + "D", "PT1S\n"],
)  # fmt: skip
def test_an_absurd_duration_is_refused(untouched, by):
    answer = untouched.post("/_mock/clock/advance", json={"by": by})
    assert answer.status_code == 400
    assert answer.content_type == "application/problem+json"
    assert not TRACES.search(answer.data)


@each("now", ["1999-01-01T00:00:00Z", "-PT1H", "1970-01-01T00:00:00Z", "9999-12-31T23:59:59Z", "P999999999D"])
def test_the_clock_goes_neither_backwards_nor_out_of_its_years(untouched, now):
    answer = untouched.put("/_mock/clock", json={"now": now})
    assert answer.status_code == 400
    assert answer.content_type == "application/problem+json"


@each(
    ("method", "path"),
    [
        ("GET", "/_mock/machines/nothing"),
        ("GET", "/_mock/machines/nothing/1"),
        ("POST", "/_mock/machines/nothing/1/delete"),
        ("GET", "/_mock/machines/sender/999"),
        ("GET", "/_mock/machines/sender/abc"),
        ("GET", "/_mock/machines/sender/" + "9" * 5000),
        ("POST", "/_mock/machines/sender/999/delete"),
        ("GET", "/_mock/machines/domain/%00"),
        ("GET", "/_mock/mailbox/nothing"),
        ("GET", "/_mock/scenarios/nothing"),
        ("GET", "/_mock/scenarios/..%2F..%2Fpyproject"),
        ("GET", "/_mock/scenarios/%2e%2e"),
        ("GET", "/_mock/docs/%2e%2e%2fstart.js"),
        ("GET", "/_mock/nothing"),
        ("GET", "/_mock/"),
        ("GET", "/_mockingbird"),
        ("POST", "/_mock/state/x"),
    ],
)
def test_what_the_control_api_does_not_have_is_not_found(untouched, method, path):
    problem(untouched.request(method, path), 404)


@each(("method", "path"), [("DELETE", "/_mock/clock"), ("PATCH", "/_mock/state"), ("GET", "/_mock/reset")])
def test_a_wrong_method_of_the_control_api_is_told(untouched, method, path):
    problem(untouched.request(method, path), 405)


@each("event", ["nothing", "create", "%00", "verify_ownership"])
def test_an_event_that_does_not_apply_is_refused_with_those_that_do(untouched, event):
    answer = untouched.post(f"/_mock/machines/sender/1/{event}")
    problem(answer, 409)
    assert answer.json["allowed"] == ["change_email", "delete"]


@each("name", ["nothing", "", "Default", "../default", "a" * 10_000])
@each("path", ["/_mock/state", "/_mock/clock", "/_mock/mailbox"])
def test_an_unknown_workspace_is_not_found(untouched, path, name):
    problem(untouched.get(path, headers={"X-Mock-Workspace": name}), 404)


def test_the_workspace_of_an_unknown_key_is_not_found_where_keys_must_be_known(make_api):
    api = application(make_api, keys="known")
    problem(api.client.get("/_mock/state", headers={"api-key": "nobody"}), 404)


@each(
    "query",
    ["limit=0", "limit=x", "limit=99999999999999999999", "wait=-1", "wait=31", "wait=nan", "wait=inf", "wait=x", "x=1"],
)
def test_a_mailbox_query_that_is_none_is_refused(untouched, query):
    problem(untouched.get(f"/_mock/mailbox?{query}"), 400, f"/{query.partition('=')[0]}")


@each("name", ["x", "a_b.test", "%00", "a..test", "%2e%2e", "a" * 5000])
def test_dns_of_what_is_no_host_name_is_refused(untouched, name):
    problem(untouched.put(f"/_mock/dns/{name}", json={"brevo_code": "ok"}), 400)


BAD_SCENARIO = {
    "descripton": "a slip",
    "clock": {"start": "yesterday", "frozen": "no"},
    "seed": "x",
    "behaviour": {"otp_lifetime": "P1Y", "bulk_plan": "later", "dkim": "dns"},
    "accounts": [
        {"role": "king", "senders": [{"name": 1, "email": "x"}, {"nam": "x"}]},
        {"name": "b", "domains": [{"name": "x", "state": "good"}], "campaigns": [{"kind": "fax"}]},
    ],
}


def test_a_bad_scenario_is_refused_with_all_its_mistakes_and_changes_nothing(untouched):
    answer = untouched.post("/_mock/reset", json={"scenario": BAD_SCENARIO})
    problem(
        answer, 400, "/descripton", "/clock/start", "/clock/frozen", "/seed", "/behaviour/otp_lifetime",
        "/behaviour/bulk_plan", "/behaviour/dkim", "/accounts/0/name", "/accounts/0/role", "/accounts/0/senders/0/name",
        "/accounts/0/senders/0/email", "/accounts/0/senders/1/nam", "/accounts/0/senders/1/name",
        "/accounts/0/senders/1/email", "/accounts/1/domains/0/name", "/accounts/1/domains/0/state",
        "/accounts/1/campaigns/0/kind", "/accounts/1/campaigns/0/name",
    )  # fmt: skip
    messages = {error["path"]: error["message"] for error in answer.json["errors"]}
    assert "description" in messages["/descripton"]


@each(
    "scenario",
    [
        "nothing",
        "",
        "../pyproject",
        "/etc/passwd",
        "a" * 5000,
        "\x00",
        {"extends": "nothing"},
        {"extends": 1},
        {"accounts": "x"},
        {"accounts": [1]},
        {"accounts": [{"name": "a"}, {"name": "a"}]},
        {"accounts": [{"name": "a", "role": "sub_account", "of": "nobody"}]},
        {"accounts": [{"name": "a", "senders": [{"name": "x", "email": "a@b.de"}, {"name": "y", "email": "A@b.de"}]}]},
        {"accounts": [{"name": "a", "generate": {"senders": -1}}]},
        {"accounts": [{"name": "a", "generate": {"senders": 10**12}}]},
        {"accounts": [{"name": "a", "api_keys": ["with blank"]}]},
        {"clock": {"start": "9999-12-31T00:00:00Z"}},
        {"clock": 1},
        {"behaviour": []},
        {"faults": [{"fault": "x"}]},
        {"resume": {"ids": {"sender": "x"}}},
    ],
)  # fmt: skip
def test_a_scenario_that_is_none_is_refused(untouched, scenario):
    answer = untouched.post("/_mock/reset", json={"scenario": scenario})
    assert answer.status_code == 400
    assert answer.content_type == "application/problem+json"
    assert answer.json["errors"]
    assert not TRACES.search(answer.data)


# ---------------------------------------------------------------------- over a real socket


@pytest.fixture(scope="module")
def root(module_serve):
    return module_serve(SCENARIO)


@pytest.fixture
def connection(root):
    found = http.client.HTTPConnection(urlsplit(root).netloc, timeout=20)
    yield found
    found.close()


def read_refusal(connection, status, code):
    answer = connection.getresponse()
    body = json.loads(answer.read())
    assert (answer.status, body["code"]) == (status, code)
    assert body["message"]
    assert UUID.fullmatch(answer.headers["sib-request-id"])


def test_a_body_over_the_limit_is_read_and_refused(connection):
    connection.request("POST", "/v3/senders", body=b" " * 11_000_000, headers={"api-key": KEY})
    read_refusal(connection, 413, "bad_request")


def test_a_chunked_body_over_the_limit_is_read_and_refused(connection):
    chunks = (b" " * 100_000 for _ in range(110))
    connection.request("POST", "/v3/senders", body=chunks, headers={"api-key": KEY}, encode_chunked=True)
    read_refusal(connection, 413, "bad_request")


def test_a_body_over_the_limit_for_the_control_api_is_a_problem(connection):
    connection.request("POST", "/_mock/reset", body=b" " * 11_000_000)
    answer = connection.getresponse()
    assert (answer.status, answer.headers["Content-Type"]) == (413, "application/problem+json")
    assert json.loads(answer.read())["status"] == 413


def test_the_connection_serves_on_after_a_body_over_the_limit(connection):
    connection.request("POST", "/v3/senders", body=b" " * 11_000_000, headers={"api-key": KEY})
    read_refusal(connection, 413, "bad_request")
    connection.request("GET", "/v3/senders", headers={"api-key": KEY})
    assert connection.getresponse().status == 200


def test_a_body_just_at_the_limit_is_read(connection):
    body = json.dumps({**GOOD_SENDER, "email": "no address"}).encode()
    connection.request("POST", "/v3/senders", body=body.ljust(10 * 1024 * 1024), headers={"api-key": KEY})
    read_refusal(connection, 400, "invalid_parameter")


def raw(line, *headers, body=b""):
    return b"\r\n".join([line, b"host: x", b"api-key: k", *headers, b"", body])


NOTHING = b"GET /v3/nothing HTTP/1.1"
POST = b"POST /v3/senders HTTP/1.1"
CHUNKED = b"transfer-encoding: chunked"
RAW_REQUESTS = {
    "a header of 60 KB": (raw(NOTHING, b"x-long: " + b"a" * 61_440), 404),
    "a key of 60 KB": (raw(NOTHING, b"api-key: " + b"a" * 61_440), 404),
    "1,000 headers": (raw(NOTHING, *(b"x-%d: 1" % number for number in range(1000))), 404),
    "two api-key headers": (raw(NOTHING, b"api-key: b"), 404),
    "an empty api-key": (NOTHING + b"\r\nhost: x\r\napi-key:\r\n\r\n", 401),
    "an api-key of other letters": (raw(NOTHING, b"api-key: \xd0\xba\xff"), 404),
    "no host": (NOTHING + b"\r\napi-key: k\r\n\r\n", 404),
    "a hostile host": (raw(NOTHING, b"host: a b/../c"), 404),
    "a raw byte in the path": (raw(b"GET /v3/senders/\xff HTTP/1.1"), 400),
    "an unknown method": (raw(b"BREW /v3/senders HTTP/1.1"), 400),
    "an absolute address": (raw(b"GET http://elsewhere.test/v3/nothing HTTP/1.1"), 404),
    "no HTTP": (b"\x16\x03\x01\x02\x00\x01\x00\r\n\r\n", 400),
    "an odd version": (raw(b"GET /v3/nothing HTTP/9.9"), 400),
    "a negative length": (raw(POST, b"content-length: -1"), 400),
    "a length of letters": (raw(POST, b"content-length: x"), 400),
    "length and chunks": (raw(POST, b"content-length: 2", CHUNKED, body=b"0\r\n\r\n"), 400),
    "a bad chunk": (raw(POST, CHUNKED, body=b"zz\r\n\r\n"), 400),
}


@pytest.mark.parametrize(("request_bytes", "status"), RAW_REQUESTS.values(), ids=RAW_REQUESTS)
def test_a_raw_request_is_answered_and_the_server_serves_on(root, connection, request_bytes, status):
    address = urlsplit(root)
    with socket.create_connection((address.hostname, address.port), timeout=10) as peer:
        peer.sendall(request_bytes)
        line = peer.makefile("rb").readline()
    assert int(line.split()[1]) == status
    connection.request("GET", "/_mock/health")
    assert connection.getresponse().status == 200


@each(
    "path",
    ["/v3/senders/%2e%2e", "/v3/senders/../senders/x", "/v3/senders/%00", "/v3/senders/%ff", "/v3/senders/%E2%82%AC"],
)
def test_paths_arrive_over_the_socket_as_they_were_sent(connection, path):
    connection.putrequest("PUT", path, skip_accept_encoding=True)
    connection.putheader("api-key", KEY)
    connection.endheaders()
    answer = connection.getresponse()
    body = json.loads(answer.read())
    assert (answer.status, body["code"]) in ((400, "invalid_parameter"), (404, "not_found"))
