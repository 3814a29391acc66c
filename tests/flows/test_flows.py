"""Whole flows, by programs that know nothing of a mock: in Python and JavaScript with the official clients, in shell.

With the libraries of stubs each comes to its end. Without them each stops at the first operation that the mock does not
have, and the journal says in a sentence which one that is and what helps.
"""

from contextlib import suppress

import pytest
from real_flows import FLOWS
from running import LANGUAGES, EndedError, Running

from mockserver import MockServer

LIBRARIES = ("send",)

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
def server():
    with MockServer() as server:
        yield server


@pytest.fixture(scope="module")
def server_with_stubs():
    """A server that was started with `--stubs send`."""
    with MockServer(stubs=LIBRARIES) as server:
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
def test_a_flow_comes_to_its_end_in_a_workspace_that_extends_the_libraries(flow, language, server):
    with server.workspace({**flow.scenario, "extends": [flow.scenario["extends"], *LIBRARIES]}) as workspace:
        check(flow, language, workspace)


@each_language("shell")
@each_flow
def test_a_flow_comes_to_its_end_on_a_server_that_has_the_libraries(flow, language, server_with_stubs):
    with server_with_stubs.workspace(flow.scenario) as workspace:
        check(flow, language, workspace)


@each_language(slow=("python", "js"))
@pytest.mark.parametrize("flow", [one for one in FLOWS if one.missing], ids=lambda flow: flow.program)
def test_without_them_it_fails_and_a_sentence_names_what_is_missing(flow, language, server):
    with server.workspace(flow.scenario) as workspace:
        with Running(language, flow.program, flow.arguments(workspace), workspace) as running:
            with suppress(EndedError):
                flow.act(running)
            _, complaint, status = running.end()

        assert (status, complaint) == (1, "error: 404 Invalid route/method passed\n")
        refused = workspace.requests.latest(status=404)
        assert refused.operation == flow.missing
        assert refused.reason.startswith(
            f"{flow.missing} is not implemented: the service has this operation, the mock does not; "
        )
        assert f"`--stubs {flow.library}`" in refused.reason
