"""A server that shares a store forgets the workspaces that other servers remove."""

from __future__ import annotations

from functools import partial

import pytest

COUNT = 1_200
#: How many bytes the memory of a server may grow by. Chosen: copies of the workspaces that were removed had 97 MB.
MOST_BYTES = 30 << 20


def make(cluster, server, letter):
    for number in range(COUNT):
        cluster.make(server=server, name=f"{letter}{number}")


def drop_all(cluster, server):
    for number in range(COUNT):
        answer = cluster.ask("DELETE", f"/_mock/workspaces/a{number}", server=server)
        assert answer.status_code == 204


@pytest.mark.slow
@pytest.mark.parametrize(
    ("limit", "remove_all"), [(COUNT * 2, drop_all), (COUNT, partial(make, letter="b"))], ids=["dropped", "evicted"]
)
def test_memory_does_not_grow_with_workspaces_that_another_server_removed(engine, make_cluster, limit, remove_all):
    cluster = make_cluster(engine.url(), 2, "--workspaces-limit", str(limit))
    one, other = cluster.servers
    before = one.memory()
    make(cluster, one, "a")
    remove_all(cluster, other)

    assert one.memory() - before < MOST_BYTES
    assert "Traceback" not in one.told()
