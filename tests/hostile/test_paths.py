"""Paths that lead nowhere, or that are meant to lead elsewhere."""

from __future__ import annotations

from hostile.refusals import UUID, each, refused

NUMBERS = [
    "1.0", "1e3", "+1", "0x1", "abc", "%20", "1%20", "%31%00", "%00", "%2e%2e", "%2E", "..%2F..", "1%2fvalidate",
    "1;x=1", "9223372036854775808", "-9223372036854775809", "9" * 5000, "%D9%A1", "¹", "NaN", "null", "true",
    "1,2", "1_000", "%0A1",
]  # fmt: skip


@each("number", NUMBERS)
@each(
    ("method", "path"),
    [
        ("PUT", "/v3/senders/{}"), ("DELETE", "/v3/senders/{}"), ("PUT", "/v3/senders/{}/validate"),
        ("GET", "/v3/senders/{}/ips"), ("GET", "/v3/webhooks/{}"), ("PUT", "/v3/webhooks/{}"),
        ("DELETE", "/v3/webhooks/{}"), ("GET", "/v3/corporate/subAccount/{}"),
        ("DELETE", "/v3/corporate/subAccount/{}"), ("PUT", "/v3/corporate/subAccount/{}/plan"),
        ("GET", "/v3/emailCampaigns/{}/sharedUrl"),
    ],
)  # fmt: skip
def test_a_number_in_a_path_that_is_none_is_refused_and_never_not_found(untouched, method, path, number):
    refused(untouched.request(method, path.format(number), json={} if method == "PUT" else None), 400)


@each("number", ["0", "-1", "-9223372036854775808", "9223372036854775807"])
@each(
    ("method", "path", "body"),
    [
        ("PUT", "/v3/senders/{}", {}), ("DELETE", "/v3/senders/{}", None),
        ("PUT", "/v3/senders/{}/validate", {"otp": 123456}), ("GET", "/v3/senders/{}/ips", None),
        ("GET", "/v3/webhooks/{}", None), ("PUT", "/v3/webhooks/{}", {}), ("DELETE", "/v3/webhooks/{}", None),
        ("GET", "/v3/corporate/subAccount/{}", None), ("DELETE", "/v3/corporate/subAccount/{}", None),
        ("PUT", "/v3/corporate/subAccount/{}/plan", {}), ("GET", "/v3/emailCampaigns/{}/sharedUrl", None),
    ],
)  # fmt: skip
def test_any_number_of_64_bits_is_an_id_that_may_be_unknown(untouched, method, path, body, number):
    """The answer is that to another unknown id; that is 404 but for two operations on sub-accounts
    (contract/corporate#getSubAccount).
    """
    answer, other = (untouched.request(method, path.format(name), json=body) for name in (number, "999999"))

    refused(answer, other.status_code)
    assert answer.text == other.text.replace("999999", number)


@each(
    "segment",
    ["%00", "%2e%2e", "..", ".", "%0d%0aset-cookie:a", "%ff%fe", "%F0%9F%98%80", "😀", "a" * 8000, "x;y=1", "%25",
     "%zz", "%", "'%20or%201=1", "<script>", "{}", "*"],
)  # fmt: skip
@each(
    ("method", "path", "status"),
    [
        ("GET", "/v3/senders/domains/{}", 404), ("DELETE", "/v3/senders/domains/{}", 404),
        ("PUT", "/v3/senders/domains/{}/authenticate", 404), ("DELETE", "/v3/smtp/email/{}", 400),
        ("DELETE", "/v3/contacts/attributes/{}/PLAN", 400), ("DELETE", "/v3/contacts/attributes/normal/{}", 404),
    ],
)  # fmt: skip
def test_a_hostile_segment_is_taken_for_what_it_says(untouched, method, path, status, segment):
    refused(untouched.request(method, path.format(segment)), status)


