"""The commands, as a shell would call them."""

import os

import pytest
from click.testing import CliRunner

from mockserver import cli


@pytest.fixture
def run(monkeypatch):
    """Runs a command with its arguments; variables of the mock's own are those that are given, and no others."""
    for name in list(os.environ):
        if name.startswith("MOCKSERVER_"):
            monkeypatch.delenv(name)

    def invoke(*arguments, **environment):
        return CliRunner().invoke(cli.commands, arguments, env=environment)

    return invoke
