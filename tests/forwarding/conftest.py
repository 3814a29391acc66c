"""Servers of one store in this process, and how soon they give up."""

from __future__ import annotations

import socket

import pytest
from plain_client import PATIENCE
from shared_engine import SharedBytes
from two_servers import front, holder, wsgi_front

from mockserver import Settings
from mockserver.app import keeping
from mockserver.settings.value_types import StoreReference
from mockserver.web.server.peers import blocking_departure, handing_back, handing_on, peer

SETTINGS = Settings(port=0)


@pytest.fixture(scope="module")
def shared():
    """What all servers share, in the place of a database."""
    found = SharedBytes()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(keeping, "_shared_engine", lambda settings: found.engine(settings.peer_address))
        patch.setattr(StoreReference, "takes", lambda self, value: True)
        yield found


@pytest.fixture
def impatient(monkeypatch):
    """Servers that soon ask no more for what nobody has done."""
    monkeypatch.setattr(handing_on, "_PATIENCE_S", 0.05)


@pytest.fixture
def hasty(monkeypatch, impatient):
    """Servers that soon give up, so soon that a busy one may be given up."""
    monkeypatch.setattr(peer, "CONNECT_S", 0.05)
    monkeypatch.setattr(handing_back, "LOOK_S", 0.01)
    monkeypatch.setattr(blocking_departure, "CONNECT_S", 0.05)
    monkeypatch.setattr(blocking_departure, "LOOK_S", 0.01)


@pytest.fixture
def silent():
    """The address of a server that accepts connections, and of what it has accepted."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        listener.settimeout(PATIENCE)
        yield f"http://127.0.0.1:{listener.getsockname()[1]}", listener


@pytest.fixture(scope="module")
def back():
    with holder(SETTINGS) as runtime:
        yield runtime


#: What forwards: the server of the mock, or an ordinary WSGI server.
FRONTS = {"server": front, "wsgi": wsgi_front}


@pytest.fixture(params=FRONTS, scope="module")
def forwards(request):
    """A context with the root address of a running server that forwards all to an address, and its application."""
    return FRONTS[request.param]
