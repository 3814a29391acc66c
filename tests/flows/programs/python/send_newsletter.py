"""A newsletter: `send_newsletter.py FROM READER` makes a template and imports readers, and sends them a campaign.

It waits for a line of the standard input where the service needs time: for the import, and for the campaign.
"""

from api import run
from brevo import Brevo
from brevo.contacts import ImportContactsRequestNewList
from brevo.core.api_error import ApiError
from brevo.email_campaigns import (
    CreateEmailCampaignRequestRecipients,
    CreateEmailCampaignRequestSender,
    UpdateEmailCampaignRequestRecipients,
)
from brevo.transactional_emails import CreateSmtpTemplateRequestSender


def make_template(brevo: Brevo, sender: str) -> int:
    emails = brevo.transactional_emails
    template = emails.create_smtp_template(
        sender=CreateSmtpTemplateRequestSender(email=sender, name="News"),
        template_name="June",
        subject="Hello {{ contact.FIRSTNAME }}",
        html_content="<p>News for {{ contact.FIRSTNAME }}</p>",
        is_active=True,
    )
    made = emails.get_smtp_template(template.id)
    print(f"template {made.name} is {'active' if made.is_active else 'inactive'}")
    return template.id


def import_readers(brevo: Brevo, reader: str) -> int:
    brevo.contacts.create_attribute("normal", "FIRSTNAME", type="text")
    started = brevo.contacts.import_contacts(
        file_body=f"EMAIL;FIRSTNAME\n{reader};Bob\nnobody;Nobody\n",
        new_list=ImportContactsRequestNewList(list_name="Readers", folder_id=1),
    )
    input()
    process = brevo.process.get_process(started.process_id)
    print(f"import {process.status}, {process.info.import_.invalid_emails} invalid")
    print(f"{brevo.process.get_processes(limit=10).count} process")
    (readers,) = brevo.contacts.get_lists().lists
    return readers.id


def send(brevo: Brevo, template: int, readers: int, sender: str, reader: str) -> int:
    campaigns = brevo.email_campaigns
    brevo.transactional_emails.send_test_template(template, email_to=[reader])
    campaign = campaigns.create_email_campaign(
        name="June",
        sender=CreateEmailCampaignRequestSender(email=sender, name="News"),
        subject="June",
        template_id=template,
        recipients=CreateEmailCampaignRequestRecipients(list_ids=[readers]),
    )
    campaigns.update_email_campaign(
        campaign.id, name="July", recipients=UpdateEmailCampaignRequestRecipients(list_ids=[readers])
    )
    campaigns.send_test_email(campaign.id, email_to=[reader])
    for draft in campaigns.get_email_campaigns(status="draft").campaigns:
        print(f"campaign {draft.name} is {draft.status}")
    campaigns.send_email_campaign_now(campaign.id)
    input()
    sent = campaigns.get_email_campaign(campaign.id, statistics="globalStats")
    print(f"campaign {sent.name} is {sent.status}, {sent.statistics.global_stats.sent} sent")
    return campaign.id


def clear(brevo: Brevo, template: int, campaign: int) -> None:
    brevo.email_campaigns.update_campaign_status(campaign, status="archive")
    brevo.email_campaigns.delete_email_campaign(campaign)
    try:
        brevo.email_campaigns.get_email_campaign(campaign)
    except ApiError as gone:
        print(f"campaign: {gone.body['code']}")
    emails = brevo.transactional_emails
    emails.update_smtp_template(template, is_active=False)
    inactive = emails.get_smtp_templates(template_status=False)
    print(f"{inactive.count} inactive template")
    emails.delete_smtp_template(template)


def main(brevo: Brevo, sender: str, reader: str) -> None:
    template = make_template(brevo, sender)
    readers = import_readers(brevo, reader)
    campaign = send(brevo, template, readers, sender, reader)
    clear(brevo, template, campaign)


run(main)
