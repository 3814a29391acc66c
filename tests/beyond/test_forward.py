"""A call that the mock has no answer for goes to a peer, and what the peer says comes back."""

import threading

import pytest
import requests
from tables import tables

from mockserver import Settings, create_app

#: The parametrized cases by test.
CASES = tables(__file__)

CONTACTS = b'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 15\r\n\r\n{"contacts":[]}'
PATH = "/v3/companies"


def answer_of(body=b"{}", status="200 OK", headers=""):
    head = f"HTTP/1.1 {status}\r\n{headers}Content-Length: {len(body)}\r\n\r\n"
    return head.encode("latin-1") + body


def last_entry(api):
    return api.get("/_mock/requests?limit=1").json["items"][0]


def reason_of(api):
    return last_entry(api)["reason"]


def test_the_answer_of_the_peer_comes_back(listen, make_forwarding):
    peer = listen(CONTACTS)
    api = make_forwarding(peer.url(""))

    answer = api.get(f"{PATH}?limit=2")

    assert peer.head[0] == "GET /v3/companies?limit=2 HTTP/1.1"
    assert (answer.status_code, answer.json) == (200, {"contacts": []})
    assert answer.headers["Content-Type"] == "application/json"
    assert answer.headers["access-control-allow-origin"] == "*"
    assert answer.headers["X-Mock-Beyond"] == "getCompanies"
    assert answer.headers["X-Mock-Answered"] == "forwarded"
    assert answer.headers["Content-Security-Policy"] == "sandbox"
    assert last_entry(api)["answer"]["body"] == {"contacts": []}


@pytest.mark.parametrize(("path", "sent"), CASES["an_address_leaves_as_it_was"])
def test_an_address_leaves_as_it_was_meant(listen, serve_forwarding, path, sent):
    peer = listen(CONTACTS)
    root = serve_forwarding(peer.url(""))

    assert requests.get(root + path, headers={"api-key": "any"}, timeout=10).status_code == 200
    assert peer.head[0] == f"GET {sent} HTTP/1.1"
    assert peer.headers("X-Evil") == []


@pytest.mark.parametrize(
    "path",
    [
        "/v3/../_mock/reset", "/v3/%2e%2e/_mock/reset", "/v3/a/..", "/v3/./contacts", "/v3/a%2F..%2F..%2F_mock",
        "/v3/..%5C_mock", "/v3/..;/_mock/reset", "/v3/%2e%2e;a=b/_mock",
    ],
)  # fmt: skip
def test_no_address_leads_out_of_the_api(listen, make_forwarding, path):
    peer = listen(CONTACTS)
    api = make_forwarding(peer.url(""))

    answer = api.client.open(path, headers={"api-key": "any"}, environ_overrides={"REQUEST_URI": path})

    assert answer.status_code == 404
    assert "segments `.` or `..`" in reason_of(api)
    assert peer.calls == []


KEPT_HERE = {
    "Authorization": "Bearer secret", "Proxy-Authorization": "Basic secret", "Cookie": "session=secret",
    "Partner-Key": "secret", "X-Mock-Workspace": "default", "X-Mock-Anything": "1", "X-Forwarded-For": "203.0.113.9",
    "Forwarded": "for=203.0.113.9", "X-Real-IP": "203.0.113.9", "Origin": "http://127.0.0.1:3000",
    "Referer": "http://127.0.0.1:3000/page", "Keep-Alive": "timeout=5", "TE": "trailers", "Proxy-Connection": "close",
    "Sec-Fetch-Site": "cross-site", "X-Of-This-Hop": "1", "X-Copy": "key=xkeysib-acme-0123456789",
}  # fmt: skip


def test_credentials_and_connection_headers_of_the_client_are_not_forwarded(listen, make_forwarding):
    peer = listen(CONTACTS)
    api = make_forwarding(peer.url(""), key="xkeysib-acme-0123456789")

    assert api.get(PATH, headers={**KEPT_HERE, "Connection": "close, X-Of-This-Hop"}).status_code == 200

    assert [name for name in KEPT_HERE if peer.headers(name)] == []
    assert peer.headers("api-key") == ["any"]
    assert peer.headers("connection") == ["close"]
    assert peer.headers("host") == [peer.address]
    assert b"secret" not in peer.calls[0]
    assert b"xkeysib" not in peer.calls[0]


