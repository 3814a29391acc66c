"""A receiver of webhook calls, and workspaces whose webhooks lead to it."""

from contextlib import closing

import pytest
from webhook_receiver import WebhookReceiver

#: The moment of the frozen clock of the workspaces of these tests.
START = "2026-01-15T09:00:00.123000Z"


@pytest.fixture
def receiver():
    """A receiver of this test alone: a call that a test does not wait for must not reach the next test."""
    with closing(WebhookReceiver()) as found:
        yield found


class Hooked:
    """A workspace with webhooks that lead to a receiver, on a frozen clock unless it is made otherwise."""

    def __init__(self, api, receiver):
        self.api, self.receiver = api, receiver

    def trigger(self, event="delivered", **members):
        answer = self.api.post("/_mock/trigger", json={"event": event, **members})
        assert answer.status_code == 200, answer.text
        return answer.json["items"]

    def tell(self, story, **members):
        return self.api.post("/_mock/trigger", json={"story": story, **members}).json["items"]

    def advance(self, by):
        return self.api.advance(by)

    def settled(self, number):
        """A delivery after its first attempt is over, as the control API shows it."""
        self.api.advance("PT0S")
        return self.api.get(f"/_mock/deliveries/{number}").json

    def state(self):
        return self.api.get("/_mock/state").json

    def save_and_load(self):
        """Write the state and load it, as a restart does."""
        state = self.state()
        assert self.api.put("/_mock/state", json=state).status_code == 200
        return state


@pytest.fixture
def hooked(make_api, receiver):
    """A factory of workspaces with these webhooks, which lead to the receiver by default, and with other members."""

    def make(*webhooks, frozen=True, **members):
        rows = [
            {"id": number, "url": receiver.url, **({"events": ["delivered"]} if "type" not in row else {}), **row}
            for number, row in enumerate(webhooks, 1)
        ]
        workspace = {"clock": {"start": START, "frozen": frozen}, "webhooks": rows, **members}
        return Hooked(make_api(workspace), receiver)

    return make
