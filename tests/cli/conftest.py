"""The commands, as a shell would call them."""

import json

import pytest
import requests
from cli_runner import invoke


@pytest.fixture
def run():
    """Runs a command with its arguments; variables of the mock's own are those that are given, and no others."""
    return lambda *words, **environment: invoke(words, environment)


@pytest.fixture(scope="module")
def root(module_serve):
    return module_serve("onboarding")


@pytest.fixture
def workspace_info(root):
    """A workspace of its own for the test: the description of the control API."""
    made = requests.post(f"{root}/_mock/workspaces", json={}, timeout=10).json()
    yield made
    requests.delete(f"{root}/_mock/workspaces/{made['name']}", timeout=10)


@pytest.fixture
def run_here(root, workspace_info):
    """Runs a command for the workspace."""
    return lambda *words: invoke(words, {"MOCKSERVER_URL": root, "MOCKSERVER_WORKSPACE": workspace_info["name"]})


@pytest.fixture
def shown(run_here):
    """Runs a command with --json, and returns what it has printed."""

    def value(*words):
        found = run_here(*words, "--json")
        assert found.exit_code in (0, 1), found.output
        return json.loads(found.stdout)

    return value
