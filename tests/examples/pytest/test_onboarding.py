"""Tests of a product that calls the API; each has its own workspace."""

import pytest
from brevo import BadRequestError, Brevo


@pytest.fixture(scope="session")
def mockserver_scenario():
    """What the workspaces of these tests look like at the start."""
    return "onboarding"


@pytest.fixture
def client(mockserver):
    return Brevo(api_key=mockserver.api_key, base_url=mockserver.url)


def test_a_sender_proves_its_address(mockserver, client):
    sender = client.senders.create_sender(name="Jo", email="jo@acme.test")
    mail = mockserver.mailbox.latest(to="jo@acme.test")

    client.senders.validate_sender_by_otp(sender.id, otp=mail.otp)

    assert mockserver.machines.get("sender", sender.id).state == "verified"
    mockserver.requests.verify(operation="createSender", json={"email": "jo@acme.test"}, count=1)


def test_a_code_runs_out(mockserver, client):
    mockserver.clock.advance(minutes=16)

    with pytest.raises(BadRequestError) as refused:
        client.senders.validate_sender_by_otp(2, otp=123456)

    assert refused.value.body["code"] == "OTP code has expired"


def test_dns_fails_once(mockserver, client):
    mockserver.dns.set("acme.test", brevo_code="ok", dkim_record="ok", dmarc_record="ok")
    fault = mockserver.faults.add("dns_failure", times=1)

    with pytest.raises(BadRequestError):
        client.domains.authenticate_domain("acme.test")
    client.domains.authenticate_domain("acme.test")

    assert fault.hits == 1
    assert client.domains.get_domain_configuration("acme.test").authenticated


@pytest.mark.mockserver(scenario="low-credits", seed=42)
def test_credits_run_out(mockserver, client):
    with pytest.raises(BadRequestError) as refused:
        client.master_account.update_sub_account_plan(2003003, credits={"email": 101})

    assert refused.value.body["code"] == "not_enough_credits"
