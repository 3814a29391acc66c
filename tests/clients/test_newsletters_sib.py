"""The legacy client library with templates, campaigns and imports: it reads every answer into models that check it."""

from __future__ import annotations

import json

import pytest
import sib_api_v3_sdk as sib
from sib_api_v3_sdk.rest import ApiException

ACCOUNT = {
    "name": "acme",
    "plan": [{"type": "free", "credits": 3}],
    "senders": [{"id": 1, "name": "News", "email": "news@acme.test", "state": "verified"}],
    "attributes": {"normal": ["FIRSTNAME"]},
    "contact_lists": [{"id": 1, "name": "Readers"}],
    "contacts": [{"email": "ada@acme.test", "list_ids": [1], "attributes": {"FIRSTNAME": "Ada"}}],
}

pytestmark = [
    pytest.mark.server("empty"),
    pytest.mark.workspace({"clock": {"start": "2026-01-15T09:00:00Z", "frozen": True}, "accounts": [ACCOUNT]}),
]


@pytest.fixture
def client(workspace):
    configuration = sib.Configuration()
    configuration.host = workspace.url
    configuration.api_key["api-key"] = workspace.api_key
    client = sib.ApiClient(configuration)
    yield client
    client.rest_client.pool_manager.clear()


@pytest.fixture
def campaigns(client):
    return sib.EmailCampaignsApi(client)


@pytest.fixture
def new_campaign(campaigns):
    """Makes a campaign to the readers, and returns its id."""

    def create(**members):
        sender = sib.CreateEmailCampaignSender(email="news@acme.test", name="News")
        recipients = sib.CreateEmailCampaignRecipients(list_ids=[1])
        content = {"subject": "Hi {{ contact.FIRSTNAME }}", "html_content": "<p>Hi, dear reader</p>", **members}
        body = sib.CreateEmailCampaign(name="June", sender=sender, recipients=recipients, **content)
        return campaigns.create_email_campaign(body).id

    return create


def test_a_template_is_created_read_changed_listed_and_deleted(client, workspace):
    emails = sib.TransactionalEmailsApi(client)
    made = emails.create_smtp_template(
        sib.CreateSmtpTemplate(
            sender=sib.CreateSmtpTemplateSender(email="news@acme.test", name="News"), template_name="Welcome",
            subject="Hi", html_content="<p>Welcome to us</p>", is_active=True,
        )
    )  # fmt: skip
    emails.send_test_template(made.id, sib.SendTestEmail(email_to=["ada@acme.test"]))
    emails.update_smtp_template(made.id, sib.UpdateSmtpTemplate(template_name="Hello", is_active=False))

    found = emails.get_smtp_template(made.id)

    assert (found.name, found.subject, found.is_active, found.test_sent) == ("Hello", "Hi", False, True)
    assert found.sender.email == "news@acme.test"
    assert [row.id for row in emails.get_smtp_templates(template_status=False).templates] == [made.id]
    assert workspace.mailbox.latest(to="ada@acme.test").subject == "Hi"
    emails.delete_smtp_template(made.id)
    with pytest.raises(ApiException) as gone:
        emails.get_smtp_template(made.id)
    assert gone.value.status == 404


def test_a_campaign_is_created_changed_tested_sent_and_deleted(campaigns, new_campaign, workspace):
    number = new_campaign()
    campaigns.update_email_campaign(number, sib.UpdateEmailCampaign(name="July"))
    campaigns.send_test_email(number, sib.SendTestEmail(email_to=["ada@acme.test"]))
    (draft,) = campaigns.get_email_campaigns(status="draft").campaigns
    assert draft["name"] == "July"  # its model reads the rows of lists as plain data
    campaigns.send_email_campaign_now(number)
    assert campaigns.get_email_campaign(number).status == "in_process"
    workspace.clock.advance(minutes=5)

    found = campaigns.get_email_campaign(number, statistics="globalStats")

    assert (found.name, found.status, found.test_sent, found.type) == ("July", "sent", True, "classic")
    assert (found.statistics["globalStats"]["sent"], found.recipients["lists"]) == (1, [1])
    assert [mail.subject for mail in workspace.mailbox.all()] == ["Hi Ada", "Hi Ada"]
    campaigns.update_campaign_status(number, sib.UpdateCampaignStatus(status="archive"))
    campaigns.delete_email_campaign(number)
    with pytest.raises(ApiException) as gone:
        campaigns.get_email_campaign(number)
    assert (gone.value.status, json.loads(gone.value.body)["code"]) == (404, "document_not_found")


@pytest.mark.parametrize("status", ["queued", "suspended"])
def test_a_campaign_is_read_in_each_state(campaigns, new_campaign, status):
    number = new_campaign(scheduled_at="2026-01-15T10:00:00.000Z")
    if status != "queued":
        campaigns.update_campaign_status(number, sib.UpdateCampaignStatus(status=status))

    assert campaigns.get_email_campaign(number).status == status


def test_contacts_are_imported(client, workspace):
    contacts, processes = sib.ContactsApi(client), sib.ProcessApi(client)
    started = contacts.import_contacts(
        sib.RequestContactImport(
            file_body="EMAIL;FIRSTNAME\nzoe@acme.test;Zoe\nnobody;N\n",
            new_list=sib.RequestContactImportNewList(list_name="New", folder_id=1),
        )
    )
    workspace.clock.advance(minutes=1)

    found = processes.get_process(started.process_id)

    assert (found.name, found.status) == ("IMPORTUSER", "completed")
    assert [row.id for row in processes.get_processes().processes] == [started.process_id]
    assert contacts.get_contact_info("zoe@acme.test").attributes["FIRSTNAME"] == "Zoe"
