"""A server that holds no workspace answers byte for byte as the one to which it forwards, and ends connections so."""

from __future__ import annotations

from contextlib import ExitStack, closing

import pytest
from conversation import corpus
from talk import SERVERS, Target, played, scenario
from two_servers import front, holder

from mockserver import Settings

#: All but those of clients that say they will send nothing more: they have left, for all that the server knows, unless
#: the request is answered at once.
ROWS = {
    f"{name}: {row.name}": row
    for name, rows in corpus().items()
    for row in rows
    if {"half_close": True} not in row.send
}


@pytest.fixture(scope="module")
def target():
    """Gives the running server that forwards to one of a kind; both are started when it is first asked for."""
    with ExitStack() as stack:
        running = {}

        def found(kind):
            if kind not in running:
                settings = Settings(scenario=scenario(kind), port=0, **SERVERS[kind][1])
                back = stack.enter_context(holder(settings))
                root, _ = stack.enter_context(front(back.url, settings))
                running[kind] = stack.enter_context(closing(Target(root, kind)))
            return running[kind]

        yield found


@pytest.mark.slow
@pytest.mark.parametrize("row", ROWS.values(), ids=ROWS)
def test_a_conversation_goes_as_with_the_holder_itself(target, row):
    assert played(target(row.server), row) == (row.back, row.end)
