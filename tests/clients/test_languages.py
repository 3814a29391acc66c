"""Clients of other languages, with their defaults: every body arrives, and connections are kept open."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from proxies import PROXIES, proxy
from trouble_proxy import TroubleProxy

_FOLDER = Path(__file__).parent / "languages"
_GUIDE = Path(__file__).parents[2] / "docs" / "guides" / "shell.md"
#: How long a program may take, in seconds; chosen. Most take two, but Go compiles its library first, from 1.20 on.
_PATIENCE_S = 240
#: The status of curl whose `--max-time` is over.
_CURL_TIMED_OUT = 28
_SENDER = {"name": "Zoë", "email": "zoe@acme.test"}
#: The answer to the largest body, of 1.1 MB. It counts the bytes that arrived.
_TOO_LARGE = "too many bytes of JSON in a stub: got 1,100,058, expected at most 65,536"

pytestmark = [pytest.mark.languages, pytest.mark.server(tls=True, tls_port=0)]


@dataclass(frozen=True)
class Client:
    """A client: its name in the guide, how its program is run, and a command that fails where it cannot run."""

    name: str
    command: tuple[str, ...]
    needs: tuple[str, ...]
    #: How many connections the five requests of the program may take.
    connections: int = 1


#: PHP reads no variable for the authority; its setting may name one.
_PHP = ("php", "-d", "curl.cainfo=${SSL_CERT_FILE}")
_CURL = ("curl", "--http2", "--version")
CLIENTS = {
    "java": Client("Java `java.net.http.HttpClient`", ("java", "Client.java"), ("javac", "-version")),
    "curl": Client("`curl`", ("bash", "curl.sh"), _CURL, connections=2),
    "curl-http2": Client("`curl --http2`", ("bash", "curl.sh", "--http2"), _CURL, connections=2),
    "node-fetch": Client("Node `fetch`", ("node", "fetch.mjs"), ("node", "--version"), connections=2),
    "node-http": Client("Node `http` and `https`", ("node", "http.mjs"), ("node", "--version")),
    "go": Client("Go `net/http`", ("go", "run", "net_http.go"), ("go", "version")),
    "php": Client("PHP extension `curl`", (*_PHP, "curl.php"), ("php", "--ri", "curl")),
}  # fmt: skip


@pytest.fixture(scope="module")
def trust(server, tmp_path_factory):
    """The variables that make every client trust the server."""
    folder = tmp_path_factory.mktemp("trust")
    file, store = folder / "ca.pem", folder / "ca.p12"
    file.write_text(server.ca, encoding="utf-8")
    if shutil.which("keytool"):
        command = ["keytool", "-importcert", "-noprompt", "-file", file, "-keystore", store, "-storepass", "changeit"]
        subprocess.run(command, capture_output=True, check=True)
    java = f"-Djavax.net.ssl.trustStore={store} -Djavax.net.ssl.trustStorePassword=changeit"
    files = dict.fromkeys(("CURL_CA_BUNDLE", "NODE_EXTRA_CA_CERTS", "SSL_CERT_FILE"), str(file))
    return {**files, "JDK_JAVA_OPTIONS": java}


@pytest.fixture(params=["http", "https"])
def counted(request, server):
    """The address of the server, and a TCP proxy there that counts connections."""
    addresses = {"http": server.url, "https": server.tls_url}
    with TroubleProxy(urlsplit(addresses[request.param]).port) as counter:
        yield f"{request.param}://127.0.0.1:{counter.port}", counter


def run(*command, **environment):
    """Run a program to its end, without proxies and settings of the machine."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("MOCKSERVER_")}
    own = {"LC_ALL": "C.UTF-8", "NO_PROXY": "*", "no_proxy": "*"}
    return subprocess.run(
        command, cwd=_FOLDER, env={**kept, **own, **environment}, check=False,
        capture_output=True, text=True, timeout=_PATIENCE_S,
    )  # fmt: skip


@cache
def is_there(*command):
    return shutil.which(command[0]) is not None and run(*command).returncode == 0


def check(client, server, url, **environment):
    """Run the program of a client at an address of the server, and compare what it prints with the journal."""
    if not is_there(*client.needs):
        pytest.skip(f"needs {client.needs[0]}: `{' '.join(client.needs)}` fails")
    server.reset()

    ended = run(*client.command, MOCKSERVER_URL=url, **environment)

    assert ended.returncode == 0, ended.stderr
    answers = [json.loads(line) for line in ended.stdout.splitlines()]
    _, workspace, _, refused, journal = (answer["body"] for answer in answers)
    assert [answer["status"] for answer in answers] == [201, 201, 201, 400, 200]
    assert workspace["scenario"] == "onboarding"
    assert refused["detail"] == _TOO_LARGE
    assert [item["request"]["body"] for item in journal["items"]] == [_SENDER]
    made = {each.name: each for each in server.workspaces()}
    kept = [made[name].requests.latest(operation="createSender") for name in ("default", workspace["name"])]
    assert [exchange.request.body for exchange in kept] == [_SENDER, _SENDER]


@pytest.mark.slow  # compilers take seconds
@pytest.mark.parametrize("client", CLIENTS.values(), ids=CLIENTS)
def test_client_of_another_language_sends_every_body_on_kept_connections(client, server, counted, trust, shared_files):
    url, counter = counted

    check(client, server, url, GOCACHE=str(shared_files.folder / "go"), **trust)

    assert counter.accepted <= client.connections


@pytest.mark.parametrize("name", PROXIES)
def test_client_that_offers_an_upgrade_sends_every_body_through_a_proxy(name, server, tmp_path):
    with proxy(name, tmp_path, urlsplit(server.url).port) as url:
        check(CLIENTS["curl-http2"], server, url)


def test_server_answers_the_next_request_when_curl_ends_because_it_spoke_http_2(server):
    if not is_there(*_CURL):
        pytest.skip("needs curl with HTTP/2")
    server.reset()

    ended = run("curl", "-sS", "--max-time", "20", "--http2-prior-knowledge", f"{server.url}/v3/senders")

    assert ended.returncode not in (0, _CURL_TIMED_OUT), ended.stdout
    assert run("curl", "-sS", "-f", "-H", "api-key: any", f"{server.url}/v3/senders").returncode == 0


def test_guide_names_every_client_that_is_tried():
    guide = _GUIDE.read_text(encoding="utf-8")

    assert [client.name for client in CLIENTS.values() if f"| {client.name} |" not in guide] == []
