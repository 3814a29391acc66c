"""What the benchmarks share: how figures are shown, and a server for requests of every kind."""

import json
import subprocess
from contextlib import ExitStack

import pytest
from benchmarks.bench import MOCK_WITH_LOG, post
from benchmarks.kinds import LIMITED
from benchmarks.processor import servers
from benchmarks.scenario_of_kinds import BODY_LIMIT, OTHERS, RATE_LIMIT, SCENARIO


@pytest.fixture
def show(capsys):
    def print_now(line):
        with capsys.disabled():
            print(f"\n  {line}", end="")

    return print_now


@pytest.fixture
def server_of_kinds(tmp_path):
    """A factory of servers for requests of every kind; options are those of `serve`.

    In one of its workspaces the rate limit is used up.
    """
    path = tmp_path / "scenario.yaml"
    path.write_text(json.dumps(SCENARIO))  # which is YAML, too
    with ExitStack() as stack:

        def start(*options):
            command = [*MOCK_WITH_LOG, str(path), "--body-limit", str(BODY_LIMIT), *options]
            [server] = stack.enter_context(servers(command, log=subprocess.DEVNULL))
            for name, scenario in OTHERS.items():
                post(f"{server.root}/_mock/workspaces", {"name": name, "scenario": scenario})
            server.connections.statuses([LIMITED.make(0)] * RATE_LIMIT)
            return server

        yield start


@pytest.fixture
def reset():
    """Gives the workspaces of such a server back what requests of every kind change and use up."""

    def reset_both(server):
        post(f"{server.root}/_mock/reset", {})
        post(f"{server.root}/w/group/_mock/reset", {})

    return reset_both
