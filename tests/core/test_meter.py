"""What the metrics are made of."""

from types import SimpleNamespace

import pytest

from mockserver.core.traffic.coverage import BUCKETS, Meter


def metered(seconds):
    """A meter that has counted one answer."""
    meter = Meter()
    meter.add(SimpleNamespace(operation="getSenders", status=200, ms=seconds * 1000, fault_kind=None))
    return meter


def test_bounds_grow_from_a_tenth_of_a_millisecond_to_half_a_second():
    assert (BUCKETS[0], BUCKETS[-1]) == (0.0001, 0.5)
    assert list(BUCKETS) == sorted(set(BUCKETS))


@pytest.mark.parametrize("index", range(len(BUCKETS)))
def test_an_answer_that_took_as_long_as_a_bound_counts_at_that_bound_and_beyond(index):
    assert metered(BUCKETS[index]).times() == [0] * index + [1] * (len(BUCKETS) + 1 - index)


@pytest.mark.parametrize("index", range(len(BUCKETS)))
def test_an_answer_that_took_longer_than_a_bound_does_not_count_at_it(index):
    assert metered(BUCKETS[index] * 1.001).times()[: index + 2] == [0] * (index + 1) + [1]


def test_an_answer_that_took_longer_than_all_counts_among_all():
    meter = metered(2)

    assert meter.times() == [0] * len(BUCKETS) + [1]
    assert meter.seconds == 2
