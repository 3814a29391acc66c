"""A client whose address is fixed: its name leads to the mock, and it trusts what the mock presents."""

import socket
import ssl
from urllib.parse import urlsplit

import httpx
import pytest
from brevo import Brevo

from mockserver import MockServer


@pytest.fixture(scope="session")
def server():
    with MockServer(tls=True) as server:
        yield server


@pytest.fixture
def brevo(server, monkeypatch):
    """The official client, which calls https://api.brevo.com."""
    resolve, port = socket.getaddrinfo, urlsplit(server.url).port

    def lead_to_the_mock(host, service, *rest, **options):
        place = ("127.0.0.1", port) if host == "api.brevo.com" else (host, service)
        return resolve(*place, *rest, **options)

    monkeypatch.setattr(socket, "getaddrinfo", lead_to_the_mock)
    with httpx.Client(verify=ssl.create_default_context(cadata=server.ca)) as client:
        yield Brevo(api_key="any", httpx_client=client)


def test_the_mock_answers_for_the_service(server, brevo):
    assert brevo.account.get_account().company_name == "Acme"
    server.default.requests.verify(operation="getAccount", count=1)


def test_a_certificate_that_has_run_out_is_noticed(server, brevo):
    rule = server.default.faults.add("expired_certificate", times=1)

    with pytest.raises(httpx.ConnectError, match="certificate has expired"):
        brevo.account.get_account(request_options={"max_retries": 0})

    assert rule.hits == 1
