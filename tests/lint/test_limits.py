"""The rule `ignored-rate-limit`."""

from __future__ import annotations

import pytest
from lint.calls import Call

RULE = "ignored-rate-limit"
LIMITED = Call("GET", "/v3/account", fault="rate_limited; reset_s=30")


def account(**more):
    return Call("GET", "/v3/account")._replace(**more)


def senders(**more):
    return Call("GET", "/v3/senders")._replace(**more)


EARLY = "came too early, and"
FOUND = {
    "a repeat": (
        [LIMITED, account(wait=0.9)],
        f"getAccount was called 0.9 s after a 429 that said 30 s; 1 call {EARLY} none of them met a 429 again",
    ),
    "several repeats": (
        [LIMITED, LIMITED._replace(wait=0.9), account(wait=2)],
        f"getAccount was called 0.9 s after a 429 that said 30 s; 2 calls {EARLY} 1 of them met a 429 again",
    ),
    "a repeat on a new connection": (
        [LIMITED, account(wait=0.002, port=50_001)],
        f"getAccount was called 0.0 s after a 429 that said 30 s; 1 call {EARLY} none of them met a 429 again",
    ),
    "another request on the same connection": (
        [LIMITED, senders(wait=3)],
        f"getSenders was called 3.0 s after a 429 that said 30 s; 1 call {EARLY} none of them met a 429 again",
    ),
    "another request on a new connection that meets a 429": (
        [LIMITED, senders(wait=3, port=50_001, fault="rate_limited; reset_s=27")],
        f"getSenders was called 3.0 s after a 429 that said 30 s; 1 call {EARLY} 1 of them met a 429 again",
    ),
}


@pytest.mark.parametrize(("calls", "message"), FOUND.values(), ids=FOUND)
def test_request_before_the_told_seconds_is_found_as(check, calls, message):
    check(RULE, calls, message, range(len(calls)))


SILENT = {
    "the client has waited": [LIMITED, account(wait=30)],
    "the client has waited, but for the inexactness of timers": [LIMITED, account(wait=29.95)],
    "the workspace's clock was moved": [LIMITED, account(advance="30s")],
    "the account differs": [LIMITED, account(key="other-key")],
    "the program differs": [LIMITED, account(agent="check/1.0")],
    "another group of paths": [LIMITED, Call("GET", "/v3/contacts/lists")],
    "under way on another connection": [LIMITED, account(wait=0.0004, port=50_001)],
    "another thread polls, and this one waits and opens a new connection": [
        LIMITED, account(wait=1, port=50_001), account(wait=29.2, port=50_002),
    ],
    "another thread, while this one waits": [LIMITED, senders(wait=3, port=50_001), account(wait=28)],
    "the same of another thread, while this one waits": [LIMITED, account(wait=3, port=50_001), account(wait=28)],
    "another thread's 429 that was under way": [
        LIMITED, senders(wait=0.05, port=50_001, fault="rate_limited; reset_s=30"), account(wait=31),
    ],
    "a check after the client has given up": [LIMITED, senders(wait=3, port=50_001)],
    "a 429 that tells no exceeded limit": [
        Call("GET", "/v3/account", fault="error; code=too_many_requests; status=429"), account(),
    ],
    "the client never calls again": [LIMITED],
}  # fmt: skip


@pytest.mark.parametrize("calls", SILENT.values(), ids=SILENT)
def test_limit_is_respected_if(check, calls):
    check(RULE, calls)
