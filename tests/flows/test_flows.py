"""Whole flows, by programs that know nothing of a mock: with the official clients, and in shell."""

import pytest
from flows.real_flows import FLOWS
from flows.running import LANGUAGES, Running

from mockserver import MockServer

#: Sending and contacts were libraries of stubs once; their names are taken, and change nothing.
ALIASES = ("send", "contacts")

ALL = {one.name for one in LANGUAGES}

each_flow = pytest.mark.parametrize("flow", FLOWS, ids=lambda flow: flow.program)


def each_language(*names, slow=()):
    """All languages, or those that are named; tests of `slow` ones are slow, as another one is enough to see it."""

    def marks(language):
        yield pytest.mark.skipif(bool(language.why_not), reason=language.why_not)
        if language.name in slow:
            yield pytest.mark.slow

    rows = [pytest.param(one, id=one.name, marks=list(marks(one))) for one in LANGUAGES if one.name in (names or ALL)]
    return pytest.mark.parametrize("language", rows)


@pytest.fixture(scope="module")
def server_with_stubs():
    with MockServer(stubs=ALIASES) as server:
        yield server


def run(flow, language, workspace):
    """What a program prints and complains of, and its status, while other people do their part."""
    with Running(language, flow.program, flow.arguments(workspace), workspace) as running:
        flow.act(running)
        return running.end()


def check(flow, language, workspace):
    """Run the program as often as the flow says, and look at what comes of it."""
    for printed in flow.printed:
        assert run(flow, language, workspace) == (printed, "", 0)
    flow.judge(workspace)


@each_language()
@each_flow
def test_a_flow_comes_to_its_end_in_a_plain_workspace(flow, language, server):
    with server.workspace(flow.scenario) as workspace:
        check(flow, language, workspace)


@each_language("shell")
@each_flow
def test_a_flow_comes_to_its_end_where_the_aliases_of_old_libraries_are_named(flow, language, server_with_stubs):
    with server_with_stubs.workspace({**flow.scenario, "extends": [flow.scenario["extends"], *ALIASES]}) as workspace:
        check(flow, language, workspace)
