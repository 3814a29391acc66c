"""Servers of one store that speak TLS trust each other, and nobody else."""

from __future__ import annotations

import ssl
from contextlib import ExitStack

import httpx
import pytest
import trustme
from shared_engine import SharedBytes
from two_servers import STORE, front, wsgi_front, wsgi_server

from mockserver import MockServer, Settings, create_app
from mockserver.app import keeping
from mockserver.app.runtime import runtime_of
from mockserver.core.workspaces.keeping import KeepingError
from mockserver.web.server.peers.trust import Trust

SETTINGS = Settings(port=0)
KEY = {"api-key": "any"}
FRONTS = pytest.mark.parametrize("forwards", [front, wsgi_front], ids=["server", "wsgi"])


# ---------------------------------------------------------------------- the authority of the store


@pytest.fixture(scope="module")
def servers(shared):
    """Two servers that speak TLS, and make their certificates themselves."""
    with ExitStack() as stack:
        yield [stack.enter_context(MockServer(store=STORE, tls=True)) for _ in range(2)]


def trusting(server):
    return ssl.create_default_context(cadata=server.ca)


def ask(root, path, verify, method="GET", body=None):
    with httpx.Client(verify=verify, timeout=20) as client:
        return client.request(method, f"{root}{path}", headers=KEY, json=body)


def test_all_have_the_same_authority(servers):
    assert servers[0].ca == servers[1].ca


@pytest.mark.parametrize(("asked", "holder"), [(0, 1), (1, 0)])
def test_requests_are_handed_on_in_both_directions(servers, asked, holder):
    verify = trusting(servers[0])
    made = ask(servers[holder].url, "/_mock/workspaces", verify, "POST", {}).json()

    found = ask(servers[asked].url, f"/w/{made['name']}/_mock/clock", verify)

    assert made["url"].startswith("https://")
    assert found.status_code == 200, found.text


def test_an_application_under_a_wsgi_server_trusts_them_as_well(servers):
    name = ask(servers[0].url, "/_mock/workspaces", trusting(servers[0]), "POST", {}).json()["name"]
    with wsgi_server() as (running, root):
        running.app = create_app(Settings(store=STORE, peer_address=root))
        try:
            found = ask(root, f"/w/{name}/_mock/clock", verify=True)
        finally:
            running.app.close()

    assert found.status_code == 200, found.text


def test_a_server_that_speaks_no_tls_trusts_those_that_came_later_and_do(monkeypatch):
    shared = SharedBytes()
    monkeypatch.setattr(keeping, "_shared_engine", lambda settings: shared.engine(settings.peer_address))
    with MockServer(store=STORE) as plain, MockServer(store=STORE, tls=True) as secured:
        name = ask(secured.url, "/_mock/workspaces", trusting(secured), "POST", {}).json()["name"]

        assert ask(plain.url, f"/w/{name}/_mock/clock", verify=True).status_code == 200


@FRONTS
def test_a_peer_is_not_reached_while_nobody_can_tell_whom_to_trust(impatient, forwards, silent):
    def unknown():
        raise KeepingError("the store is away")

    address = silent[0].replace("http:", "https:")

    assert f"cannot be reached at {address}; nothing was done" in refused(forwards, address, Trust(unknown))


def test_a_certificate_is_for_the_address_that_peers_are_told(shared):
    with MockServer(store=STORE, tls=True, tls_port=0, peer_address="https://198.51.100.7") as server:
        found = ssl.create_default_context(cadata=server.ca)
        name = "198.51.100.7"  # no address of this machine
        with httpx.Client(verify=found) as client:
            answer = client.get(f"{server.tls_url}/_mock/livez", extensions={"sni_hostname": name})

    assert answer.status_code == 200


# ---------------------------------------------------------------------- certificates of somebody else


@pytest.fixture(scope="module")
def company():
    """An authority that no system knows."""
    return trustme.CA()


@pytest.fixture
def certificate(company, tmp_path):
    """Writes a certificate with its key, for some names, into a file."""

    def written(*names):
        file = tmp_path / "certificate.pem"
        company.issue_cert(*names).private_key_and_cert_chain_pem.write_to_path(file)
        return str(file)

    return written


def test_servers_that_present_the_same_certificate_trust_it(shared, company, certificate):
    verify = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    company.configure_trust(verify)
    settings = {"store": STORE, "tls": True, "tls_cert": certificate("127.0.0.1")}
    with MockServer(**settings) as one, MockServer(**settings) as two:
        made = ask(one.url, "/_mock/workspaces", verify, "POST", {}).json()

        assert ask(two.url, f"/w/{made['name']}/_mock/clock", verify).status_code == 200


def refused(forwards, address, trust=None):
    """How a request is refused that is forwarded to an address."""
    with forwards(address, SETTINGS, trust=trust) as (root, _):
        answer = ask(root, "/v3/account", verify=True)
    assert answer.status_code == 503
    return answer.json()["message"]


@FRONTS
def test_a_peer_of_another_authority_is_refused(impatient, forwards):
    with runtime_of(Settings(port=0, tls=True)) as other:
        message = refused(forwards, other.url)

    assert f"cannot be reached at {other.url}, as its certificate is not trusted: unable to get local issuer" in message
    assert message.endswith("; nothing was done")


@FRONTS
def test_a_peer_whose_certificate_is_for_another_name_is_refused(impatient, forwards, certificate):
    file = certificate("other.test")
    with runtime_of(Settings(port=0, tls=True, tls_cert=file)) as other:
        message = refused(forwards, other.url, Trust(certificates=file))

    assert "as its certificate is not trusted: IP address mismatch" in message


@FRONTS
def test_a_peer_that_speaks_no_tls_is_refused(impatient, forwards):
    with runtime_of(Settings(port=0)) as other:
        message = refused(forwards, other.url.replace("http:", "https:"))

    assert "as it does not speak TLS as this server does; nothing was done" in message


@FRONTS
def test_a_handshake_that_the_peer_does_not_answer_ends(hasty, forwards, silent):
    address, _ = silent

    assert "nothing was done" in refused(forwards, address.replace("http:", "https:"))
