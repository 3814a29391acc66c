"""Each test has a workspace, and an app that uses the workspace; `client` and `live_server` are of pytest-flask."""

import pytest
import requests
from brevo import Brevo
from shop import create_app


@pytest.fixture
def app(mockserver):
    return create_app(BREVO_BASE_URL=mockserver.url, BREVO_API_KEY=mockserver.api_key)


def test_a_code_confirms_a_sender(client, mockserver):
    sender = client.post("/senders", json={"name": "Jo", "email": "jo@acme.test"}).json["id"]
    code = mockserver.mailbox.latest(to="jo@acme.test").otp

    assert client.put(f"/senders/{sender}/code", json={"code": code}).status_code == 204
    assert mockserver.machines.get("sender", sender).state == "verified"


@pytest.mark.mockserver(scenario="onboarding")
def test_a_code_runs_out(client, mockserver):
    mockserver.clock.advance(minutes=16)

    assert client.put("/senders/2/code", json={"code": 123456}).json == {"error": "OTP code has expired"}


def test_a_bounce_is_noted(live_server, mockserver):
    service = Brevo(api_key=mockserver.api_key, base_url=mockserver.url)
    service.webhooks.create_webhook(url=live_server.url("/hooks"), events=["hardBounce"])

    mockserver.trigger("hardBounce", to="bob@example.test")
    mockserver.deliveries.all(state="delivered", wait=5)

    assert requests.get(live_server.url("/bounced"), timeout=5).json() == ["bob@example.test"]
