"""What is remembered for all requests is short: no workspace counts it, and no limit makes it go."""

from __future__ import annotations

import gc
from functools import _lru_cache_wrapper

import pytest
import requests

LONG = "x" * 20_000
#: The longest text that a cache of what was sent may hold; a limited number of these is no burden.
LONGEST = 1_000
REQUESTS = {
    "the name of a header": {"headers": {f"x-{LONG}": "x"}},
    "the value of a header": {"headers": {"x-long": LONG}},
    "the host": {"headers": {"host": LONG}},
    "the key": {"headers": {"api-key": LONG}},
    "the token": {"headers": {"authorization": f"Bearer {LONG}"}},
    "the program": {"headers": {"user-agent": LONG}},
    "the media type": {"headers": {"content-type": f"application/json; x={LONG}"}, "method": "POST", "data": "{}"},
    "the path": {"path": f"/v3/{LONG}"},
    "the query": {"path": f"/v3/senders?domain={LONG}.test"},
    "the workspace": {"path": f"/w/{LONG}/v3/senders"},
    "the fault": {"headers": {"x-mock-fault": f"latency; seconds={LONG}"}},
    "an address": {"method": "POST", "json": {"name": "Jo", "email": f"jo@{LONG}.test"}},
}


def remembered():
    """The texts that the caches of the package hold."""
    gc.unfreeze()  # what was imported for the collection of tests is looked at as well
    caches = [one for one in gc.get_objects() if isinstance(one, _lru_cache_wrapper)]
    gc.freeze()  # and no more afterwards: each collection in the tests after this one would take long
    # Those without a limit hold what the server itself has made once, such as the OpenAPI document.
    left = [one for one in caches if (one.__module__ or "").startswith("mockserver") and one.cache_info().maxsize]
    assert len(left) > 5
    seen = set()
    while left:
        one = left.pop()
        if id(one) in seen:
            continue
        seen.add(id(one))
        if isinstance(one, str | bytes):
            yield one
        elif isinstance(one, dict | list | tuple | _lru_cache_wrapper) or type(one).__name__ == "_lru_list_elem":
            left += gc.get_referents(one)


@pytest.mark.slow
@pytest.mark.parametrize("long", REQUESTS)
def test_nothing_long_is_remembered_for_all_requests(root, long):
    asked = {"method": "GET", "path": "/v3/senders", "headers": {}, **REQUESTS[long]}
    asked["headers"] = {"api-key": "any", **asked["headers"]}
    before = set(remembered())  # tests before this one may have had large stubs
    requests.request(url=root + asked.pop("path"), timeout=20, **asked)

    assert [text[:50] for text in remembered() if len(text) > LONGEST and text not in before] == []
