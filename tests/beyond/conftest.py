"""Mocks that forward, and the peers to which they do."""

import pytest
from raw_receiver import listening


@pytest.fixture
def listen():
    """A factory of peers that behave as they are told."""
    with listening() as start:
        yield start


@pytest.fixture
def make_forwarding(make_api):
    """A factory of applications that forward to a peer at a root address."""

    def make(to, scenario="standard", **settings):
        return make_api(scenario, beyond="forward", forward_to=to, **settings)

    return make


@pytest.fixture
def serve_forwarding(serve):
    """The same as a real server; its root address."""

    def start(to, scenario="standard", **settings):
        return serve(scenario, beyond="forward", forward_to=to, **settings)

    return start
