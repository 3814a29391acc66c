"""Requests as code: what a shell, pytest and Node send is what was sent."""

from __future__ import annotations

import json
import shutil
import subprocess
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import SimpleNamespace
from urllib.parse import parse_qsl, unquote_to_bytes

import pytest
from examples import examples
from hypothesis import example, given
from hypothesis import strategies as st

from mockserver.core.traffic.exchange import Exchange
from mockserver.dashboard import snippets
from mockserver.dashboard.curl import curl_of, of_exchange
from mockserver.dashboard.programs import fetch_of

KEY = "own-key"
PREPARED = snippets.Preparation(marker={"scenario": "standard"}, fault=None)


class Receiver(ThreadingHTTPServer):
    """Keeps the last request that came in."""

    daemon_threads = True

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Handler)
        self.got = None
        threading.Thread(target=self.serve_forever, args=(0.01,), daemon=True).start()

    @property
    def root(self):
        return f"http://127.0.0.1:{self.server_address[1]}"


class Handler(BaseHTTPRequestHandler):
    def handle_one_request(self):
        self.raw_requestline = self.rfile.readline(1 << 20)
        if not self.raw_requestline or not self.parse_request():
            self.close_connection = True
            return
        body = self.rfile.read(int(self.headers.get("content-length", 0)))
        headers = {name.lower(): value for name, value in self.headers.items()}
        self.server.got = (self.command, self.path, headers, body)
        self.send_response(200)
        self.send_header("content-length", "0")
        self.end_headers()

    def log_message(self, *_):
        """Say nothing."""


@pytest.fixture(scope="module")
def receiver():
    with Receiver() as found:
        yield found
        found.shutdown()


def exchange(method="POST", path="/v3/senders", query="", headers=(), body=b"", **more):
    found = Exchange("1", None, method, path, query, headers, body, {})
    vars(found).update(more)
    return found


def in_shell(receiver, row):
    """Return what arrives when a shell runs the command."""
    receiver.got = None
    command = curl_of(of_exchange(row), receiver.root, KEY)
    ran = subprocess.run(["/bin/sh"], input=command.encode(), capture_output=True, timeout=20, check=False)
    assert ran.returncode == 0, (command, ran.stderr)
    return receiver.got


def in_pytest(receiver, row):
    """Return what arrives when the test runs."""
    receiver.got, names = None, {}
    text = snippets.whole_test(
        of_exchange(row), None, snippets.Preparation({}, None), snippets.Outcome(200, None, None)
    )
    exec(text, names)  # what it is for
    (test,) = [value for name, value in names.items() if name.startswith("test_")]
    test(SimpleNamespace(url=f"{receiver.root}/v3", key=lambda _: KEY))
    return receiver.got


def in_node(receiver, row):
    """Return what arrives when Node runs the module."""
    receiver.got = None
    text = fetch_of(of_exchange(row), receiver.root, KEY)
    ran = subprocess.run(
        ["node", "--input-type=module"], input=text.encode(), capture_output=True, timeout=20, check=False
    )
    assert ran.returncode == 0, (text, ran.stderr)
    return receiver.got


def needs(program):
    return pytest.mark.skipif(not shutil.which(program), reason=f"there is no {program}")


RUNS = [
    pytest.param(in_shell, id="shell", marks=needs("curl")),
    pytest.param(in_pytest, id="pytest"),
    pytest.param(in_node, id="node", marks=[needs("node"), pytest.mark.slow]),  # half a minute of processes
]

