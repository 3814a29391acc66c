"""The commands, as a shell would call them."""

import pytest
from invoking import invoke


@pytest.fixture
def run():
    """Runs a command with its arguments; variables of the mock's own are those that are given, and no others."""
    return lambda *words, **environment: invoke(words, environment)
