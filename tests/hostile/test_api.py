"""Bad requests to the service: one table, whose every row is refused in the service's format and changes nothing."""

from __future__ import annotations

import pytest
from hostile.refusals import GOOD_EXPORT, GOOD_SENDER, GOOD_WEBHOOK, KEY, RAW, UUID, refused, sent

SENDERS, DOMAINS, HOOKS, EXPORT = "/v3/senders", "/v3/senders/domains", "/v3/webhooks", "/v3/webhooks/export"
HOOK, SUB, SUBS = "/v3/webhooks/814200", "/v3/corporate/subAccount", "/v3/corporate/subAccounts/plan"
PLAN, TOKEN, SUB_TOKEN, SUB_KEY = f"{SUB}/2003001/plan", "/v3/corporate/ssoToken", f"{SUB}/ssoToken", f"{SUB}/key"
GOOD_SUB = {"companyName": "S", "email": "s@acme.test"}
NOT_TEXT = [None, True, 1, 1.5, [], {}, ["x"]]
NOT_INTEGER = [None, True, 1.5, "1", "", [], {}, [1]]
NOT_FLAG = [None, 0, 1, "true", [], {}]
NOT_LIST = [None, True, 1, "x", {}]
NOT_OBJECT = [None, True, 1, "x", []]
NOT_ADDRESS = ["\x00", "new@acme.test\x00", "a\r\nBcc: x@y.test", "@", "a@", "@b", "a@b", "a b@c.test", "a" * 70_000]
NOT_URL = [
    "", "x", "//h", "http://", "https://", "http://[::1", "http://h:99999/", "http://h:x/", "ftp://h/", "file:///etc",
    "javascript:alert(1)", "http://h/ x", "http://h/\x00", "http://h/\r\nx: y", "http:// ",
]  # fmt: skip
NOT_HOST = [
    "", "x", ".", "a..b", "-a.test", "a-.test", "a.test.", "a_b.test", "a b.test", "a.test\n", "a\x00.test",
    f"{'a' * 64}.test", ".".join(["abcdefg"] * 40), "http://a.test", "a.test/x", "*.a.test",
]  # fmt: skip
NOT_ZONE = [
    "",
    ".",
    "/",
    "..",
    "../../etc/passwd",
    "/etc/passwd",
    "Europe",
    "europe/paris\x00",
    "Mars/Base",
    "a" * 9999,
]

