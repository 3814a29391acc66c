"""A refused request leaves nothing that only a collection finds, whatever its body is: that would stop everybody."""

from __future__ import annotations

from collections import Counter
from types import FrameType, TracebackType

import pytest
from guard.entry_points import EntryPoint, entry_points

#: What holds a body, or all that was made of it.
HOLDERS = (FrameType, TracebackType, BaseException)
#: The size of a body, and of how many bodies one is sent.
SIZE, ONE_OF = 1_000, 4


@pytest.mark.parametrize("way", list(entry_points()), ids=str)
def test_no_refused_request_waits_for_a_collection(make_api, left_behind, way: EntryPoint):
    api = make_api("corporate-v2")
    headers = {"Content-Type": way.media, "api-key": "xkeysib-acme"}
    bodies = [make(SIZE, way.names) for make in list(way.evils.values())[::ONE_OF]]

    def send():
        for body in bodies:
            api.client.open(way.path, method=way.method, data=body, headers=headers)

    assert Counter(type(one).__name__ for one in left_behind(send) if isinstance(one, HOLDERS)) == {}
