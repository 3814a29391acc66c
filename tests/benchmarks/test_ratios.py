"""What a start costs beside that of an empty Flask application on the same server, as ratios measured in one run.

Absolute figures are printed; only ratios fail.
"""

import pytest
from bench import EMPTY, MOCK, seconds_to_first_answer

pytestmark = pytest.mark.benchmark


def test_the_first_answer_comes_at_most_half_as_late_again_as_that_of_an_empty_app(show):
    pairs = [(seconds_to_first_answer(EMPTY), seconds_to_first_answer([*MOCK, "standard"])) for _ in range(12)]
    empty, mock = (min(pair[index] for pair in pairs[1:]) for index in (0, 1))

    show(f"first answer: empty app {empty * 1000:.0f} ms, standard scenario {mock * 1000:.0f} ms")
    # The aim is 1.5, and a quiet machine shows 1.5; the rest is for the noise of a shared one.
    assert mock / empty <= 1.8


def test_a_large_workspace_starts_in_a_few_times_the_time_of_an_empty_app(show):
    pairs = [(seconds_to_first_answer(EMPTY), seconds_to_first_answer([*MOCK, "large"])) for _ in range(3)]
    empty, large = (min(pair[index] for pair in pairs) for index in (0, 1))

    show(f"first answer: empty app {empty * 1000:.0f} ms, large scenario {large * 1000:.0f} ms")
    assert large / empty < 10
