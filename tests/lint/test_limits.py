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


def contact(number, **more):
    return Call("POST", "/v3/contacts", {"email": f"contact{number}@acme.test"})._replace(**more)


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


#: What tells that a program has two connections.
OTHER = senders(port=50_001)
FOUND_IN_THREADS = {
    "another request at once on the only connection": ([LIMITED, senders(wait=0.005)], [0, 1]),
    "another request on a shared connection, after a while": ([OTHER, LIMITED, senders(wait=0.15)], [1, 2]),
    "another request on a shared connection, while all threads go on": (
        [OTHER, LIMITED, *[senders(wait=0.02, port=50_001)] * 6, senders(wait=0.01)], [1, 8],
    ),
    "a repeat at once on a shared connection": ([OTHER, LIMITED, account(wait=0.005)], [1, 2]),
    "another request long after a 429, although the refused one was repeated in time": (
        [OTHER, LIMITED, senders(wait=6), account(wait=24)], [1, 2],
    ),
    "repeats at once, each on a new connection": (
        [LIMITED, *(LIMITED._replace(wait=0.02, port=port) for port in (50_001, 50_002))], [0, 1, 2],
    ),
    "a refused job that another thread has done at once": (
        [
            OTHER, contact(1, fault="rate_limited; reset_s=30"), contact(2, wait=0.001),
            contact(1, wait=0.001, port=50_001), contact(3, wait=0.001),
        ],
        [1, 3],
    ),
}  # fmt: skip


@pytest.mark.parametrize(("calls", "places"), FOUND_IN_THREADS.values(), ids=FOUND_IN_THREADS)
def test_request_of_threads_before_the_told_seconds_is_found_as(client, calls, places):
    ids = client.play(calls)

    assert [(rule, found) for rule, _, found in client.findings()] == [(RULE, [ids[place] for place in places])]


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
    "a pool gives the connection to a thread that was about to send": [OTHER, LIMITED, senders(wait=0.009)],
    "the same for several threads, until the refused request is repeated in time": [
        OTHER, LIMITED, *[senders(wait=0.008)] * 3, account(wait=30),
    ],
    "the same for threads that are slow to send": [OTHER, LIMITED, senders(wait=0.8), account(wait=29.3)],
    "the same for threads that are busy for long after they have waited": [
        OTHER, LIMITED, senders(wait=0.7), senders(wait=30), account(wait=10),
    ],
    "the same for threads with equal requests": [
        OTHER, LIMITED, LIMITED._replace(wait=0.009), account(wait=30), account(wait=0.001, port=50_001),
    ],
    "the same for a pool of one connection": [LIMITED, senders(wait=0.4), account(wait=29.6)],
    "the same for threads that a busy machine has held up": [
        OTHER, LIMITED, senders(wait=0.04, port=50_001), senders(wait=0.1), senders(wait=0.003, port=50_001),
        senders(wait=0.06), senders(wait=0.001, port=50_001),
    ],
    "the same, and some of them are refused again": [
        OTHER, LIMITED, senders(wait=0.2, port=50_001, fault="rate_limited; reset_s=30"), senders(wait=0.01),
    ],
    "the same for threads with equal requests that give up": [
        account(port=50_001), LIMITED, account(wait=0.005), senders(wait=0.001, port=50_001),
    ],
    "the refused request is repeated in time on another connection of a pool": [
        OTHER, LIMITED, senders(wait=0.7), account(wait=29.3, port=50_001), senders(),
    ],
    "equal writes of two threads, of which one is refused": [
        OTHER, contact(1, fault="rate_limited; reset_s=30"), *[contact(1, wait=0.003, port=50_001)] * 2,
    ],
}  # fmt: skip


@pytest.mark.parametrize("calls", SILENT.values(), ids=SILENT)
def test_limit_is_respected_if(check, calls):
    check(RULE, calls)