METHODS = st.sampled_from(["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"])
SEGMENTS = st.text(st.characters(exclude_categories=["Cs"]), min_size=1).filter(lambda text: text not in (".", ".."))
PATHS = st.lists(SEGMENTS.map(lambda text: text.replace("/", "").replace("%2F", "") or "x"), max_size=3).map(
    lambda segments: "/".join(["/v3", *segments])
)
#: As a server hands over what stood in an address: any byte that is neither a blank nor a control character.
QUERIES = st.text(st.characters(min_codepoint=0x21, max_codepoint=0xFF, exclude_characters="#\x7f"), max_size=30)
NAMES = st.from_regex(r"x-[a-z][a-z0-9]{0,10}", fullmatch=True)
#: Bytes of UTF-8 and others, as Latin-1; no blanks at either end, which HTTP does not keep.
VALUES = st.text(st.characters(min_codepoint=0x20, max_codepoint=0xFF, exclude_characters="\x7f"), max_size=30).map(
    lambda text: text.strip(" ")
)
HEADERS = st.dictionaries(NAMES, VALUES, max_size=3).map(lambda rows: list(rows.items()))
JSONS = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**63), 2**63 - 1) | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=["Cs"])),
    lambda inner: st.lists(inner, max_size=3)
    | st.dictionaries(st.text("abcdef\"'\\\n$`é", max_size=5), inner, max_size=3),
)  # fmt: skip


def same_target(got, row):
    path, _, query = got.partition("?")
    assert unquote_to_bytes(path).decode() == row.path
    sent = parse_qsl(row.query, keep_blank_values=True, encoding="latin-1")
    assert parse_qsl(query, keep_blank_values=True, encoding="latin-1") == sent


@pytest.mark.parametrize("run", RUNS)
@given(method=METHODS, path=PATHS, query=QUERIES, headers=HEADERS)
@example("GET", "/v3/a'b\\c\nd", "a=%zz&b=%20%", [("x-a", ""), ("x-b", "é'\"$`\\"), ("x-c", "\x80")])
@examples(40)
def test_an_address_and_headers_arrive_as_they_were_sent(receiver, run, method, path, query, headers):
    row = exchange(method, path, query, headers)

    got_method, target, got, body = run(receiver, row)

    assert (got_method, body) == (method, b"")
    same_target(target, row)
    # The receiver's own library strips blanks beyond those of HTTP from the ends of a value.
    assert {name: got[name].strip() for name, _ in headers} == {name: value.strip() for name, value in headers}
    assert got["api-key" if "api-key" in got else "host"]


@pytest.mark.parametrize("run", RUNS)
@given(method=METHODS, body=st.binary(min_size=1))
@example("POST", b"@/etc/passwd")
@example("POST", b"-n %s \\n '\x00\xff")
@example("GET", b"-")
@examples(40)
def test_bytes_arrive_as_they_were_sent(receiver, run, method, body):
    got_method, _, headers, got = run(receiver, exchange(method, body=body, headers=[]))

    expected = b"" if run is in_node and method == "GET" else body  # `fetch` sends no body with GET
    assert (got_method, got, headers.get("content-type")) == (method, expected, None)


@pytest.mark.parametrize("run", RUNS)
@given(value=JSONS)
@example({"large": -4.346934157566506e16})
@examples(40)
def test_json_arrives_as_it_was_sent(receiver, run, value):
    body = json.dumps(value).encode()
    _, _, headers, got = run(receiver, exchange(body=body, headers=[("content-type", "application/json")]))

    assert (json.loads(got), headers["content-type"]) == (value, "application/json")


@pytest.mark.parametrize("run", RUNS)
def test_a_body_that_is_too_long_for_an_argument_arrives_whole(receiver, run):
    body = b"x" * 300_000
    assert run(receiver, exchange(body=body))[3] == body


@pytest.mark.parametrize("run", RUNS)
def test_the_key_of_the_workspace_is_sent_in_the_place_of_any_other_that_was_sent(receiver, run):
    row = exchange("GET", headers=[("authorization", "Bearer secret"), ("x-a", "1")], account="acme")
    assert run(receiver, row)[2]["api-key"] == KEY
    assert "authorization" not in run(receiver, row)[2]
    assert "api-key" not in run(receiver, exchange("GET"))[2]


@pytest.mark.parametrize("run", RUNS)
@pytest.mark.parametrize("sent", [("HEAD", "/v3/account"), ("GET", "/v3/a%2Fb"), ("X-MAS", "/v3/account")])
def test_a_rare_method_or_an_escaped_slash_arrives_as_it_was_sent(receiver, run, sent):
    assert run(receiver, exchange(*sent))[:2] == sent


