"""The mock's own clients of a server that speaks TLS: handles and commands."""

from __future__ import annotations

import asyncio
import json
import os
import ssl
import subprocess
import sys
from contextlib import contextmanager
from urllib.parse import urlsplit

import pytest
import requests
import trustme

from mockserver import AsyncMockServer, MockServer, MockServerError


@pytest.fixture(scope="module")
def tls_server(tmp_path_factory):
    """A server in this process, which has written its authority into a file."""
    file = tmp_path_factory.mktemp("ca") / "ca.pem"
    with MockServer(tls=True, tls_ca_file=file) as found:
        found.file = str(file)
        yield found


@pytest.fixture(autouse=True)
def _environment(monkeypatch):
    for name in list(os.environ):
        if name.startswith("MOCKSERVER_"):
            monkeypatch.delenv(name)


# ---------------------------------------------------------------------- handles


def test_a_server_in_this_process_is_trusted(tls_server):
    with tls_server.workspace() as workspace:
        assert workspace.url.startswith("https://127.0.0.1:")
        found = requests.get(
            f"{workspace.url}/senders", headers={"api-key": workspace.api_key}, verify=tls_server.file, timeout=20
        )
        assert found.status_code == 200
        workspace.requests.verify(operation="getSenders", count=1)


def test_server_tells_what_others_have_to_trust(tls_server):
    with open(tls_server.file) as file:  # noqa: PTH123  # as a user reads it
        assert tls_server.ca == file.read()


def test_server_with_a_certificate_of_another_address_is_refused(tmp_path):
    file = tmp_path / "both.pem"
    trustme.CA().issue_cert("mock.acme.com").private_key_and_cert_chain_pem.write_to_path(file)
    with MockServer(tls=True, tls_cert=file) as server:
        assert server.default.name == "default"
        assert server.ca is None


def test_the_address_of_tls_is_told_beside_that_of_plain_http():
    with MockServer(tls=True, tls_port=0) as server:
        assert server.url.startswith("http://127.0.0.1:")
        assert server.tls_url.startswith("https://127.0.0.1:")
        context = ssl.create_default_context(cadata=server.ca)
        assert context.cert_store_stats()["x509_ca"] == 1
        assert urlsplit(server.tls_url).port != urlsplit(server.url).port


def test_a_server_without_tls_tells_of_none():
    with MockServer() as server:
        assert (server.tls_url, server.ca) == (None, None)


def test_coroutine_handles_trust_the_authority(tls_server):
    async def names():
        async with AsyncMockServer(tls=True) as own:
            other = await AsyncMockServer.connect(tls_server.url, ca=tls_server.file)
            return (await own.default).name, (await other.default).name, await other.ca

    assert asyncio.run(names()) == ("default", "default", tls_server.ca)


def test_a_server_elsewhere_is_trusted_by_a_file(tls_server):
    assert MockServer.connect(tls_server.url, ca=tls_server.file).default.name == "default"


def test_environment_variable_names_the_trusted_authority(tls_server, monkeypatch):
    monkeypatch.setenv("MOCKSERVER_CA", tls_server.file)

    assert MockServer.connect(tls_server.url).default.name == "default"


def test_one_that_is_not_trusted_is_told_with_what_helps(tls_server):
    with pytest.raises(MockServerError, match=r"its certificate is not trusted.*MOCKSERVER_CA names the file"):
        MockServer.connect(tls_server.url)


@pytest.mark.parametrize(
    ("content", "sentence"), [(None, "ca: cannot read .*: No such file"), ("x", "ca: .* holds no certificate in PEM")]
)
def test_unusable_authority_file_is_reported(tls_server, tmp_path, content, sentence):
    file = tmp_path / "ca.pem"
    if content is not None:
        file.write_text(content)

    with pytest.raises(ValueError, match=sentence):
        MockServer.connect(tls_server.url, ca=file)


