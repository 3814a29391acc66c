"""The rule `no-timeout`."""

from __future__ import annotations

import pytest
import requests
from lint.calls import Call

from mockserver import MockServer

RULE = "no-timeout"


@pytest.mark.parametrize(
    ("call", "waited"),
    [
        (Call("GET", "/v3/account", fault="hang", took=11), "11 s for its answer, longer than 10 s"),
        (Call("GET", "/v3/account", fault="hang", took=45, left=True), "45 s for its answer, longer than 30 s"),
    ],
    ids=["is still there after ten seconds", "leaves after half a minute"],
)
def test_client_is_found_if_it(check, call, waited):
    check(RULE, [call], f"getAccount hung, and the client waited {waited}", [0])


@pytest.mark.parametrize(
    "call",
    [
        Call("GET", "/v3/account", fault="hang", took=30, left=True),
        Call("GET", "/v3/account", fault="hang", took=10), Call("GET", "/v3/account", fault="latency; ms=1", took=45),
        Call("GET", "/v3/account", took=45),
    ],
    ids=["has a timeout of half a minute", "hangs for ten seconds", "has a late answer", "has an answer"],
)  # fmt: skip
def test_client_is_no_finding_if_it(check, call):
    check(RULE, [call])


def test_setting_makes_a_short_wait_a_finding():
    with MockServer(lint_timeout=0.1) as server, server.workspace() as workspace:
        workspace.faults.add("hang", ms=150)
        with pytest.raises(requests.ConnectionError):
            requests.get(f"{workspace.url}/account", headers={"api-key": workspace.api_key}, timeout=10)

        (found,) = workspace.findings()

    assert (found.rule, found.message.endswith(", longer than 0.1 s")) == (RULE, True)