#: (method, path, a valid body, members, invalid values of each)
MEMBERS = [
    ("POST", SENDERS, GOOD_SENDER, ["email", "name"], NOT_TEXT), ("POST", SENDERS, GOOD_SENDER, ["email"], NOT_ADDRESS),
    ("POST", SENDERS, GOOD_SENDER, ["ips"], [*NOT_LIST, [1], [None], ["192.0.2.1"], [[]]]),
    ("PUT", "/v3/senders/1", {}, ["email", "name"], NOT_TEXT), ("PUT", "/v3/senders/1", {}, ["ips"], [*NOT_LIST, [1]]),
    ("PUT", "/v3/senders/1/validate", {}, ["otp"], NOT_INTEGER),
    ("POST", DOMAINS, {}, ["name"], [*NOT_TEXT, *NOT_HOST]),
    ("POST", HOOKS, GOOD_WEBHOOK, ["events"], [*NOT_LIST, [1], [None], [["x"]], [{}]]),
    ("POST", HOOKS, GOOD_WEBHOOK, ["url", "type", "channel", "description"], NOT_TEXT),
    ("POST", HOOKS, GOOD_WEBHOOK, ["url"], NOT_URL), ("POST", HOOKS, GOOD_WEBHOOK, ["batched"], NOT_FLAG),
    ("POST", HOOKS, {**GOOD_WEBHOOK, "type": "inbound", "events": []}, ["domain"], NOT_TEXT),
    ("POST", HOOKS, GOOD_WEBHOOK, ["auth"], [*NOT_OBJECT, {"type": 1}, {"token": []}]),
    ("POST", HOOKS, GOOD_WEBHOOK, ["headers"], [*NOT_LIST, [1], [{"key": 1}], [{"value": {}}]]),
    ("PUT", HOOK, {}, ["url", "description", "domain"], NOT_TEXT), ("PUT", HOOK, {}, ["batched"], NOT_FLAG),
    ("PUT", HOOK, {}, ["events"], [*NOT_LIST, [1]]), ("POST", EXPORT, GOOD_EXPORT, ["days", "webhookId"], NOT_INTEGER),
    ("POST", EXPORT, GOOD_EXPORT, ["type", "event", "notifyURL", "email", "startDate", "endDate", "sort"], NOT_TEXT),
    ("POST", EXPORT, GOOD_EXPORT, ["messageId"], [None, True, 1.5, [], {}]),
    ("POST", SUB, GOOD_SUB, ["companyName", "email", "language", "timezone"], NOT_TEXT),
    ("POST", SUB, GOOD_SUB, ["timezone"], NOT_ZONE), ("POST", SUB, GOOD_SUB, ["groupIds"], [*NOT_LIST, [1]]),
    ("PUT", PLAN, {}, ["credits", "features"], NOT_OBJECT),
    ("PUT", SUBS, {"subAccountIds": [2003001]}, ["credits", "features"], NOT_OBJECT),
    ("PUT", SUBS, {}, ["subAccountIds"], [*NOT_LIST, ["1"], [1.5], [None], [True], [[]]]),
    ("POST", TOKEN, {}, ["email"], NOT_TEXT), ("POST", SUB_TOKEN, {}, ["id"], NOT_INTEGER),
    ("POST", SUB_TOKEN, {"id": 2003001}, ["email", "target", "url"], NOT_TEXT),
    ("POST", SUB_KEY, {"name": "CI"}, ["id"], NOT_INTEGER), ("POST", SUB_KEY, {"id": 2003001}, ["name"], NOT_TEXT),
]  # fmt: skip
NUMBERED = [
    ("PUT", "/v3/senders/{}"), ("DELETE", "/v3/senders/{}"), ("PUT", "/v3/senders/{}/validate"),
    ("GET", "/v3/senders/{}/ips"), ("GET", "/v3/webhooks/{}"), ("PUT", "/v3/webhooks/{}"),
    ("DELETE", "/v3/webhooks/{}"), ("GET", "/v3/corporate/subAccount/{}"), ("DELETE", "/v3/corporate/subAccount/{}"),
    ("PUT", "/v3/corporate/subAccount/{}/plan"), ("GET", "/v3/emailCampaigns/{}/sharedUrl"),
]  # fmt: skip
NOT_NUMBER = [
    "1.0", "1e3", "+1", "0x1", "abc", "%20", "1%20", "%31%00", "%00", "%2e%2e", "%2E", "..%2F..", "1%2fvalidate",
    "1;x=1", "9223372036854775808", "-9223372036854775809", "9" * 5000, "%D9%A1", "¹", "NaN", "null", "true", "1,2",
    "1_000", "%0A1", "1%2Fvalidate", "a%2Fb", "%2f", "%2F..%2F1", "ips%2f",
]  # fmt: skip
SEGMENTS = [
    "%00", "%2e%2e", "..", ".", "%0d%0aset-cookie:a", "%ff%fe", "%F0%9F%98%80", "😀", "a" * 8000, "x;y=1", "%25", "%zz",
    "%", "'%20or%201=1", "<script>", "{}", "*",
]  # fmt: skip
SEGMENTED = [
    ("GET", "/v3/senders/domains/{}", 404), ("DELETE", "/v3/senders/domains/{}", 404),
    ("PUT", "/v3/senders/domains/{}/authenticate", 404), ("DELETE", "/v3/smtp/email/{}", 400),
    ("DELETE", "/v3/contacts/attributes/{}/PLAN", 400), ("DELETE", "/v3/contacts/attributes/normal/{}", 404),
]  # fmt: skip
UNKNOWN = [
    "/v3", "/v3/", "/v3//senders", "//v3/senders", "/v3/senders/", "/v3/senders//", "/v3/senders//validate",
    "/v3/./senders", "/v3/../v3/senders", "/v3/%2e%2e/_mock/state", "/v3/senders;x=1", "/v3/Senders", "/V3/senders",
    "/v3/senders/1/validate/", "/v3/senders%00", "/v2/senders", "/v4/senders", "/v3.1/senders", "/senders",
    "/v30/senders", "/v3senders", "/v3/smtp/emial", "/v3/%", "/v3/" + "a/" * 2000, "/v3/ä", "/v3%2Fsenders",
    "/v3/senders%2f", "/v3%2Fsenders/1", "/v3%2f..%2f_mock/state", "/v3/senders/ips/ips", "/v3/webhooks/export/1",
    "/v3/corporate/subAccount/1/2/3", "/w%2Fdefault/v3/senders", "/w%2Fdefault/_mock/state", "/w/default/v3%2Fsenders",
]  # fmt: skip
WRONG_METHODS = {
    "/v3/senders": ["PUT", "DELETE", "PATCH", "TRACE", "COPY", "PROPFIND", "X-ODD"],
    "/v3/senders/1": ["GET", "POST", "PATCH", "TRACE"], "/v3/senders/1/validate": ["GET", "POST", "DELETE"],
    "/v3/senders/ips": ["POST", "PUT", "DELETE"], "/v3/webhooks/export": ["GET", "PUT", "DELETE"],
    "/v3/corporate/masterAccount": ["POST", "PUT", "DELETE", "PATCH"],
    "/v3/account": ["POST", "PUT", "DELETE", "PATCH", "TRACE"], "/v3/corporate/subAccount/key": ["GET"],
    "/v3/senders/domains": ["PUT"], "/": ["POST"], "/v3/smtp/email": ["TRACE", "PROPFIND", "get", "ÄÖ", "X" * 200],
}  # fmt: skip
NOT_PAGE = ["", "-1", "1.5", "abc", "9" * 30, "0x1", "1e1", "%00", "%D9%A1", "1%20", "NaN", "1,2"]
NOT_DAY = [
    "", "x", "2026", "2026-13-01", "2026-02-30", "2026-1-1", "0000-01-01", "20260101", "2026-01-01T",
    "2026-01-01T00:00:00Z", "2026-01-01T25:00:00.000Z", "2026-01-01T00:00:60.000Z", "2026-01-01 00:00:00.000Z",
    "%D9%A2026-01-01", "9999-99-99",
]  # fmt: skip
EVENTS, ACTIVITIES = "/v3/inbound/events", "/v3/organization/activities"
BODIES = [
    ("POST", SENDERS), ("PUT", "/v3/senders/1"), ("PUT", "/v3/senders/1/validate"), ("POST", DOMAINS), ("POST", HOOKS),
    ("PUT", HOOK), ("POST", EXPORT), ("POST", SUB), ("PUT", PLAN), ("PUT", SUBS), ("POST", TOKEN), ("POST", SUB_TOKEN),
    ("POST", SUB_KEY),
]  # fmt: skip
NOT_OBJECTS = [b"null", b"[]", b'"text"', b"1", b"1.5", b"true", b'[{"name": "Ops"}]']