def test_who_has_added_a_fault_of_handshakes_can_remove_it(tls_server):
    rule = tls_server.default.faults.add("tls_handshake")
    try:
        with pytest.raises(requests.exceptions.SSLError):
            requests.get(f"{tls_server.url}/v3/senders", verify=tls_server.file, timeout=20)
        again = MockServer.connect(tls_server.url, ca=tls_server.file)
        assert rule.hits == 1
        again.default.faults.clear()
    finally:
        tls_server.default.faults.clear()

    assert requests.get(f"{tls_server.url}/_mock/health", verify=tls_server.file, timeout=20).status_code == 200


# ---------------------------------------------------------------------- commands


def run(*arguments, **environment):
    command = [sys.executable, "-m", "mockserver", *arguments]
    env = {**os.environ, **environment}
    return subprocess.run(command, capture_output=True, text=True, timeout=60, env=env, check=False)


def test_the_command_prints_the_authority_of_a_server_that_nobody_trusts_yet(tls_server):
    found = run("ca", "--url", tls_server.url)

    assert (found.returncode, found.stdout) == (0, tls_server.ca)


def test_of_a_server_without_tls_it_says_so():
    with MockServer() as plain:
        found = run("ca", "--url", plain.url)

    assert (found.returncode, found.stdout) == (2, "")
    assert "this server has no TLS; start it with --tls" in found.stderr


def test_commands_trust_what_a_variable_names(tls_server):
    found = run("env", "--url", tls_server.url, MOCKSERVER_CA=tls_server.file)

    assert (found.returncode, found.stdout.splitlines()[0]) == (0, f"export MOCKSERVER_URL={tls_server.url}")


def test_untrusted_certificate_error_names_the_setting(tls_server):
    found = run("env", "--url", tls_server.url)

    assert found.returncode == 1
    assert "MOCKSERVER_CA names the file" in found.stderr


def test_a_file_that_cannot_be_read_is_a_misuse(tls_server):
    found = run("wait", "--url", tls_server.url, MOCKSERVER_CA="/nowhere/ca.pem")

    assert (found.returncode, found.stderr.splitlines()[0]) == (
        2,
        "Error: MOCKSERVER_CA: cannot read /nowhere/ca.pem: No such file or directory",
    )


@pytest.mark.parametrize("environment", [{"MOCKSERVER_TLS": "true"}, {}], ids=["by a variable", "by a flag"])
def test_the_health_check_of_a_container_needs_no_trust(tls_server, environment):
    port = str(urlsplit(tls_server.url).port)
    found = run("health", MOCKSERVER_PORT=port, **environment)

    assert (found.returncode, found.stdout) == (0, f"ok: standard at {tls_server.url}\n")


def test_the_health_check_asks_the_port_of_plain_http_where_there_is_one():
    with MockServer(tls=True, tls_port=0) as server:
        port = str(urlsplit(server.url).port)
        found = run("health", MOCKSERVER_PORT=port, MOCKSERVER_TLS="1", MOCKSERVER_TLS_PORT="1")

    assert (found.returncode, found.stdout) == (0, f"ok: standard at {server.url}\n")


# ---------------------------------------------------------------------- serve


@contextmanager
def serving(*flags):
    command = [sys.executable, "-m", "mockserver", "serve", "--port", "0", *flags]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        try:
            yield process
        finally:
            process.terminate()
            process.communicate(timeout=20)


def test_the_first_line_is_the_address_that_clients_call(tmp_path):
    file = tmp_path / "ca.pem"
    with serving("--tls", "--tls-ca-file", str(file)) as process:
        root = process.stdout.readline().strip()
        health = requests.get(f"{root}/_mock/health", verify=str(file), timeout=20).json()

    assert root == f"https://127.0.0.1:{health['tls']['port']}"


def test_the_second_line_is_that_of_tls_where_plain_http_has_the_first(tmp_path):
    with serving("--tls", "--tls-port", "0") as process:
        plain, secured = process.stdout.readline().strip(), process.stdout.readline().strip()
        found = run("ca", "--url", secured)
        file = tmp_path / "ca.pem"
        file.write_text(found.stdout)
        health = json.loads(requests.get(f"{secured}/_mock/health", verify=str(file), timeout=20).text)

    assert plain.startswith("http://127.0.0.1:")
    assert secured == f"https://127.0.0.1:{health['tls']['port']}"