@each(
    "path",
    ["/v3", "/v3/", "/v3//senders", "//v3/senders", "/v3/senders/", "/v3/senders//", "/v3/senders//validate",
     "/v3/./senders", "/v3/../v3/senders", "/v3/%2e%2e/_mock/state", "/v3/senders;x=1", "/v3/Senders",
     "/V3/senders", "/v3/senders/1/validate/", "/v3/senders%00", "/v2/senders", "/v4/senders", "/v3.1/senders",
     "/senders", "/v30/senders", "/v3senders", "/v3/smtp/emial", "/v3/%", "/v3/" + "a/" * 2000,
     "/v3/ä", "/v3%2Fsenders", "/v3/senders%2f", "/v3%2Fsenders/1", "/v3%2f..%2f_mock/state",
     "/v3/senders/ips/ips", "/v3/webhooks/export/1", "/v3/corporate/subAccount/1/2/3"],
)  # fmt: skip
@each("method", ["GET", "POST", "PUT", "DELETE"])
def test_an_unknown_path_is_an_invalid_route(untouched, method, path):
    answer = untouched.request(method, path)
    refused(answer, 404, "not_found")
    assert answer.json["message"] == "Invalid route/method passed"


@each("number", ["1%2Fvalidate", "a%2Fb", "%2f", "%2F..%2F1", "ips%2f"])
def test_an_encoded_slash_is_part_of_its_segment(untouched, number):
    refused(untouched.get(f"/v3/senders/{number}/ips?x=%2F"), 400)
    refused(untouched.put(f"/v3/senders/{number}", json={}), 400)


@each("path", ["/_mock%2Fstate", "/_mock/scenarios/a%2Fb", "/_mock/scenarios%2Fempty", "/%2F_mock/state"])
def test_an_encoded_slash_leads_nowhere_in_the_control_api(untouched, path):
    assert untouched.get(path).status_code == 404


@each("method", ["GET", "HEAD", "POST", "DELETE"])
@each("workspace", ["", "/w/default"])
@each(
    "path",
    ["/_mock//health", "/_mock//state", "/_mock//receiver/%2F", "/_mock//receiver/%2f%ff", "/_mock/receiver//x",
     "/_mock//machines/sender/%2F", "/_mock//ui/clock", "/_mock/ui//clock", "/_mock/ui//requests/a%2Fb",
     "/_mock//docs/%2F", "/_mock/state/", "/_mock/ui/clock/"],
)  # fmt: skip
def test_a_doubled_or_trailing_slash_is_not_found_and_redirects_nowhere(untouched, method, workspace, path):
    answer = untouched.request(method, workspace + path)

    assert (answer.status_code, answer.headers.get("Location")) == (404, None)


def test_the_reason_shows_an_encoded_slash(untouched):
    untouched.get("/v3%2Fsenders")

    reason = untouched.get("/_mock/requests").json["items"][0]["reason"]
    assert reason.startswith("unknown route: no operation has the path /v3%2Fsenders;")


def test_an_encoded_slash_of_the_control_api_is_told_as_it_was_sent(untouched):
    told = untouched.get("/_mock%2Fhealth").json["detail"]

    assert told == "unknown path /_mock%2Fhealth; did you mean /_mock/health? GET /_mock lists all calls"


@each("path", ["/w/default%2Fv3/senders", "/w/x%2F../v3/senders", "/w/%2F/v3/senders", "/w/default%2F_mock/state"])
def test_an_encoded_slash_is_part_of_the_name_of_a_workspace(untouched, path):
    unknown = untouched.get("/w/nowhere/v3/senders")

    assert untouched.get("/w/default/v3/senders").status_code == 200
    refused(untouched.get(path), unknown.status_code, unknown.json["code"])


@each("path", ["/w%2Fdefault/v3/senders", "/w%2Fdefault/_mock/state", "/w/default/v3%2Fsenders"])
def test_an_encoded_slash_leads_into_no_workspace(untouched, path):
    refused(untouched.get(path), 404, "not_found")


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
