"""A refused request leaves nothing that only a collection finds, whatever its body is: that would stop everybody."""

from __future__ import annotations

import gc
from collections import Counter
from types import FrameType, TracebackType

import pytest
from ways import Way, ways

#: What holds a body, or all that was made of it.
HOLDERS = (FrameType, TracebackType, BaseException)
#: The size of a body, and of how many bodies one is sent.
SIZE, ONE_OF = 1_000, 4


@pytest.fixture
def left_behind():
    """Gives what of frames and errors only a collection finds after a function."""

    def found(act):
        act()
        gc.freeze()  # what is there by now is looked at no more, as there is much of it
        gc.disable()
        gc.set_debug(gc.DEBUG_SAVEALL)
        act()
        gc.collect()
        return Counter(type(one).__name__ for one in gc.garbage if isinstance(one, HOLDERS))

    yield found
    gc.set_debug(0)
    gc.garbage.clear()
    gc.unfreeze()
    gc.enable()


@pytest.mark.parametrize("way", list(ways()), ids=str)
def test_no_refused_request_waits_for_a_collection(make_api, left_behind, way: Way):
    api = make_api("corporate-v2")
    headers = {"Content-Type": way.media, "api-key": "xkeysib-acme"}
    bodies = [make(SIZE, way.names) for make in list(way.evils.values())[::ONE_OF]]

    def send():
        for body in bodies:
            api.client.open(way.path, method=way.method, data=body, headers=headers)

    assert left_behind(send) == {}
