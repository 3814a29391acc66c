"""The image as a generic container of Testcontainers; its workspaces are made by HTTP."""

import pytest
import requests
from testcontainers.core.container import DockerContainer
from testcontainers.core.wait_strategies import HttpWaitStrategy


@pytest.fixture(scope="session")
def mock():
    """The root address of a server for all tests."""
    container = DockerContainer("registry.example.com/mockserver:0.1.0").with_exposed_ports(8003)
    container.with_env("MOCKSERVER_SCENARIO", "onboarding").waiting_for(HttpWaitStrategy(8003, "/_mock/health"))
    with container:
        yield f"http://{container.get_container_host_ip()}:{container.get_exposed_port(8003)}"


@pytest.fixture
def workspace(mock):
    """A workspace for one test: `url`, `api_key` and `name`."""
    found = requests.post(f"{mock}/_mock/workspaces", json={}, timeout=5).json()
    yield found
    requests.delete(f"{mock}/_mock/workspaces/{found['name']}", timeout=5)


def test_a_code_runs_out(mock, workspace):
    here = {"X-Mock-Workspace": workspace["name"]}
    requests.post(f"{mock}/_mock/clock/advance", json={"by": "PT16M"}, headers=here, timeout=5)

    answer = requests.put(
        f"{workspace['url']}/senders/2/validate",
        json={"otp": 123456},
        headers={"api-key": workspace["api_key"]},
        timeout=5,
    )

    assert answer.json()["code"] == "OTP code has expired"
