"""The official client library with templates, campaigns and imports: what it sends is taken, and its models fit."""

from __future__ import annotations

from datetime import UTC, datetime

import httpx
import pytest
from brevo import BadRequestError, Brevo, NotFoundError
from brevo.contacts import ImportContactsRequestJsonBodyItem, ImportContactsRequestNewList
from brevo.core.api_error import ApiError
from brevo.email_campaigns import (
    CreateEmailCampaignRequestRecipients,
    CreateEmailCampaignRequestSender,
    UpdateEmailCampaignRequestRecipients,
)
from brevo.transactional_emails import CreateSmtpTemplateRequestSender

START = datetime(2026, 1, 15, 9, tzinfo=UTC)
ACCOUNT = {
    "name": "acme",
    "plan": [{"type": "free", "credits": 3}],
    "senders": [
        {"id": 1, "name": "News", "email": "news@acme.test", "state": "verified"},
        {"id": 2, "name": "New", "email": "new@acme.test", "state": "awaiting_verification"},
    ],
    "attributes": {"normal": ["FIRSTNAME"]},
    "contact_lists": [{"id": 1, "name": "Readers"}, {"id": 2, "name": "Crowd"}, {"id": 3, "name": "Left"}],
    "contacts": [
        {"email": "ada@acme.test", "list_ids": [1], "attributes": {"FIRSTNAME": "Ada"}},
        {"email": "bob@acme.test", "list_ids": [1, 3]},
        {"email": "eve@acme.test", "list_ids": [1], "email_blacklisted": True},
        *({"email": f"r{number}@acme.test", "list_ids": [2]} for number in range(9)),
    ],
}
SENDER = CreateEmailCampaignRequestSender(email="news@acme.test", name="News")
CAMPAIGN = {
    "name": "June",
    "sender": SENDER,
    "subject": "Hi {{ contact.FIRSTNAME }}",
    "html_content": "<p>Hi {{ contact.FIRSTNAME }}, {{ params.code }}</p>",
    "params": {"code": "J7"},
    "recipients": CreateEmailCampaignRequestRecipients(list_ids=[1], exclusion_list_ids=[3]),
}
TEMPLATE = {
    "sender": CreateSmtpTemplateRequestSender(email="news@acme.test", name="News"),
    "template_name": "Welcome",
    "subject": "Hi",
    "html_content": "<p>Welcome to us</p>",
}

pytestmark = [
    pytest.mark.server("empty"),
    pytest.mark.workspace({"clock": {"start": START.isoformat(), "frozen": True}, "accounts": [ACCOUNT]}),
]


@pytest.fixture
def brevo(workspace):
    with httpx.Client() as http:
        yield Brevo(api_key=workspace.api_key, base_url=workspace.url, httpx_client=http, max_retries=0)


@pytest.fixture
def campaigns(brevo):
    return brevo.email_campaigns


@pytest.fixture
def emails(brevo):
    return brevo.transactional_emails


def valid(found):
    """A model, with what it declares checked: the client itself takes anything."""
    return type(found).model_validate(found.model_dump(by_alias=True, exclude_unset=True))


def test_a_template_is_created_read_changed_listed_and_deleted(emails, workspace):
    made = emails.create_smtp_template(**TEMPLATE, tag="new", is_active=True)
    emails.send_test_template(made.id, email_to=["ada@acme.test"])
    emails.update_smtp_template(made.id, template_name="Hello", is_active=False)

    found = valid(emails.get_smtp_template(made.id))

    assert (found.name, found.subject, found.tag, found.is_active, found.test_sent) == (
        "Hello",
        "Hi",
        "new",
        False,
        True,
    )
    assert (found.sender.email, found.html_content) == ("news@acme.test", "<p>Welcome to us</p>")
    assert workspace.mailbox.latest(to="ada@acme.test").html == "<p>Welcome to us</p>"
    assert [row.id for row in valid(emails.get_smtp_templates(template_status=False)).templates] == [made.id]
    assert emails.get_smtp_templates(template_status=True).count == 0
    emails.delete_smtp_template(made.id)
    with pytest.raises(NotFoundError):
        emails.get_smtp_template(made.id)


def test_a_campaign_is_sent_to_its_lists_and_counted(campaigns, workspace):
    made = campaigns.create_email_campaign(**CAMPAIGN)
    campaigns.send_email_campaign_now(made.id)
    assert valid(campaigns.get_email_campaign(made.id)).status == "in_process"
    workspace.clock.advance(minutes=5)
    workspace.trigger("opened", to="ada@acme.test", type="marketing")

    found = valid(campaigns.get_email_campaign(made.id, statistics="globalStats"))

    assert (found.status, found.name, found.subject) == ("sent", "June", "Hi {{ contact.FIRSTNAME }}")
    assert (found.recipients.lists, found.recipients.exclusion_lists) == ([1], [3])
    stats = found.statistics.global_stats
    assert (stats.sent, stats.delivered, stats.unique_views) == (1, 1, 1)
    (mail,) = workspace.mailbox.all()
    assert (mail.to, mail.subject, mail.html) == ("ada@acme.test", "Hi Ada", "<p>Hi Ada, J7</p>")


