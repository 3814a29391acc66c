"""Receivers that speak to a socket as they like, and names that lead where a test wants."""

import socket
import ssl

import pytest
import trustme
from raw_receiver import listening

from mockserver.effects import egress

OK = b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"


@pytest.fixture
def listen():
    """A factory of receivers."""
    with listening() as start:
        yield start


@pytest.fixture(scope="module")
def module_listen():
    """The same for all tests of a module."""
    with listening() as start:
        yield start


@pytest.fixture
def names(monkeypatch):
    """Names and where they lead: a mapping to fill; what is not in it has no address, and is not looked up."""
    known = {}
    real = socket.getaddrinfo

    def getaddrinfo(host, port, *args, **options):
        if host is None or host[:1].isdigit() or ":" in host:
            return real(host, port, *args, **options)
        if host not in known:
            raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")
        return [_row(address, port) for address in known[host]]

    monkeypatch.setattr(socket, "getaddrinfo", getaddrinfo)
    return known


def _row(address, port):
    if ":" in address:
        return socket.AF_INET6, socket.SOCK_STREAM, 6, "", (address, port, 0, 0)
    return socket.AF_INET, socket.SOCK_STREAM, 6, "", (address, port)


@pytest.fixture(autouse=True)
def marks(monkeypatch, tmp_path):
    """A file that marks a container once it is written; the tests may run in a container themselves."""
    monkeypatch.delenv("KUBERNETES_SERVICE_HOST", raising=False)
    monkeypatch.setattr(egress, "_MARKS", (str(tmp_path / ".dockerenv"),))
    return tmp_path / ".dockerenv"


@pytest.fixture(scope="module")
def authority():
    return trustme.CA()


@pytest.fixture
def secured(listen, authority):
    """A factory of receivers behind TLS, whose certificate is for the names that are given."""

    def start(*names, behave=OK, issuer=authority, expires=None, **options):
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        issuer.issue_cert(*names, not_after=expires).configure_cert(context)
        return listen(behave, tls=context, **options)

    return start


@pytest.fixture
def trusted(authority, tmp_path, monkeypatch):
    """The team's own authority is trusted, by OpenSSL's variable."""
    path = tmp_path / "team.pem"
    authority.cert_pem.write_to_path(path)
    monkeypatch.setenv("SSL_CERT_FILE", str(path))