def test_other_request_headers_are_forwarded(listen, make_forwarding):
    peer = listen(CONTACTS)
    given = {"Accept": "text/csv", "User-Agent": "suite/1", "Idempotency-Key": "7", "Accept-Language": "fr"}

    make_forwarding(peer.url("")).get(PATH, headers=given)

    assert {name: peer.headers(name) for name in given} == {name: [value] for name, value in given.items()}


@pytest.mark.parametrize("method", ["POST", "PUT", "PATCH", "DELETE"])
def test_write_is_not_forwarded_without_the_setting(listen, make_forwarding, method):
    peer = listen(CONTACTS)
    api = make_forwarding(peer.url(""))

    assert api.request(method, PATH, json={}).status_code == 404
    told = f"{method} /v3/companies is not forwarded: it may change data, and the server was started without"
    assert reason_of(api) == f"{told} --forward-writes"
    assert peer.calls == []


@pytest.mark.parametrize("method", ["POST", "PUT", "PATCH", "DELETE"])
def test_a_write_leaves_with_its_body_if_that_is_wanted(listen, make_forwarding, method):
    peer = listen(answer_of(status="201 Created"))
    api = make_forwarding(peer.url(""), forward_writes=True)

    assert api.request(method, PATH, json={"email": "ada@acme.test"}).status_code == 201
    assert peer.head[0] == f"{method} /v3/companies HTTP/1.1"
    assert peer.headers("content-type") == ["application/json"]
    assert peer.body == b'{"email": "ada@acme.test"}'


@pytest.mark.parametrize("method", ["TRACE", "CONNECT", "PROPFIND"])
def test_unsupported_method_is_never_forwarded_even_with_writes_enabled(listen, make_forwarding, method):
    peer = listen(CONTACTS)
    api = make_forwarding(peer.url(""), forward_writes=True)

    assert api.request(method, PATH).status_code == 404
    assert reason_of(api) == f"{method} /v3/companies is not forwarded: only GET, HEAD, POST, PUT, PATCH, DELETE are"
    assert peer.calls == []


def test_of_a_body_over_the_limit_nothing_leaves(listen, make_forwarding):
    peer = listen(CONTACTS)
    api = make_forwarding(peer.url(""), forward_writes=True, body_limit=100)

    assert api.post(PATH, data=b"x" * 101).status_code == 413
    assert peer.calls == []


def test_the_head_of_an_answer_tells_the_length_of_the_body(listen, serve_forwarding):
    peer = listen(CONTACTS)
    answer = requests.head(serve_forwarding(peer.url("")) + PATH, headers={"api-key": "any"}, timeout=10)

    assert (answer.status_code, answer.headers["Content-Length"], answer.content) == (200, "15", b"")


def test_a_scenario_may_say_that_calls_are_forwarded(listen, make_api):
    scenario = {"extends": "standard", "behaviour": {"beyond": "forward"}}
    api = make_api(scenario, forward_to=listen(CONTACTS).url(""))
    assert api.get(PATH).json == {"contacts": []}


def test_a_scenario_may_say_that_calls_are_not_forwarded(listen, make_forwarding):
    peer = listen(CONTACTS)
    assert make_forwarding(peer.url(""), {"behaviour": {"beyond": "refuse"}}).get(PATH).status_code == 404
    assert peer.calls == []


def test_stub_answers_before_a_call_is_forwarded(listen, make_forwarding):
    peer = listen(CONTACTS)
    stub = {"method": "GET", "path": PATH, "answer": {"json": {"contacts": ["here"]}}}

    assert make_forwarding(peer.url(""), {"stubs": [stub]}).get(PATH).json == {"contacts": ["here"]}
    assert peer.calls == []


