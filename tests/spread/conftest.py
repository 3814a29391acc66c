"""Three replicas, and both balancers before them."""

import shutil

import pytest
from load_balancer import BALANCERS, Replica, Spread


@pytest.fixture(scope="session")
def replicas():
    found = [Replica(name) for name in "012"]
    for replica in found:
        replica.start()
    try:
        for replica in found:
            replica.wait()
        yield found
    finally:
        for replica in found:
            replica.kill()


@pytest.fixture(scope="session", params=BALANCERS)
def spread(request, replicas, tmp_path_factory):
    """The replicas behind a balancer."""
    if shutil.which(request.param) is None:
        pytest.skip(f"{request.param} is not installed: apt-get install {request.param}")
    found = Spread(request.param, replicas, tmp_path_factory.mktemp(request.param))
    found.start()
    yield found
    found.stop()
