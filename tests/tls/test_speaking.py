"""A server that speaks TLS, as clients of other makes meet it."""

from __future__ import annotations

import http.client
import json
import shutil
import socket
import ssl
import subprocess

import httpx
import pytest
import requests
from tls_server import PATIENCE, Served, exchange

from mockserver import Settings, create_app
from mockserver.app.runtime import Runtime
from mockserver.web.server.server import BindError, bind

KEY = {"api-key": "any"}


def program(*command, stdin=""):
    """What a program prints; it has to succeed."""
    if shutil.which(command[0]) is None:
        pytest.skip(f"{command[0]} is not installed")
    found = subprocess.run(command, capture_output=True, text=True, input=stdin, timeout=60, check=False)
    assert found.returncode == 0, found.stdout + found.stderr
    return found.stdout


def by_curl(url, ca_file):
    return json.loads(program("curl", "-sS", "--noproxy", "*", "--cacert", ca_file, "-H", "api-key: any", url))


def by_requests(url, ca_file):
    return requests.get(url, headers=KEY, verify=ca_file, timeout=PATIENCE).json()


def by_httpx(url, ca_file):
    context = ssl.create_default_context(cafile=ca_file)
    return httpx.get(url, headers=KEY, verify=context, timeout=PATIENCE, trust_env=False).json()


def by_node(url, ca_file):
    script = (
        "const [url, ca] = process.argv.slice(1);"
        "require('https').get(url, {ca: require('fs').readFileSync(ca), headers: {'api-key': 'any'}}, answer => "
        "answer.pipe(process.stdout)).on('error', error => { console.error(error); process.exit(1); })"
    )
    return json.loads(program("node", "-e", script, url, ca_file))


@pytest.mark.parametrize("ask", [by_curl, by_requests, by_httpx, by_node])
@pytest.mark.parametrize("host", ["127.0.0.1", "localhost"])
def test_a_client_that_trusts_the_authority_is_answered(served, ca_file, ask, host):
    found = ask(f"https://{host}:{served.port}/v3/senders", ca_file)

    assert found == served.app.test_client().get("/v3/senders", headers=KEY).json


def test_openssl_finds_nothing_to_complain_of(served, ca_file):
    command = ("openssl", "s_client", "-connect", f"127.0.0.1:{served.port}", "-servername", "localhost")
    told = program(*command, "-CAfile", ca_file, "-verify_return_error", "-verify_hostname", "localhost", stdin="Q\n")

    assert "Verify return code: 0 (ok)" in told


def test_a_client_that_does_not_trust_the_authority_refuses(served):
    with pytest.raises(ssl.SSLCertVerificationError, match=r"unable to get|self-signed"):
        served.ask(context=ssl.create_default_context())


@pytest.mark.parametrize("version", [ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3])
def test_tls_1_2_and_later_are_spoken(served, version):
    context = served.trusting()
    context.minimum_version = context.maximum_version = version
    with served.connect(context=context) as connection:
        assert connection.version() == version.name.replace("v1_", "v1.")
        assert exchange(connection)[0] == 200


@pytest.mark.filterwarnings("ignore:ssl.TLSVersion.TLSv1_1 is deprecated:DeprecationWarning")
def test_an_older_version_is_refused_by_its_alert(served):
    context = served.trusting()
    context.minimum_version, context.maximum_version = ssl.TLSVersion.TLSv1_1, ssl.TLSVersion.TLSv1_1
    context.set_ciphers("DEFAULT:@SECLEVEL=0")

    with pytest.raises(ssl.SSLError, match=r"(?i)protocol version"):
        served.connect(context=context)


@pytest.mark.parametrize(
    ("offered", "chosen"), [(["h2", "http/1.1"], "http/1.1"), (["http/1.1"], "http/1.1"), (["h2"], None), ([], None)]
)
def test_the_protocol_is_http_1_1(served, offered, chosen):
    context = served.trusting()
    if offered:
        context.set_alpn_protocols(offered)
    with served.connect(context=context) as connection:
        assert connection.selected_alpn_protocol() == chosen
        assert exchange(connection)[0] == 200


def test_a_connection_is_kept_and_serves_requests_of_all_sizes(served):
    connection = http.client.HTTPSConnection("localhost", served.port, timeout=PATIENCE, context=served.trusting())
    for size in (0, 1, 16_384, 200_000, 3_000_000):
        note = "x" * size
        connection.request("POST", "/_mock/receiver/kept", body=note)
        assert connection.getresponse().read() is not None
    connection.request("GET", "/_mock/receivers/kept")
    calls = json.loads(connection.getresponse().read())["items"]
    connection.close()

    assert sorted(len(call["body"] or "") for call in calls) == [0, 1, 16_384, 200_000, 3_000_000]