def test_forwarding_to_nowhere_keeps_the_server_from_starting():
    with pytest.raises(ValueError, match="--beyond forward needs --forward-to"):
        create_app(Settings(beyond="forward"))


def test_without_a_peer_the_reason_says_so(make_api):
    api = make_api({"behaviour": {"beyond": "forward"}})

    assert api.get(PATH).status_code == 404
    told = "the server was started without --forward-to"
    assert reason_of(api) == f"GET /v3/companies is not forwarded: {told}"


@pytest.mark.parametrize(
    ("method", "path", "status"), [("OPTIONS", PATH, 204), ("GET", "/v3/senders", 200), ("GET", "/elsewhere", 404)]
)
def test_preflights_and_modelled_operations_are_not_forwarded(listen, make_forwarding, method, path, status):
    peer = listen(CONTACTS)

    assert make_forwarding(peer.url("")).request(method, path).status_code == status
    assert peer.calls == []


def test_a_stranger_lets_nobody_be_called(listen, make_forwarding):
    peer = listen(CONTACTS)

    assert make_forwarding(peer.url(""), keys="known").get(PATH).status_code == 401
    assert peer.calls == []


def test_a_call_over_the_rate_limit_stays_here(listen, make_forwarding):
    peer = listen(CONTACTS)
    limited = {"rate_limit": {"enforce": True}}
    api = make_forwarding(peer.url(""), {"extends": "standard", "behaviour": limited})

    left = int(api.get(PATH).headers["x-sib-ratelimit-remaining"])
    while left:
        left = int(api.get(PATH).headers["x-sib-ratelimit-remaining"])
    calls = len(peer.calls)

    assert api.get(PATH).status_code == 429
    assert len(peer.calls) == calls


@pytest.mark.parametrize(
    ("status", "code"), [("201 Created", 201), ("304 Not Modified", 304), ("404 Not Found", 404), ("429 Slow", 429),
                         ("500 Oops", 500), ("503 Down", 503)],
)  # fmt: skip
def test_a_status_comes_back(listen, make_forwarding, status, code):
    api = make_forwarding(listen(answer_of(status=status)).url(""))

    assert api.get(PATH).status_code == code
    assert reason_of(api) == (f"forwarded: the peer answered {code}" if code >= 400 else None)


NOT_HANDED_BACK = (
    "Set-Cookie: a=b\r\nX-Mock-Workspace: w\r\nConnection: X-Of-This-Hop\r\nX-Of-This-Hop: 1\r\nServer: peer\r\n"
    "Location: http://elsewhere.test/\r\nAlt-Svc: h3\r\nStrict-Transport-Security: max-age=9\r\napi-key: k\r\n"
    "Access-Control-Allow-Origin: http://elsewhere.test\r\nx-sib-ratelimit-limit: 9999\r\nsib-request-id: theirs\r\n"
    "CF-Ray: 1\r\nWWW-Authenticate: Basic\r\n"
)


def test_connection_cookie_and_server_headers_of_the_peer_are_dropped(listen, make_forwarding):
    api = make_forwarding(listen(answer_of(headers=NOT_HANDED_BACK)).url(""))

    answer = api.get(PATH)

    names = {line.partition(":")[0].lower() for line in NOT_HANDED_BACK.split("\r\n") if line}
    ours = {"access-control-allow-origin", "x-sib-ratelimit-limit", "sib-request-id"}
    assert {name for name in names if name in answer.headers} == ours
    assert answer.headers["access-control-allow-origin"] == "*"
    assert answer.headers["x-sib-ratelimit-limit"] != "9999"
    assert answer.headers["sib-request-id"] == last_entry(api)["id"]


def test_other_headers_come_back(listen, make_forwarding):
    own = 'Content-Type: text/csv; charset=utf-8\r\nRetry-After: 7\r\nETag: "x"\r\nX-Twice: 1\r\nX-Twice: 2\r\n'
    answer = make_forwarding(listen(answer_of(b"a,b", headers=own)).url("")).get(PATH)

    assert answer.data == b"a,b"
    assert answer.headers.getlist("Content-Type") == ["text/csv; charset=utf-8"]
    assert (answer.headers["Retry-After"], answer.headers["ETag"]) == ("7", '"x"')
    assert answer.headers.getlist("X-Twice") == ["1", "2"]


