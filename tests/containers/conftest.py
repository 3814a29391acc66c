"""Engines for containers: a stand-in that is always there, and a real one where somebody names an image."""

import os

import pytest
from engine import running_engine
from testcontainers.core.config import ConnectionMode, testcontainers_config
from testcontainers.core.network import Network

from mockserver.testing.container import IMAGE, MockServerContainer

#: The image of a real engine with which the tests run, too; `.ci/run` builds it.
REAL = "MOCKSERVER_TEST_IMAGE"


@pytest.fixture(scope="module", params=["stand-in", pytest.param("real", marks=pytest.mark.engine)])
def make_container(request):
    """A factory of containers, not started yet; arguments are those of `MockServerContainer`."""
    with pytest.MonkeyPatch.context() as patch:
        # Ryuk, which removes containers whose program was killed, is an image that would be pulled.
        patch.setattr(testcontainers_config, "ryuk_disabled", True)
        if request.param == "real":
            if REAL not in os.environ:
                pytest.skip(f"needs an engine, and an image in {REAL}")
            with Network() as network:  # an engine may have no bridge by default
                yield lambda **options: MockServerContainer(os.environ[REAL], network=network, **options)
            return
        # Testcontainers that run in a container themselves would look for the network of that one.
        patch.setattr(testcontainers_config, "connection_mode_override", ConnectionMode.docker_host)
        with running_engine(IMAGE) as engine:
            patch.setenv("DOCKER_HOST", engine.address)
            yield MockServerContainer