def test_a_large_answer_comes_whole_to_a_client_that_reads_slowly(served):
    with served.connect() as connection:
        connection.sendall(
            b"GET /_mock/docs/swagger-ui-bundle.js HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
        )
        answer = b""
        while some := connection.recv(1000):
            answer += some
    plain = served.app.test_client().get("/_mock/docs/swagger-ui-bundle.js").data

    assert answer.partition(b"\r\n\r\n")[2] == plain


def test_an_answer_waits_for_a_client_that_does_not_read(serve_tls):
    served = serve_tls()
    served.control("PUT", "/state", {"description": "x" * 9_000_000})
    with served.connect() as connection:
        connection.sendall(b"GET /_mock/state HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
        assert connection.recv(1) == b"H"
        assert served.ask(path="/_mock/health")[0] == 200
        read = 1
        while some := connection.recv(1_000_000):
            read += len(some)

    assert read > 9_000_000


def test_concurrent_tls_clients_are_answered(served):
    connections = [served.connect() for _ in range(50)]
    try:
        assert [exchange(connection)[0] for connection in connections] == [200] * 50
    finally:
        for connection in connections:
            connection.close()


def test_who_closes_in_the_middle_of_a_request_leaves_nothing(served):
    with served.connect() as connection:
        connection.sendall(b"POST /v3/senders HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n\r\n{")
        connection.unwrap()

    assert served.ask()[0] == 200


def test_a_server_that_stops_closes_connections_whose_clients_do_not(recwarn):
    with Runtime(create_app(Settings(tls=True)), bind("127.0.0.1", 0)) as runtime:
        client = Served(runtime).connect()
        client.sendall(b"GET /v3/senders HTTP/1.1\r\nHost: localhost\r\n\r\n")
        client.recv(1)
    client.close()

    assert [row for row in recwarn if "unclosed resource <TCPTransport" in str(row.message)] == []


def test_links_lead_back_over_tls(served):
    status, body = served.ask(path="/_mock/workspaces/default")

    assert (status, json.loads(body)["url"]) == (200, "https://localhost/v3")


def test_a_page_of_the_dashboard_keeps_its_cookie_to_tls(serve_tls):
    served = serve_tls(control_token="secret")
    connection = http.client.HTTPSConnection("localhost", served.port, timeout=PATIENCE, context=served.trusting())
    own = {"Origin": f"https://localhost:{served.port}", "Content-Type": "application/x-www-form-urlencoded"}
    connection.request("POST", "/_mock/ui/sign-in", body="token=secret", headers=own)
    answer = connection.getresponse()
    connection.close()

    assert "; Secure;" in answer.headers["Set-Cookie"]


# ---------------------------------------------------------------------- plain HTTP


@pytest.mark.parametrize(
    ("path", "media"), [("/v3/senders", "application/json"), ("/_mock/health", "application/problem+json")]
)
def test_plain_http_is_told_in_the_words_of_its_address_what_is_spoken_here(served, path, media):
    found = requests.get(f"http://127.0.0.1:{served.port}{path}", headers=KEY, timeout=PATIENCE)

    assert (found.status_code, found.headers["Content-Type"]) == (400, media)
    assert "https://" in found.text


def test_plain_http_that_comes_in_pieces_is_told_in_the_same_words(served):
    with socket.create_connection(("127.0.0.1", served.port), timeout=PATIENCE) as connection:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        for piece in (b"G", b"ET /_mo", b"ck/health HTTP/1.1\r", b"\n"):
            connection.sendall(piece)

        assert b"application/problem+json" in connection.recv(65536)


def test_plain_http_has_a_port_of_its_own_where_the_settings_say_so(serve_tls):
    served = serve_tls(tls_port=0)

    assert served.url != served.tls_url
    assert requests.get(f"{served.url}/v3/senders", headers=KEY, timeout=PATIENCE).status_code == 200
    assert served.ask()[0] == 200


def test_both_ports_serve_the_same_workspaces(serve_tls):
    served = serve_tls(tls_port=0)
    requests.post(f"{served.url}/_mock/faults", json={"fault": "unavailable"}, timeout=PATIENCE)

    assert served.ask()[0] == 503


def test_a_port_that_is_taken_is_told_and_leaves_no_socket():
    with socket.create_server(("127.0.0.1", 0)) as other:
        listener = bind("127.0.0.1", 0)
        app = create_app(Settings(tls=True, tls_port=other.getsockname()[1]))
        with pytest.raises(BindError, match="cannot listen on"):
            Runtime(app, listener)

    assert listener.fileno() == -1
