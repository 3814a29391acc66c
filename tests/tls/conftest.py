"""Servers that speak TLS, and clients that trust them."""

from __future__ import annotations

from contextlib import ExitStack

import pytest
from tls_server import Served

from mockserver import Settings, create_app
from mockserver.app.runtime import Runtime
from mockserver.web.server.server import bind


def _start(stack, **settings):
    return Served(stack.enter_context(Runtime(create_app(Settings(tls=True, **settings)), bind("127.0.0.1", 0))))


@pytest.fixture
def serve_tls():
    """A factory of servers that speak TLS, with further settings."""
    with ExitStack() as stack:
        yield lambda **settings: _start(stack, **settings)


@pytest.fixture(scope="module")
def _served():
    with ExitStack() as stack:
        yield _start(stack)


@pytest.fixture
def served(_served):
    """A server that speaks TLS, without rules, of the standard scenario."""
    yield _served
    _served.rules.clear()


@pytest.fixture
def ca_file(served, tmp_path):
    """The certificate that clients have to trust, in a file."""
    file = tmp_path / "ca.pem"
    file.write_text(served.ca)
    return str(file)
