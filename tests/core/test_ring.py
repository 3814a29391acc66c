"""What is kept of things that come without an end."""

import pytest

from mockserver.core.traffic.ring import Ring, weight


@pytest.fixture
def ring():
    return Ring(3, 100)


def test_ring_keeps_the_newest_items_first_and_counts_what_it_drops_until_it_is_cleared(ring):
    gone = [list(ring.push(thing, 1)) for thing in "abcd"]

    assert (gone, list(ring), ring.evicted) == ([[], [], [], ["a"]], ["d", "c", "b"], 1)
    assert (ring.newest, ring.bytes) == ("d", 3)
    ring.keep(lambda thing: thing == "b")
    assert (list(ring), ring.bytes) == (["b"], 1)
    ring.clear()
    assert (list(ring), ring.bytes, ring.evicted) == ([], 0, 0)


def test_as_many_go_as_take_too_many_bytes():
    ring = Ring(100, 100)
    for thing in "abcdefghij":
        ring.push(thing, 10)

    assert list(ring.push("k", 25)) == ["a", "b", "c"]
    assert (ring.bytes, ring.evicted) == (95, 3)


def test_ring_drops_an_item_larger_than_a_quarter(ring):
    ring.push("a", 25)

    assert list(ring.push("b", 26)) == ["b"]
    assert (list(ring), ring.bytes, ring.evicted) == (["a"], 25, 1)


def test_a_copy_goes_its_own_way(ring):
    ring.push("a", 10)
    copy = ring.copy()
    copy.push("b", 10)

    assert (list(ring), list(copy)) == (["a"], ["b", "a"])


def test_a_value_weighs_what_all_of_it_takes():
    assert weight({"a": ["x" * 1_000, {"b": "y" * 1_000}]}) > 2_000
    assert weight([[]] * 1_000) > 50_000
