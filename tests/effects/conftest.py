"""Receivers that speak to a socket as they like, and names that lead where a test wants."""

import socket

import pytest
from raw_receiver import listening


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
