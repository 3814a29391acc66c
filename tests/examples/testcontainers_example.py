"""The image as a container, one for all tests, with a workspace for each."""

import pytest
import requests

from mockserver.testing.container import MockServerContainer


@pytest.fixture(scope="session")
def mock():
    with MockServerContainer("registry.example.com/mockserver:0.1.0", scenario="onboarding") as mock:
        yield mock


@pytest.fixture
def workspace(mock):
    with mock.server.workspace() as workspace:
        yield workspace


def test_a_code_runs_out(workspace):
    workspace.clock.advance(minutes=16)

    answer = requests.put(
        f"{workspace.url}/senders/2/validate",
        json={"otp": 123456},
        headers={"api-key": workspace.api_key},
        timeout=5,
    )

    assert answer.json()["code"] == "OTP code has expired"
