"""Unusual methods and paths of calls beyond the mock."""

from __future__ import annotations

import pytest
from hostile.refusals import refused

from mockserver.beyond.catalogue import catalogue, nearest


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