def json_of(raw, media="application/json"):
    return {"data": raw, "content_type": media}


#: By topic: method, path, body and headers, status, code.
TABLE = {
    "malformed JSON": [(*way, json_of(raw), 400, "bad_request")
        for way in (("POST", SENDERS), ("PUT", PLAN)) for raw in RAW.values()],
    "another media type": [("POST", SENDERS, json_of(raw, "text/csv"), 406, "not_acceptable") for raw in RAW.values()],
    "no object": [(*way, {"data": raw}, 400, "bad_request") for way in BODIES for raw in NOT_OBJECTS],
    "no body": [
        *(("POST", path, {"data": raw}, 400, "missing_parameter") for raw in (b"", b" \n\t ")
          for path in (SENDERS, DOMAINS, HOOKS, EXPORT, SUB, TOKEN, SUB_TOKEN, SUB_KEY)),
        *(("PUT", path, {}, 400, "bad_request") for path in (PLAN, SUBS)),
    ],
    "members": [
        (method, path, {"json": {**good, member: wrong}}, 400, None if wrong == "" else "invalid_parameter")
        for method, path, good, names, wrongs in MEMBERS for member in names for wrong in wrongs
    ],
    "empty texts": [
        *(("POST", path, {"json": {**good, member: ""}}, 400, "missing_parameter") for path, good, members in (
            (SENDERS, GOOD_SENDER, ("name", "email")), (DOMAINS, {}, ("name",)), (HOOKS, GOOD_WEBHOOK, ("url",)),
            (EXPORT, GOOD_EXPORT, ("type", "event", "notifyURL")), (SUB, GOOD_SUB, ("companyName", "email")),
            (TOKEN, {}, ("email",)), (SUB_KEY, {"id": 2003001, "name": "k"}, ("name",)),
            ("/v3/contacts/folders", {}, ("name",)), ("/v3/contacts/lists", {"folderId": 1}, ("name",)),
        ) for member in members),
        ("PUT", HOOK, {"json": {"url": ""}}, 400, "invalid_parameter"),
        ("PUT", "/v3/senders/1", {"json": {"name": ""}}, 400, "invalid_parameter"),
    ],
    "amounts": [
        *(("PUT", PLAN, {"json": {kind: {name: wrong}}}, 400, "invalid_parameter")
          for kind, name in (("credits", "email"), ("credits", "sms"), ("features", "users"))
          for wrong in (None, True, "1", [], {})),
        *(("PUT", PLAN, {"json": {"credits": {name: amount}}}, 400, None)
          for name in ("email", "sms", "whatsapp") for amount in (-2, -(2**63), 2**63 - 1, 1e300, -1e300)),
    ],
    "numbers in paths": [
        (method, path.format(number), {"json": {}} if method == "PUT" else {}, 400, None)
        for method, path in NUMBERED for number in NOT_NUMBER
    ],
    "segments": [(method, path.format(segment), {}, status, None)
        for method, path, status in SEGMENTED for segment in SEGMENTS],
    "unknown paths": [(method, path, {}, 404, "not_found")
        for path in UNKNOWN for method in ("GET", "POST", "PUT", "DELETE")],
    "wrong methods": [(method, path, {"json": {}}, 404, "not_found")
        for path, methods in WRONG_METHODS.items() for method in methods],
    "pages": [
        ("GET", f"{path}{other}&{name}={value}", {}, 400, None)
        for path in (f"{EVENTS}?x=1", f"{ACTIVITIES}?x=1", f"{SUB}?x=1")
        for name, other in (("limit", "&offset=0"), ("offset", "&limit=10")) for value in NOT_PAGE
    ],
    "days": [
        *(("GET", f"{path}?startDate={day}&endDate={day}", {}, 400, "invalid_parameter")
          for path in (EVENTS, ACTIVITIES) for day in NOT_DAY),
        *(("GET", f"{path}?startDate={day}&endDate={day}", {}, 400, None) for path, day in (
            (EVENTS, "9999-12-31"), *((ACTIVITIES, f"{year}-01-01") for year in ("0001", "1970", "9999")))),
    ],
    "numbers of webhooks": [("GET", f"/v3/webhooks/{number}", {}, 400, "invalid_parameter") for number in ("1.5", "x")],
    "choices": [("GET", path, {}, 400, "invalid_parameter")
        for path in (f"{HOOKS}?type=x", f"{HOOKS}?sort=up", f"{EVENTS}?sort=0")],
}  # fmt: skip


