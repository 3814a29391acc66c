"""The official client libraries and campaigns: what they send is taken, and their models fit."""

from __future__ import annotations

import httpx
import pytest
import sib_api_v3_sdk
from brevo import BadRequestError, Brevo, NotFoundError
from brevo.email_campaigns import CreateEmailCampaignRequestRecipients, CreateEmailCampaignRequestSender
from pydantic import BaseModel

SCENARIO = {
    "extends": "empty",
    "clock": {"start": "2026-01-15T09:00:00Z", "frozen": True},
    "senders": [{"id": 1, "name": "News", "email": "news@acme.test"}],
    "contact_lists": [{"id": 1, "name": "News"}],
    "contacts": [{"id": 1, "email": "ada@acme.test", "list_ids": [1]}],
}


@pytest.fixture
def workspace(server):
    with server.workspace(SCENARIO) as workspace:
        yield workspace


@pytest.fixture
def campaigns(workspace):
    with httpx.Client() as http:
        client = Brevo(api_key=workspace.api_key, base_url=workspace.url, httpx_client=http, max_retries=0)
        yield client.email_campaigns


def older(workspace):
    """The client before brevo-python."""
    configuration = sib_api_v3_sdk.Configuration()
    configuration.api_key["api-key"], configuration.host = workspace.api_key, workspace.url
    return sib_api_v3_sdk.EmailCampaignsApi(sib_api_v3_sdk.ApiClient(configuration))


def valid(found):
    """A model, with what it declares checked: the client itself takes anything."""
    assert isinstance(found, BaseModel)
    return type(found).model_validate(found.model_dump(by_alias=True, exclude_unset=True))


def made(campaigns, **members):
    return campaigns.create_email_campaign(
        name="June",
        sender=CreateEmailCampaignRequestSender(email="news@acme.test"),
        subject="Sale",
        html_content="<p>Summer is here</p>",
        recipients=CreateEmailCampaignRequestRecipients(list_ids=[1]),
        **members,
    ).id


def test_a_campaign_is_created_read_changed_and_deleted(campaigns):
    number = made(campaigns, preview_text="Only today")

    campaigns.update_email_campaign(number, subject="Last days", tag="sale")

    found = valid(campaigns.get_email_campaign(number))
    assert (found.subject, found.tag, found.preview_text, found.status) == ("Last days", "sale", "Only today", "draft")
    assert [row.id for row in valid(campaigns.get_email_campaigns(limit=1)).campaigns] == [number]
    campaigns.delete_email_campaign(number)
    with pytest.raises(NotFoundError):
        campaigns.get_email_campaign(number)


def test_a_campaign_is_sent_once(campaigns, workspace):
    number = made(campaigns)
    campaigns.send_test_email(number, email_to=["ada@acme.test"])

    campaigns.send_email_campaign_now(number)
    workspace.clock.advance("5m")

    found = valid(campaigns.get_email_campaign(number, statistics="globalStats"))
    assert (found.status, found.test_sent, found.statistics.global_stats.delivered) == ("sent", True, 1)
    with pytest.raises(BadRequestError) as again:
        campaigns.send_email_campaign_now(number)
    assert again.value.body["code"] == "campaign_sent"


def test_a_status_is_changed(campaigns):
    number = made(campaigns, scheduled_at="2026-01-16T09:00:00.000Z")

    campaigns.update_campaign_status(number, status="suspended")

    assert campaigns.get_email_campaign(number).status == "suspended"


def test_the_older_client_reads_campaigns(campaigns, workspace):
    number = made(campaigns, scheduled_at="2026-01-16T09:00:00.000Z")

    found = older(workspace).get_email_campaign(number)
    (listed,) = older(workspace).get_email_campaigns(status="queued", statistics="globalStats").campaigns

    assert (found.status, found.recipients["lists"], listed["id"]) == ("queued", [1], number)


def test_the_older_client_reads_a_campaign_in_review(server):
    campaign = {"id": 7, "name": "June", "state": "in_review"}
    with server.workspace({**SCENARIO, "campaigns": [campaign]}) as workspace:
        assert older(workspace).get_email_campaign(7).status == "in_process"
