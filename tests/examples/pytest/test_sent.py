"""Tests of what a product sends, by the journal of the workspace."""

import pytest
from brevo import Brevo


@pytest.fixture
def client(mockserver):
    return Brevo(api_key=mockserver.api_key, base_url=mockserver.url)


def test_the_sender_has_a_name(mockserver, client):
    client.senders.create_sender(name="Jo", email="jo@acme.test")

    # The request body that was sent, of the newest request.
    assert mockserver.requests.all(operation="createSender")[0].request.body["name"] == "Jo"
    # These fields, and perhaps others.
    mockserver.requests.verify(operation="createSender", json={"email": "jo@acme.test"}, count=1)
    # These fields and no others.
    mockserver.requests.verify(operation="createSender", json_exactly={"name": "Jo", "email": "jo@acme.test"})
