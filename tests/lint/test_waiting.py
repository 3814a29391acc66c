"""The rule `no-timeout`."""

from __future__ import annotations

import pytest
from lint.calls import Call

RULE = "no-timeout"


def test_client_that_waits_longer_than_half_a_minute_is_found(check):
    message = "getAccount hung, and the client waited 45 s for its answer, longer than 30 s"
    check(RULE, [Call("GET", "/v3/account", fault="hang", took=45)], message, [0])


@pytest.mark.parametrize(
    "call",
    [
        Call("GET", "/v3/account", fault="hang", took=30), Call("GET", "/v3/account", fault="latency; ms=1", took=45),
        Call("GET", "/v3/account", took=45),
    ],
    ids=["has a timeout of half a minute", "has a late answer", "has an answer"],
)  # fmt: skip
def test_client_is_no_finding_if_it(check, call):
    check(RULE, [call])
