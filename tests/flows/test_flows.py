"""Whole flows, by programs that know nothing of a mock: in Python and JavaScript with the official clients, in shell.

Without stubs each stops at the first operation that the mock does not have, and the journal says in a sentence which
one that is and what helps.
"""

from contextlib import suppress

import pytest
from real_flows import FLOWS
from running import LANGUAGES, EndedError, Running

from mockserver import MockServer

each_flow = pytest.mark.parametrize("flow", FLOWS, ids=lambda flow: flow.program)


def each_language(*, slow=()):
    """All languages, some of them among the slow tests: where one is enough to see, the quickest is it."""
    return pytest.mark.parametrize(
        "language",
        [
            pytest.param(
                one,
                id=one.name,
                marks=[
                    pytest.mark.skipif(bool(one.why_not), reason=one.why_not),
                    *([pytest.mark.slow] if one.name in slow else []),
                ],
            )
            for one in LANGUAGES
        ],
    )


@pytest.fixture(scope="module")
def server():
    with MockServer() as server:
        yield server


@pytest.fixture
def begin(server):
    """A workspace of a flow."""

    def begin(flow):
        return server.workspace(flow.scenario)

    yield begin
    server.drop_all()


@each_language(slow=("python", "js"))
@each_flow
def test_without_stubs_it_fails_and_a_sentence_names_what_is_missing(flow, language, begin):
    workspace = begin(flow)

    with Running(language, flow.program, flow.arguments(workspace), workspace) as running:
        with suppress(EndedError):
            flow.act(running)
        _, complaint, status = running.end()

    assert (status, complaint) == (1, "error: 404 Invalid route/method passed\n")
    refused = workspace.requests.latest(status=404)
    assert refused.operation == flow.missing
    assert refused.reason.startswith(f"{flow.missing} is an operation of the service that this mock does not have; ")