def test_a_header_that_cannot_be_sent_is_left_out(listen, make_forwarding):
    own = "X-Folded: a\r\n b\r\nX-Control: a\x01b\r\nX-Good: 1\r\n"
    answer = make_forwarding(listen(answer_of(headers=own)).url("")).get(PATH)

    assert answer.status_code == 200
    assert "X-Control" not in answer.headers
    assert "\n" not in answer.headers.get("X-Folded", "")
    assert answer.headers["X-Good"] == "1"


def test_a_body_of_no_known_kind_is_bytes(listen, make_forwarding):
    answer = make_forwarding(listen(answer_of(b"\x00\xff")).url("")).get(PATH)
    assert (answer.data, answer.headers["Content-Type"]) == (b"\x00\xff", "application/octet-stream")


@pytest.mark.parametrize(
    ("behave", "told"),
    [
        (b"", "Remote end closed connection without response"),
        (b"no HTTP\r\n", "the answer is not HTTP"),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf", "Connection broken"),
        (answer_of(b"x" * 2_000), "the answer has more than 1,000 bytes"),
        (answer_of(headers="".join(f"X-{n}: {'y' * 1_000}\r\n" for n in range(70))), "more than 65,536 bytes"),
        (answer_of(status="302 Found", headers="Location: http://127.0.0.1:9/\r\n"), "redirects are not followed"),
        (b"HTTP/1.1 101 Switching\r\n\r\n", "the peer answered 101, expected 200 to 599"),
        (answer_of(status="999 Odd"), "the peer answered 999, expected 200 to 599"),
        (lambda receiver, _: receiver.over.wait(10), "no answer within 0.3 seconds"),
    ],
)  # fmt: skip
def test_a_peer_that_fails_is_a_bad_gateway(listen, make_forwarding, caplog, behave, told):
    peer = listen(behave)
    api = make_forwarding(peer.url(""), forward_answer_limit=1_000, forward_timeout=0.3)

    answer = api.get(PATH)

    assert (answer.status_code, answer.json["code"]) == (502, "internal_error")
    assert answer.json["message"].startswith(
        f"Bad gateway: GET /v3/companies to {peer.url('')} could not be forwarded: "
    )
    assert told in answer.json["message"]
    assert told in reason_of(api)
    assert told in caplog.text
    assert api.get("/v3/senders").status_code == 200


def test_an_address_out_of_bounds_is_a_bad_gateway(make_forwarding):
    api = make_forwarding("http://93.184.216.34", egress="any")

    assert api.get(PATH).status_code == 502
    assert "egress refused: 93.184.216.34" in reason_of(api)


@pytest.fixture
def make_faulty(make_forwarding):
    """A factory of applications that forward to a peer, with a fault for the next call."""

    def make(to, fault):
        api = make_forwarding(to)
        assert api.post("/_mock/faults", json={"fault": fault, "times": 1}).status_code == 201
        return api

    return make


def test_an_injected_error_keeps_the_call_here(listen, make_faulty):
    peer = listen(CONTACTS)

    assert make_faulty(peer.url(""), "unavailable").get(PATH).status_code == 503
    assert peer.calls == []


def test_a_lost_answer_is_lost_after_the_call_has_left(listen, make_faulty):
    called = threading.Event()
    peer = listen(lambda _, connection: (connection.sendall(CONTACTS), called.set()))

    assert make_faulty(peer.url(""), "lost_answer").get(PATH).status_code == 504
    assert called.wait(10)


def test_a_fault_spoils_once_what_the_peer_has_answered(listen, make_faulty):
    api = make_faulty(listen(CONTACTS).url(""), "malformed_body")

    answer = api.get(PATH)

    assert answer.data == b'{"conta\x00\n'
    assert answer.headers["X-Mock-Fault"]
    assert api.get(PATH).json == {"contacts": []}
