"""An account that is under validation cannot send yet (contract/account#validation)."""

import pytest

SCENARIO = {
    "extends": "send",
    "accounts": [
        {
            "name": "new",
            "api_keys": ["new"],
            "under_validation": True,
            "relay": {"enabled": False, "data": {"userName": "a@b.test", "relay": "smtp.test", "port": 587}},
            "senders": [{"id": 1, "name": "News", "email": "news@acme.test", "state": "verified"}],
            "domains": [{"name": "acme.test", "state": "authenticated"}],
            "campaigns": [{"id": 1, "name": "June"}, {"id": 2, "name": "Order", "kind": "email_template"}],
        }
    ],
    "stubs": [{"method": "POST", "path": "/v3/smsCampaigns/{campaignId}/sendNow", "answer": {"status": 204}}],
}
MAIL = {"sender": {"id": 1}, "to": [{"email": "bob@example.test"}], "subject": "Hi", "textContent": "Hi"}


@pytest.fixture
def new(make_api):
    return make_api(SCENARIO, key="new")


def test_an_account_under_validation_sends_no_email_whether_its_relay_is_enabled_or_not(new):
    answer = new.post("/v3/smtp/email", json=MAIL)

    expected = {"code": "account_under_validation", "message": "Your account is under validation"}
    assert (answer.status_code, answer.json) == (403, expected)
    assert new.get("/_mock/mailbox").json["items"] == []
    assert new.get("/_mock/requests").json["items"][0]["reason"] == (
        "account new is under validation (`under_validation` in the scenario), so sendTransacEmail is refused"
    )


def test_an_account_under_validation_sends_no_sms_campaign_that_a_stub_would_answer(new):
    assert new.post("/v3/smsCampaigns/1/sendNow").json["code"] == "account_under_validation"


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("/v3/emailCampaigns", {"name": "June", "sender": {"id": 1}, "subject": "June", "htmlContent": "<p>June</p>"}),
        ("/v3/emailCampaigns/1/sendNow", None),
        ("/v3/emailCampaigns/1/sendTest", {"emailTo": ["bob@example.test"]}),
        ("/v3/smtp/templates/2/sendTest", {"emailTo": ["bob@example.test"]}),
    ],
)
def test_an_account_under_validation_makes_and_sends_no_campaign(new, path, body):
    answer = new.post(path, **({} if body is None else {"json": body}))

    assert (answer.status_code, answer.json["code"]) == (403, "account_under_validation")
    assert new.get("/v3/emailCampaigns").json["count"] == 1


def test_an_account_under_validation_can_set_up_all_else(new):
    answer = new.post("/v3/senders", json={"name": "Ops", "email": "ops@acme.test"})

    assert answer.status_code == 201
    assert len(new.get("/_mock/mailbox").json["items"]) == 1


def test_validation_ends_when_a_document_says_so_and_is_part_of_the_state(new):
    assert new.get("/_mock/state").json["accounts"][0]["under_validation"] is True

    new.post("/_mock/seed", json={"accounts": [{"name": "new", "under_validation": False}]})

    assert new.post("/v3/smtp/email", json=MAIL).json["code"] == "permission_denied"  # by its relay
