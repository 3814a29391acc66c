"""The pages and commands, tested as before there was a mock in the neighbourhood."""

import pytest
from click.testing import CliRunner
from commands import invite

JSON = "application/json"


def test_a_sender_is_confirmed_by_the_code_of_the_mail(shop, person, mockserver):
    number = shop.post("/senders", person, JSON).json()["id"]
    code = mockserver.mailbox.latest(to=person["email"], wait=3).otp

    answer = shop.post(f"/senders/{number}/confirm", {"code": code}, JSON)

    assert answer.json() == {"active": True}


def test_a_code_expires(shop, person, mockserver):
    number = shop.post("/senders", person, JSON).json()["id"]
    code = mockserver.mailbox.latest(to=person["email"]).otp
    mockserver.clock.advance(minutes=20)

    assert shop.post(f"/senders/{number}/confirm", {"code": code}, JSON).status_code == 409


def test_what_marshmallow_refuses_is_never_sent(shop, mockserver):
    assert shop.post("/senders", {"name": "Ada"}, JSON).status_code == 400
    mockserver.requests.verify(operation="createSender", count=0)


@pytest.mark.mockserver(scenario={"senders": [{"name": "Ada", "email": "somebody@acme.test"}]})
def test_a_sender_that_is_there_is_told(shop, person):
    assert shop.post("/senders", person, JSON).status_code == 409


def test_a_command_adds_a_sender(mockserver):
    ended = CliRunner().invoke(invite, ["--url", mockserver.url, "--key", mockserver.api_key, "somebody@acme.test"])

    assert ended.output.startswith("invited: ")
    mockserver.requests.verify(operation="createSender", count=1)
