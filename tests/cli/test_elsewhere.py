"""What commands say of an address that is none, and of a server that is another one."""

import json
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest

#: Those that ask a server which runs.
ASKING = [
    ["health"],
    ["env"],
    ["coverage"],
    ["coverage", "--json"],
    ["coverage", "--format", "html"],
    ["verify"],
    ["wait", "--timeout", "0.1"],
    ["app", "list"],
    ["app", "create", "--name", "x"],
    ["app", "update", "x", "--name", "y"],
    ["app", "delete", "x"],
]


class _Another(BaseHTTPRequestHandler):
    """Answers the same to everybody."""

    def do_GET(self):
        body = self.server.body
        self.send_response(self.server.status)
        self.send_header("Content-Type", self.server.kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    do_POST = do_PUT = do_DELETE = do_GET  # noqa: N815  # as the library calls them

    def log_message(self, *_):
        pass


@pytest.fixture
def another():
    with HTTPServer(("127.0.0.1", 0), _Another) as server:
        server.status, server.kind, server.body = 200, "application/json", b""
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield server
        server.shutdown()
        thread.join()


def _url(server):
    return f"http://127.0.0.1:{server.server_port}"


@pytest.mark.parametrize("command", ASKING, ids=" ".join)
@pytest.mark.parametrize("body", [{}, [], "x", {"items": [5], "status": 5, "api_key": 5, "percent": "x"}])
def test_another_server_is_found_wanting(run, another, command, body):
    another.body = json.dumps(body).encode()

    answer = run(*command, "--url", _url(another))

    told = ("no mock server answers", "another program")
    assert (answer.exit_code, answer.stdout) == (1, "")
    assert any(words in answer.stderr for words in told)


@pytest.mark.parametrize("command", ASKING, ids=" ".join)
@pytest.mark.parametrize("body", [b"", b"{}", b"[]", b"[" * 50_000, b"\xff"])
def test_a_server_whose_problem_is_none_is_found_wanting(run, another, command, body):
    another.status, another.kind, another.body = 400, "application/problem+json", body

    answer = run(*command, "--url", _url(another))

    assert (answer.exit_code, answer.stdout, "no mock server answers" in answer.stderr) == (1, "", True)


@pytest.mark.parametrize("command", ASKING[1:], ids=" ".join)
@pytest.mark.parametrize(
    "url",
    [
        "http://[x",
        "http://127.0.0.1:abc",
        "http://127.0.0.1:99999",
        "http://a b",
        "http://",
        "http://a/\u00e9",
        "ftp://x",
    ],
)
def test_an_address_that_is_none_is_misuse(run, command, url):
    answer = run(*command, "--url", url)

    assert (answer.exit_code, answer.stdout) == (2, "")
    assert answer.stderr.startswith(f"Error: {url} is not the address of a server")


@pytest.mark.parametrize("command", ASKING[1:], ids=" ".join)
@pytest.mark.parametrize("token", ["\u2603", "a\nb"])
def test_a_token_that_no_header_can_hold_is_misuse(run, command, token):
    answer = run(*command, "--token", token, "--url", "http://127.0.0.1:9")

    assert (answer.exit_code, answer.stdout) == (2, "")
    assert answer.stderr.startswith(
        "Error: Invalid value for '--token': it has characters that cannot stand in a header.\n"
    )