@pytest.mark.parametrize("rows", TABLE.values(), ids=TABLE)
def test_bad_requests_are_refused_and_change_nothing(untouched, rows):
    for method, path, options, status, code in rows:
        answer = untouched.request(method, path, **options)
        refused(answer, status, code)
        if code == "not_found":
            assert answer.json["message"] == "Invalid route/method passed"
            assert "X-Mock-Beyond" not in answer.headers


def test_requests_without_a_valid_key_are_unauthorized(untouched, strict_target):
    for headers in (
        {}, {"x-api-key": KEY}, {"Authorization": KEY}, {"Authorization": f"Basic {KEY}"},
        {"Authorization": f"Bearer {KEY}"}, {"Cookie": f"api-key={KEY}"}, {"api-key": ""},
    ):  # fmt: skip
        for method, path in (("GET", SENDERS), ("POST", SENDERS), ("GET", "/v3/nothing"), ("TRACE", "/v3")):
            refused(untouched.client.open(path, method=method, headers=headers, data=b"{"), 401, "unauthorized")
    refused(untouched.client.get(f"/v3/senders?api-key={KEY}"), 401, "unauthorized")
    unknown = ["ключ".encode().decode("latin-1"), "\x7f", "a" * 60_000, "%00", f"{KEY} ", f"{KEY},{KEY}", "' or 1"]
    for key in unknown:
        refused(strict_target.get(SENDERS, key=key), 401, "unauthorized")


