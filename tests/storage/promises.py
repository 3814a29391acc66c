"""Webhook calls of a server that is killed again and again."""

import time
from http.client import HTTPException
from itertools import count

from wire import Wire

#: Chosen: a call takes a hundredth of a second, and tests run on busy machines.
_PATIENCE_S = 30
#: How long it is until the next look at calls that are under way.
_PAUSE_S = 0.005
#: How many deliveries a list can show, which holds all between two kills.
_MOST = 1000


class Promises:
    """A client that triggers events, one after the other, each of which is a call to the receiver.

    There are `pause_s` seconds between two. What an answer with a status that is `excused` has done, nobody knows.
    """

    def __init__(self, name, receiver, *, excused=(), pause_s):
        self._name, self._receiver, self._numbers = name, receiver, count()
        self._excused, self._pause_s = excused, pause_s
        #: The events that were acknowledged since the last kill, with the moment.
        self._triggered = {}

    def play(self, root, over):
        """Trigger events until the server is killed, or `over` is set."""
        scenario = {"webhooks": [{"url": self._receiver.url, "events": ["hardBounce"]}]}
        with Wire(root, self._name) as wire:
            try:
                body = {"name": self._name, "scenario": scenario, "seed": 1}
                while wire.ask("POST", "/_mock/workspaces", body)[0] in self._excused:
                    pass
                while not over.wait(self._pause_s):
                    self._trigger(wire, f"m{next(self._numbers)}")
            except (OSError, HTTPException):
                return

    def _trigger(self, wire, event):
        body = {"type": "transactional", "event": "hardBounce", "payload": {"message-id": event}}
        status, answer = wire.ask("POST", "/_mock/trigger", body)
        assert status == 200 or status in self._excused, (status, answer)
        if status == 200:
            self._triggered[event] = time.monotonic()

    def check(self, root, promised):
        """Hold that no delivery is lost: what is kept arrives, and what has to be kept is.

        `promised` tells of a moment whether what was acknowledged then has to be there. Gives when the first event was
        acknowledged whose delivery is gone, or None.
        """
        with Wire(root, self._name) as wire:
            kept = self._all_delivered(wire)
        lost = kept.difference(body["message-id"] for body in self._receiver.bodies)
        assert not lost, f"delivered, but not taken by the receiver: {sorted(lost)}"
        missing = {event for event, at in self._triggered.items() if promised(at)} - kept
        assert not missing, f"deliveries of workspace {self._name} are gone: {sorted(missing)}"
        gone = [at for event, at in self._triggered.items() if event not in kept]
        self._triggered = {}
        return min(gone, default=None)

    def _all_delivered(self, wire):
        """The events whose deliveries are kept, as soon as none of these is under way any more."""
        until = time.monotonic() + _PATIENCE_S
        while (rows := _deliveries(wire)) and any(row["state"] != "delivered" for row in rows):
            assert time.monotonic() < until, f"still under way: {[row for row in rows if row['state'] != 'delivered']}"
            time.sleep(_PAUSE_S)
        events = [row["attempts"][-1]["request"]["body"]["message-id"] for row in rows]
        assert len(set(events)) == len(events) == len({row["id"] for row in rows}), "an event or an id comes twice"
        return set(events)


def _deliveries(wire):
    """The deliveries of a workspace; none, if it is not there."""
    status, found = wire.ask("GET", f"/_mock/deliveries?limit={_MOST}")
    if status == 404:
        return []
    assert found["count"] == len(found["items"]), "there are more than are shown"
    return found["items"]
