"""What the mock costs beside an empty Flask view on the same server, as ratios measured in one run.

Absolute figures are printed; only ratios fail.
Run them with `pytest -m benchmark tests/benchmarks`; wrk makes the load.
"""

import pytest
from bench import EMPTY, HERE, MOCK, get, resident_mb, seconds_to_first_answer, started

pytestmark = pytest.mark.benchmark


@pytest.fixture
def empty():
    with started(EMPTY) as (root, _):
        yield root


@pytest.fixture
def mock():
    with started([*MOCK, str(HERE / "workspace.yaml")]) as (root, _):
        yield root


def test_listing_ten_senders_reaches_half_of_an_empty_view(rates, empty, mock):
    assert rates("empty view, GET of ten senders", [f"{empty}/v3/senders"], [f"{mock}/v3/senders"]) >= 1 / 2


def test_creating_a_sender_reaches_a_third_of_an_empty_view(rates, empty, mock):
    post = ("-s", str(HERE / "post.lua"))

    assert rates("empty view, POST of a sender", [f"{empty}/v3/senders"], [f"{mock}/v3/senders", *post]) >= 1 / 3


def test_a_page_of_500_events_costs_at_most_twelve_times_ten_senders(rates, mock):
    page = f"{mock}/v3/inbound/events?limit=500"

    assert rates("GET of ten senders, GET of 500 events", [f"{mock}/v3/senders"], [page]) >= 1 / 12


def test_the_first_answer_comes_at_most_half_as_late_again_as_that_of_an_empty_app(show):
    pairs = [(seconds_to_first_answer(EMPTY), seconds_to_first_answer([*MOCK, "standard"])) for _ in range(12)]
    empty, mock = (min(pair[index] for pair in pairs[1:]) for index in (0, 1))

    show(f"first answer: empty app {empty * 1000:.0f} ms, standard scenario {mock * 1000:.0f} ms")
    # The aim is 1.5, and a quiet machine shows 1.5; the rest is for the noise of a shared one.
    assert mock / empty <= 1.8


def test_a_large_workspace_takes_at_most_a_few_times_the_memory_of_an_idle_one(show):
    used = {}
    for scenario in ("standard", "large"):
        with started([*MOCK, scenario]) as (root, process):
            get(f"{root}/v3/senders")
            used[scenario] = resident_mb(process)

    show("memory after the first answer: " + ", ".join(f"{name} {size:.0f} MB" for name, size in used.items()))
    assert used["large"] < 4 * used["standard"]


def test_a_large_workspace_starts_in_a_few_times_the_time_of_an_empty_app(show):
    pairs = [(seconds_to_first_answer(EMPTY), seconds_to_first_answer([*MOCK, "large"])) for _ in range(3)]
    empty, large = (min(pair[index] for pair in pairs) for index in (0, 1))

    show(f"first answer: empty app {empty * 1000:.0f} ms, large scenario {large * 1000:.0f} ms")
    assert large / empty < 10