def test_any_integer_of_64_bits_is_an_id_that_may_be_unknown(untouched):
    """The answer is the one to another unknown id: 404, but for two operations (contract/corporate#getSubAccount)."""
    for method, path in NUMBERED:
        body = None if method != "PUT" else {"otp": 123456} if path.endswith("validate") else {}
        other = untouched.request(method, path.format(999999), json=body)
        for number in ("0", "-1", "-9223372036854775808", "9223372036854775807"):
            answer = untouched.request(method, path.format(number), json=body)
            refused(answer, other.status_code)
            assert answer.text == other.text.replace("999999", number)


def test_encoded_slashes_are_part_of_their_segment(untouched):
    for path in ("/_mock%2Fstate", "/_mock/scenarios/a%2Fb", "/_mock/scenarios%2Fempty", "/%2F_mock/state"):
        assert untouched.get(path).status_code == 404
    unknown = untouched.get("/w/nowhere/v3/senders")
    assert untouched.get("/w/default/v3/senders").status_code == 200
    for name in ("default%2Fv3/senders", "x%2F../v3/senders", "%2F/v3/senders", "default%2F_mock/state"):
        refused(untouched.get(f"/w/{name}"), unknown.status_code, unknown.json["code"])


def test_encoded_slashes_are_shown_as_they_were_sent(untouched):
    untouched.get("/v3%2Fsenders")

    reason = untouched.get("/_mock/requests").json["items"][0]["reason"]
    assert reason.startswith("unknown route: no operation has the path /v3%2Fsenders;")
    detail = untouched.get("/_mock%2Fhealth").json["detail"]
    assert detail == "unknown path /_mock%2Fhealth; did you mean /_mock/health? GET /_mock lists all calls"


def test_doubled_and_trailing_slashes_are_not_found_and_not_redirected(untouched):
    for path in (
        "/_mock//health", "/_mock//state", "/_mock//receiver/%2F", "/_mock//receiver/%2f%ff", "/_mock/receiver//x",
        "/_mock//machines/sender/%2F", "/_mock//ui/clock", "/_mock/ui//clock", "/_mock/ui//requests/a%2Fb",
        "/_mock//docs/%2F", "/_mock/state/", "/_mock/ui/clock/",
    ):  # fmt: skip
        for method in ("GET", "HEAD", "POST", "DELETE"):
            for workspace in ("", "/w/default"):
                answer = untouched.request(method, workspace + path)
                assert (answer.status_code, answer.headers.get("Location")) == (404, None), sent(answer)


def test_head_is_answered_as_get_without_a_body(untouched):
    for path, status in ((SENDERS, 200), ("/v3/senders/1", 404), ("/v3/nothing", 404)):
        answer = untouched.request("HEAD", path)
        assert (answer.status_code, answer.data) == (status, b"")
        assert UUID.fullmatch(answer.headers["sib-request-id"])


def test_query_parameters_that_are_repeated_never_fail(untouched):
    for path in (f"{EVENTS}?limit=1&limit=x", f"{EVENTS}?limit=x&limit=1", f"{HOOKS}?type=inbound&type=x"):
        assert untouched.get(path).status_code in (200, 400)


def test_unknown_query_parameters_are_ignored(untouched):
    many = "&".join(f"p{n}={n}" for n in range(5000))
    for query in ("a" * 50_000, many, "&&&&", "===", "%", "%zz=%", "%ff=%ff", "\x00", "[]=1&[a]=2"):
        assert untouched.get(f"/v3/senders?{query}").status_code == 200
