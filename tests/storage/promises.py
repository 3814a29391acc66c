"""Webhook calls of servers that are killed again and again."""

from contextlib import ExitStack
from http.client import HTTPException
from itertools import count, cycle

from load_balancer import until
from wire import Wire

#: How many deliveries a list can show.
_MOST = 1000


class Promises:
    """A client that triggers events, `pause_s` apart, each of which is a call to the receiver."""

    def __init__(self, name, receiver, *, pause_s):
        self._name, self._receiver, self._numbers, self._pause_s = name, receiver, count(), pause_s
        #: The events that were acknowledged.
        self._triggered = set()

    def play(self, roots, over):
        """Trigger events, each at another server, until one is killed, or `over` is set."""
        scenario = {"webhooks": [{"url": self._receiver.url, "events": ["hardBounce"]}]}
        with ExitStack() as stack:
            wires = cycle([stack.enter_context(Wire(root, self._name)) for root in roots])
            try:
                next(wires).ask("POST", "/_mock/workspaces", {"name": self._name, "scenario": scenario, "seed": 1})
                while not over.wait(self._pause_s):
                    self._trigger(next(wires), f"m{next(self._numbers)}")
            except (OSError, HTTPException):
                return

    def _trigger(self, wire, event):
        body = {"type": "transactional", "event": "hardBounce", "payload": {"message-id": event}}
        status, answer = wire.ask("POST", "/_mock/trigger", body)
        assert status == 200, answer
        self._triggered.add(event)

    def check(self, roots, **_):
        """Hold that each event that was acknowledged, or is kept, is delivered, under one id."""
        with Wire(roots[0], self._name) as wire:
            rows = until(lambda: self._all_delivered(wire), "all is delivered")[0]
        ids = {}
        for row in rows:
            event = row["attempts"][-1]["request"]["body"]["message-id"]
            assert ids.setdefault(event, row["id"]) == row["id"], f"{event} comes twice"
        assert len(set(ids.values())) == len(ids) == len(rows), "an id comes twice"
        assert self._triggered <= set(ids), f"deliveries are gone: {sorted(self._triggered - set(ids))}"
        lost = set(ids).difference(body["message-id"] for body in self._receiver.bodies)
        assert not lost, f"delivered, but not taken by the receiver: {sorted(lost)}"

    def _all_delivered(self, wire):
        """The deliveries of the workspace as soon as none of these is under way any more, or why not."""
        status, found = wire.ask("GET", f"/_mock/deliveries?limit={_MOST}")
        if status == 404:
            return ([],)
        assert found["count"] == len(found["items"]), "there are more than are shown"
        return all(row["state"] == "delivered" for row in found["items"]) and (found["items"],)
