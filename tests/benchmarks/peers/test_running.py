"""What becomes of a server of the comparison that does not start."""

import sys

import pytest
from benchmarks.peers.running import running
from benchmarks.peers.servers import Server


def test_a_server_that_ends_without_an_answer_is_told_with_its_command(tmp_path):
    command = [sys.executable, "-c", ""]
    server = Server("silent", "ends at once", lambda *_: command)

    with pytest.raises(AssertionError, match="no answer") as raised, running(server, tmp_path / "silent", None):
        pass

    assert " ".join(command) in str(raised.value)
