"""What is said under `/_mock` where there is no such call."""

from __future__ import annotations

import pytest


@pytest.mark.parametrize(
    ("path", "near"),
    [("/_mock/mailbx", "/_mock/mailbox"), ("/_mock/clock/advanc", "/_mock/clock/advance"),
     ("/_mock/fault", "/_mock/faults"), ("/w/default/_mock/sate", "/_mock/state")],
)  # fmt: skip
def test_the_nearest_call_is_told(api, path, near):
    answer = api.get(path)

    assert (answer.status_code, answer.content_type) == (404, "application/problem+json")
    assert f"; did you mean {near}? GET /_mock lists all calls" in answer.json["detail"]


@pytest.mark.parametrize("path", ["/_mock/qqqqqqqq", "/_mock/" + "mailbox" * 5_000])
def test_where_none_is_near_the_index_is(api, path):
    assert api.get(path).json["detail"] == f"unknown path {path}; GET /_mock lists all calls"


def test_a_method_that_is_not_taken_is_told_with_those_that_are(api):
    answer = api.post("/_mock/mailbox")

    assert answer.status_code == 405
    assert answer.json["detail"] == "method POST not allowed for /_mock/mailbox; allowed: DELETE, GET, HEAD, OPTIONS"
    assert answer.headers["Allow"] == "DELETE, GET, HEAD, OPTIONS"
