"""What each of the operations and each kind of refusal costs, as a multiple of a read: the list of ten senders.

It is the processor time of the server for requests over sockets, compared with that of reads immediately before, so
that what else the machine does slows both. Everything is on but the log, which writes the line of a request while
others are measured.
"""

import statistics
from collections import defaultdict

import pytest
from benchmarks.bench import part_of
from benchmarks.kinds import FREE, KINDS, READ
from benchmarks.processor import Load

from mockserver.resources.registry import OPERATIONS

pytestmark = pytest.mark.benchmark

#: How many times each kind is measured. On a busy machine the median of so many multiples moves by a seventh.
ROUNDS = part_of(6)


@pytest.fixture
def costs(server_of_kinds, reset):
    """What requests of each kind take, in microseconds, and as a multiple of reads just before."""
    server, found = server_of_kinds("--log-format", "off"), defaultdict(list)
    for _ in range(ROUNDS):
        reset(server)
        load(server, READ).microseconds()  # what the first requests to a workspace take is left out
        for kind in KINDS:
            read, cost = (load(server, each).microseconds() for each in (READ, kind))
            found[kind.name].append((cost, cost / read))
    return {name: tuple(map(statistics.median, zip(*each, strict=True))) for name, each in found.items()}


def load(server, kind):
    return Load(server, kind.requests(), kind.status)


def test_each_operation_is_among_the_kinds():
    assert OPERATIONS.keys() <= {kind.name for kind in KINDS}


def test_a_request_costs_at_most_two_reads_and_a_bit_or_says_what_its_body_or_rule_costs(show, costs):
    kinds = sorted(KINDS, key=lambda kind: costs[kind.name][1], reverse=True)

    show("reads    µs  kind of request")
    for kind in kinds:
        microseconds, multiple = costs[kind.name]
        show(f"{multiple:5.2f} {microseconds:5.0f}  {kind.name}" + (f" ({kind.reason})" if multiple > FREE else ""))
    assert not [kind.name for kind in kinds if costs[kind.name][1] > FREE and not kind.reason]
