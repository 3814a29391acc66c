"""What the metrics are made of."""

from types import SimpleNamespace

from mockserver.core.traffic.coverage import BUCKETS, Meter


def metered(seconds):
    """A meter that has counted one answer."""
    meter = Meter()
    meter.add(SimpleNamespace(operation="getSenders", status=200, ms=seconds * 1000, fault_kind=None))
    return meter


def test_bounds_grow_from_a_tenth_of_a_millisecond_to_half_a_second():
    assert (BUCKETS[0], BUCKETS[-1]) == (0.0001, 0.5)
    assert list(BUCKETS) == sorted(set(BUCKETS))


def test_an_answer_that_took_as_long_as_a_bound_counts_there_and_beyond_and_a_longer_one_beyond_only():
    for index, bound in enumerate(BUCKETS):
        assert metered(bound).times() == [0] * index + [1] * (len(BUCKETS) + 1 - index)
        assert metered(bound * 1.001).times()[: index + 2] == [0] * (index + 1) + [1]


def test_an_answer_that_took_longer_than_all_counts_among_all():
    meter = metered(2)

    assert meter.times() == [0] * len(BUCKETS) + [1]
    assert meter.seconds == 2