@needs("node")
def test_javascript_keeps_large_integers_and_odd_names(receiver):
    body = b'{"id": 9007199254740993, "__proto__": {"a": "\xe2\x80\xa8"}}'
    assert in_node(receiver, exchange(body=body, headers=[("content-type", "application/json")]))[3] == body


def test_a_shell_sends_dots_and_an_address_in_brackets_as_they_are(receiver):
    assert in_shell(receiver, exchange("GET", "/v3/a/../b"))[1] == "/v3/a/../b"
    assert " --globoff " in curl_of(of_exchange(exchange("GET", "/v3/a")), "http://[::1]:1", None)


def test_headers_that_a_client_sets_by_itself_are_left_to_it():
    rows = [("host", "x"), ("user-agent", "y"), ("content-length", "1"), ("accept", "*/*"), ("x-a", "1")]
    assert of_exchange(exchange(headers=rows)).headers == {"x-a": "1"}


def test_a_long_reason_is_cut_to_a_line():
    outcome = snippets.Outcome(400, None, "why\n" * 100)
    lines = snippets.whole_test(of_exchange(exchange()), None, PREPARED, outcome).splitlines()
    (comment,) = [line.strip() for line in lines if "why" in line]
    assert (comment[:11], comment[-1], len(comment)) == ("# why why w", "…", 203)


@pytest.mark.parametrize(
    ("body", "headers", "shown"),
    [
        (b'{"otp": 123456, "a": 1}', [("content-type", "application/json")], b'{"otp":"***","a":1}'),
        (b"code=abc&x=1", [("content-type", "application/x-www-form-urlencoded")], b"code=***&x=1"),
        (b"--x", [("content-type", "multipart/form-data; boundary=x")], b"***"),
    ],
)
def test_snippets_redact_secrets(body, headers, shown):
    sent = of_exchange(exchange(body=body, headers=headers))
    assert (sent.body, sent.is_redacted) == (shown, True)


def test_a_secret_of_an_address_is_not_written_out():
    assert of_exchange(exchange(query="token=abc&x=1")).target == "/v3/senders?token=***&x=1"


# ---------------------------------------------------------------------- whole tests


@given(path=PATHS, query=QUERIES, headers=HEADERS, body=st.binary(), reason=st.text())
@examples(40)
def test_a_test_of_whatever_was_sent_is_python(path, query, headers, body, reason):
    row = exchange("POST", path, query, headers, body)
    outcome = snippets.Outcome(400, "invalid_parameter", reason)
    text = snippets.whole_test(of_exchange(row), "createSender", PREPARED, outcome)

    assert "test_create_sender_is_refused" in compile(text, "snippet", "exec").co_names


#: The first account of the scenario.
ACCOUNT = "acme"
CREATE = {"name": "A", "email": "a@acme.test"}


PASTED = [
    (exchange(body=json.dumps(CREATE).encode()), "createSender", PREPARED, snippets.Outcome(201, None, None)),
    (exchange(body=b"{}"), "createSender", PREPARED, snippets.Outcome(400, "missing_parameter", "no 'name'\nis there")),
    (exchange("GET", "/v3/nowhere"), None, PREPARED, snippets.Outcome(404, "not_found", None)),
    (
        exchange("GET", "/v3/account"),
        "getAccount",
        PREPARED._replace(fault={"fault": "empty_response", "match": {"operation": "getAccount"}}),
        snippets.Outcome(None, None, "the fault let no answer through"),
    ),
]


def test_tests_that_are_pasted_pass(pytester):
    for number, (row, operation, preparation, outcome) in enumerate(PASTED):
        row.headers, row.account = [("api-key", "***"), ("content-type", "application/json")], ACCOUNT
        text = snippets.whole_test(of_exchange(row), operation, preparation, outcome)
        pytester.makepyfile(**{f"test_{number}": text})

    pytester.runpytest_subprocess("-p", "no:cacheprovider").assert_outcomes(passed=len(PASTED))
