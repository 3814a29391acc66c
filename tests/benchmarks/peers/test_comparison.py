"""How figures of several servers become a table, and which aims they miss."""

import pytest
from benchmarks.peers.comparison import MEMORY, P99, READ, START, WRITE, Aim, Figures, table

WORSE = {READ: 200, WRITE: 100, P99: 20, MEMORY: 50, START: 500}
BETTER = {READ: 400, WRITE: 150, P99: 10, MEMORY: 25, START: 250}


def figures(name, columns):
    return Figures(name, {column: [value] for column, value in columns.items()})


def test_a_ratio_compares_figures_of_the_same_turn():
    ours, peer = Figures("ours", {READ: [100, 10, 40]}), Figures("peer", {READ: [200, 20, 20]})

    assert peer.ratio(READ, ours) == 2


def test_the_table_begins_with_the_most_reads_and_shows_ratios_to_ours():
    ours = figures("ours", WORSE)

    assert list(table(ours, [ours, figures("peer", BETTER)])) == [
        "| | read/s | write/s | p99 | memory | first answer |",
        "|---|---|---|---|---|---|",
        "| peer | 400 (2.00) | 150 (1.50) | 10.0 ms (0.50) | 25 MB (0.50) | 250 ms (0.50) |",
        "| ours | 200 | 100 | 20.0 ms | 50 MB | 500 ms |",
    ]


@pytest.mark.parametrize(("column", "more_is_better"), [(READ, True), (MEMORY, False)])
def test_an_aim_is_missed_by_a_server_that_is_worse_or_as_good(column, more_is_better):
    aim = Aim(column, more_is_better, others=("better", "equal", "worse"))
    others = [figures("better", BETTER), figures("equal", WORSE), figures("worse", {READ: 100, MEMORY: 100})]

    first, second = aim.missed(figures("ours", WORSE), others)

    assert "of better," in first
    assert "of equal," in second


def test_an_aim_is_about_the_servers_that_it_names():
    ours, peer = figures("ours", WORSE), figures("peer", BETTER)

    assert not list(Aim(READ, more_is_better=True, others=("another",)).missed(ours, [ours, peer]))
