"""Odd paths and methods beyond the mock: each is an address that nothing has, and is told so at once."""

from __future__ import annotations

import random
from time import process_time

import pytest
from hostile.refusals import refused

from mockserver.beyond.catalogue import catalogue, nearest
from mockserver.resources.registry import OPERATIONS

METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "TRACE", "CONNECT", "PROPFIND", "get", "X" * 200, "ÄÖ", "-")
SEGMENTS = (
    "", ".", "..", "%2e%2e", "%2F", "%00", "%ff%fe", "%zz", "😀", "{}", "{listId}", "*", "a" * 3000, "x;y=1", "-1",
    "9" * 400, "'%20or%201=1", "<script>", "${jndi:ldap://a}", "{{7*7}}", "__class__", "_mock", "w", "v3",
)  # fmt: skip
PATHS = [row.path for row in (*OPERATIONS.values(), *catalogue().values())]
#: How long an answer may take on average, in seconds of the processor. Measured: a tenth of it, and twice that
#: where coverage traces; on a busy machine both are more.
LONGEST_S = 0.01


def odd_path(chance):
    """A path of the service, or none of it, that something has happened to."""
    segments = chance.choice(PATHS).split("/")[1:]
    for _ in range(chance.randint(1, 4)):
        place = chance.randrange(len(segments) + 1)
        change = chance.randrange(4)
        if change == 0:
            segments.insert(place, chance.choice(SEGMENTS))
        elif change == 1:
            segments[place - 1] = chance.choice(SEGMENTS)
        elif change == 2:
            segments[place - 1] = "".join(chance.sample(segments[place - 1], len(segments[place - 1])))
        else:
            segments *= chance.choice((1, 1, 2, 20))
    return "/v3/" + "/".join(segments)


@pytest.mark.parametrize(
    ("seed", "requests"), [(1, 300), pytest.param(2, 5_000, marks=pytest.mark.slow)], ids=["some", "many"]
)
def test_odd_paths_and_methods_are_answered_at_once_and_never_with_an_error_of_the_mock(untouched, seed, requests):
    chance = random.Random(seed)
    began = process_time()

    for _ in range(requests):
        method, path = chance.choice(METHODS), odd_path(chance)
        answer = untouched.request(method, path, json={} if method == "POST" else None)
        if answer.status_code not in (200, 201, 204, 400):  # a path that is one of the mock's after all
            assert answer.status_code == 404, (method, path, answer.status_code)

    assert process_time() - began < requests * LONGEST_S


@pytest.mark.parametrize("method", ["TRACE", "PROPFIND", "get", "ÄÖ", "X" * 200])
def test_a_method_that_nothing_takes_is_an_invalid_route(untouched, method):
    answer = untouched.request(method, "/v3/smtp/email")

    refused(answer, 404, "not_found")
    assert "X-Mock-Beyond" not in answer.headers


@pytest.mark.parametrize("length", [200, 100_000])
def test_of_a_long_path_the_beginning_is_compared(length):
    path = "/v3/smtp/emial/" + "x" * length

    assert nearest("POST", path) is nearest("POST", path[:150])


def test_a_path_is_compared_with_all_that_the_service_has():
    for row in catalogue().values():
        assert nearest(row.method, row.path.replace("{", "").replace("}", "~")) is row
