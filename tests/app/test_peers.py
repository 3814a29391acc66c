"""Where the other servers of a store reach one of them."""

from __future__ import annotations

import socket

import pytest

from mockserver import Settings, create_app
from mockserver.app.peers import own_address


@pytest.fixture
def machine(monkeypatch):
    """A machine whose name leads to one address, or to none."""
    monkeypatch.setattr(socket, "gethostname", lambda: "mock-1")

    def leads_to(address):
        def found(host, port, **_):
            assert host == "mock-1"
            if address is None:
                raise socket.gaierror("unknown")
            return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (address, 0))]

        monkeypatch.setattr(socket, "getaddrinfo", found)

    return leads_to


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        ({}, "http://127.0.0.1:8003"),
        ({"host": "::1"}, "http://[::1]:8003"),
        ({"host": "0.0.0.0"}, "http://10.0.0.5:8003"),  # nobody listens
        ({"host": "::", "port": 9000}, "http://10.0.0.5:9000"),
        ({"tls": True}, "https://127.0.0.1:8003"),
        ({"tls": True, "tls_port": 8443}, "http://127.0.0.1:8003"),
        ({"peer_address": "http://mock-1.mock:80/"}, "http://mock-1.mock:80"),
    ],
)
def test_a_server_is_reached_at_its_own_address_unless_it_has_another(machine, settings, expected):
    machine("10.0.0.5")

    assert own_address(Settings(**settings)) == expected


def test_a_server_with_a_free_port_is_reached_at_the_one_that_it_has_got():
    assert own_address(Settings(port=0), 4711) == "http://127.0.0.1:4711"


def test_a_machine_whose_name_leads_nowhere_asks_for_an_address(machine):
    machine(None)

    with pytest.raises(ValueError, match=r"its name mock-1 leads to no address: give --peer-address$"):
        own_address(Settings(host="0.0.0.0"))  # nobody listens


def test_the_address_of_a_server_that_shares_nothing_is_refused():
    with pytest.raises(ValueError, match=r"^--peer-address is for a server that shares its store with others"):
        create_app(Settings(peer_address="http://mock-1"))
