"""What each of the operations and each kind of refusal costs, as a multiple of a read: the list of ten senders.

It is the processor time of the server for requests over sockets, compared with that of reads immediately before, so
that what else the machine does slows both. Everything is on but the log, which writes the line of a request while
others are measured.
"""

import json
import statistics
from collections import defaultdict

import pytest
from bench import MOCK, post
from kinds import FREE, KINDS, LIMITED, READ
from processor import Load, servers
from scenario_of_kinds import BODY_LIMIT, NUMBER, OTHERS, RATE_LIMIT, SCENARIO

from mockserver.resources.registry import OPERATIONS

pytestmark = pytest.mark.benchmark

#: How many times each kind is measured. On a busy machine the median of so many multiples moves by a tenth.
ROUNDS = 12


@pytest.fixture
def server(tmp_path):
    """A server with the scenario and the other workspaces, the rate limit of one of them used up."""
    path = tmp_path / "scenario.yaml"
    path.write_text(json.dumps(SCENARIO))  # which is YAML, too
    command = [*MOCK, str(path), "--body-limit", str(BODY_LIMIT)]
    with servers(command) as [running]:
        for name, scenario in OTHERS.items():
            post(f"{running.root}/_mock/workspaces", {"name": name, "scenario": scenario})
        running.connections.statuses([LIMITED.make(0)] * RATE_LIMIT)
        yield running


@pytest.fixture
def costs(server):
    """What requests of each kind take, in microseconds, and as a multiple of reads just before."""
    found = defaultdict(list)
    for _ in range(ROUNDS):
        post(f"{server.root}/_mock/reset", {})
        post(f"{server.root}/w/group/_mock/reset", {})
        load(server, READ).microseconds()  # what the first requests to a workspace take is left out
        for kind in KINDS:
            read, cost = (load(server, each).microseconds() for each in (READ, kind))
            found[kind.name].append((cost, cost / read))
    return {name: tuple(map(statistics.median, zip(*each, strict=True))) for name, each in found.items()}


def load(server, kind):
    return Load(server, [kind.make(index) for index in range(NUMBER)], kind.status)


def test_each_operation_is_among_the_kinds():
    assert OPERATIONS.keys() <= {kind.name for kind in KINDS}


def test_a_request_costs_at_most_two_reads_or_says_what_its_body_or_rule_costs(show, costs):
    kinds = sorted(KINDS, key=lambda kind: costs[kind.name][1], reverse=True)

    show("reads    µs  kind of request")
    for kind in kinds:
        microseconds, multiple = costs[kind.name]
        show(f"{multiple:5.2f} {microseconds:5.0f}  {kind.name}" + (f" ({kind.reason})" if multiple > FREE else ""))
    assert not [kind.name for kind in kinds if costs[kind.name][1] > FREE and not kind.reason]