def test_a_suspended_campaign_is_changed_and_scheduled_again(campaigns, workspace):
    made = campaigns.create_email_campaign(**CAMPAIGN, scheduled_at="2026-01-15T10:00:00.000Z")
    campaigns.update_campaign_status(made.id, status="suspended")
    assert [row.id for row in valid(campaigns.get_email_campaigns(status="suspended")).campaigns] == [made.id]
    workspace.clock.advance(hours=2)
    assert workspace.mailbox.all() == []

    campaigns.update_email_campaign(
        made.id, name="July", scheduled_at="2026-01-15T12:00:00.000Z",
        recipients=UpdateEmailCampaignRequestRecipients(list_ids=[1]),
    )  # fmt: skip
    workspace.clock.advance(hours=2)

    assert valid(campaigns.get_email_campaign(made.id)).status == "sent"
    assert {mail.to for mail in workspace.mailbox.all()} == {"ada@acme.test", "bob@acme.test"}


def test_a_campaign_that_was_sent_is_refused_then_archived_and_deleted(campaigns, workspace):
    made = campaigns.create_email_campaign(**CAMPAIGN)
    campaigns.send_email_campaign_now(made.id)
    with pytest.raises(BadRequestError) as early:
        campaigns.send_email_campaign_now(made.id)
    workspace.clock.advance(minutes=5)
    with pytest.raises(BadRequestError) as late:
        campaigns.send_email_campaign_now(made.id)

    assert (early.value.body["code"], late.value.body["code"]) == ("campaign_processing", "campaign_sent")
    campaigns.update_campaign_status(made.id, status="archive")
    assert valid(campaigns.get_email_campaigns(status="archive")).count == 1
    campaigns.delete_email_campaign(made.id)
    with pytest.raises(NotFoundError) as gone:
        campaigns.get_email_campaign(made.id)
    assert gone.value.body["code"] == "document_not_found"


def test_too_few_credits_are_402(campaigns):
    made = campaigns.create_email_campaign(
        **{**CAMPAIGN, "recipients": CreateEmailCampaignRequestRecipients(list_ids=[2])}
    )

    with pytest.raises(ApiError) as refused:
        campaigns.send_email_campaign_now(made.id)

    assert (refused.value.status_code, refused.value.body.code) == (402, "not_enough_credits")


def test_a_sender_that_is_not_verified_is_refused(campaigns):
    with pytest.raises(BadRequestError) as refused:
        campaigns.create_email_campaign(
            **{**CAMPAIGN, "sender": CreateEmailCampaignRequestSender(email="new@acme.test")}
        )

    assert refused.value.body["code"] == "invalid_parameter"


def test_a_test_of_a_campaign_is_sent(campaigns, workspace):
    made = campaigns.create_email_campaign(**CAMPAIGN)

    campaigns.send_test_email(made.id, email_to=["bob@acme.test"])

    assert [mail.to for mail in workspace.mailbox.all()] == ["bob@acme.test"]
    assert campaigns.get_email_campaign(made.id).test_sent


def test_contacts_are_imported_from_csv_and_json(brevo, workspace):
    csv = brevo.contacts.import_contacts(
        file_body="EMAIL;FIRSTNAME\nzoe@acme.test;Zoe\nnobody;N\n",
        new_list=ImportContactsRequestNewList(list_name="New", folder_id=1),
    )
    json = brevo.contacts.import_contacts(
        json_body=[ImportContactsRequestJsonBodyItem(email="ada@acme.test", attributes={"FIRSTNAME": "Adele"})],
        list_ids=[2],
    )
    assert brevo.process.get_process(csv.process_id).status in ("queued", "processing")
    workspace.clock.advance(minutes=1)

    found = brevo.process.get_process(csv.process_id)

    assert (found.name, found.status, found.info.import_.invalid_emails) == (
        "IMPORTUSER",
        "completed",
        1,
    )  # texts, for its models
    listed = brevo.process.get_processes(sort="asc")
    assert [row.id for row in listed.processes] == [csv.process_id, json.process_id]
    assert brevo.contacts.get_contact_info("zoe@acme.test").attributes.FIRSTNAME == "Zoe"
    ada = brevo.contacts.get_contact_info("ada@acme.test")
    assert (ada.attributes.FIRSTNAME, ada.list_ids) == ("Adele", [1, 2])
    with pytest.raises(NotFoundError):
        brevo.process.get_process(99)
