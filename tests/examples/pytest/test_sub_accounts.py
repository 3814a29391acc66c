"""Tests of a reseller's product: each sub-account has its key and its credits."""

from pathlib import Path

import pytest
from brevo import BadRequestError, Brevo
from brevo.core.api_error import ApiError

pytestmark = pytest.mark.mockserver(scenario=Path(__file__).with_name("reseller.yaml"))


@pytest.fixture
def client(mockserver):
    """A client of an account by its name in the scenario: `client("shop")`."""
    return lambda name: Brevo(api_key=mockserver.key(name), base_url=mockserver.url)


def send(client, sender):
    mail = {"subject": "Hi", "text_content": "Hello", "to": [{"email": "ada@example.test"}]}
    return client.transactional_emails.send_transac_email(sender={"email": sender}, **mail)


def test_a_shop_sends_until_its_credits_are_gone_and_buys_more(mockserver, client):
    shop, acme = client("shop"), client("acme")
    send(shop, "hello@shop.test")
    send(shop, "hello@shop.test")

    with pytest.raises(ApiError) as refused:
        send(shop, "hello@shop.test")
    assert (refused.value.status_code, refused.value.body["code"]) == (402, "not_enough_credits")

    acme.master_account.update_sub_account_plan(101, credits={"email": 50})
    send(shop, "hello@shop.test")
    assert len(mockserver.mailbox.all(to="ada@example.test")) == 3
    assert shop.account.get_account().plan[0].credits == 47


def test_more_credits_than_the_pool_has_are_refused_and_the_others_keep_theirs(client):
    with pytest.raises(BadRequestError) as refused:
        client("acme").master_account.update_sub_account_plan(101, credits={"email": 101})

    assert refused.value.body["code"] == "not_enough_credits"
    assert [client(name).account.get_account().plan[0].credits for name in ("shop", "blog", "labs")] == [2, 900, -1]


def test_the_key_of_a_new_sub_account_ends_with_the_sub_account(mockserver, client):
    acme = client("acme").master_account
    new = acme.create_a_new_sub_account_under_a_master_account(company_name="Asia", email="owner@asia.test").id
    asia = Brevo(api_key=acme.create_an_api_key_for_a_sub_account(id=new, name="ci").key, base_url=mockserver.url)
    assert asia.account.get_account().company_name == "Asia"

    acme.delete_a_sub_account(new)

    with pytest.raises(ApiError) as refused:
        asia.account.get_account()
    assert refused.value.status_code == 401
