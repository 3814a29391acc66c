"""Tests of what the service calls: each has its own receiver, and twelve hours take no time."""

import pytest
from brevo import Brevo

pytestmark = pytest.mark.mockserver(scenario="onboarding")


def test_a_bounce_is_told_again_until_it_is_heard(mockserver):
    receiver = mockserver.receiver()
    receiver.answer(429, times=2)
    client = Brevo(api_key=mockserver.api_key, base_url=mockserver.url)
    client.webhooks.create_webhook(url=receiver.url, events=["hardBounce"])

    (delivery,) = mockserver.trigger("hardBounce", to="bob@example.test")
    mockserver.clock.advance(hours=12)

    assert [call.body["event"] for call in receiver.calls(count=3)] == ["hard_bounce"] * 3
    assert [attempt.status for attempt in mockserver.deliveries.get(delivery.id).attempts] == [429, 429, 200]
