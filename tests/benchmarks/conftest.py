"""What the benchmarks share: figures are shown at once, and compared as ratios of one run."""

import statistics

import pytest
from bench import rate

ROUNDS = 3


@pytest.fixture
def show(capsys):
    def print_now(line):
        with capsys.disabled():
            print(f"\n  {line}", end="")

    return print_now


@pytest.fixture
def rates(show):
    """The median rates of two requests, measured in turns, and the ratio of the second to the first."""

    def measure(name, first, second):
        pairs = [(rate(*first), rate(*second)) for _ in range(ROUNDS)]
        ratio = statistics.median(two / one for one, two in pairs)
        one, two = (statistics.median(pair[index] for pair in pairs) for index in (0, 1))
        show(f"{name}: {one:,.0f} and {two:,.0f} a second, ratio {ratio:.2f}")
        return ratio

    return measure
