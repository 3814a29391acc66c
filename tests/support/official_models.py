"""The models of the official clients for Python, which read answers of templates, campaigns, imports and processes."""

from __future__ import annotations

import re
from types import SimpleNamespace
from typing import get_type_hints

import sib_api_v3_sdk as sib
from brevo import Brevo
from pydantic import TypeAdapter

#: The methods of brevo-python, which has the same names as sib-api-v3-sdk, and the types of the latter's answers.
METHODS = {
    "getSmtpTemplates": ("transactional_emails.get_smtp_templates", "GetSmtpTemplates"),
    "createSmtpTemplate": ("transactional_emails.create_smtp_template", "CreateModel"),
    "getSmtpTemplate": ("transactional_emails.get_smtp_template", "GetSmtpTemplateOverview"),
    "updateSmtpTemplate": ("transactional_emails.update_smtp_template", None),
    "deleteSmtpTemplate": ("transactional_emails.delete_smtp_template", None),
    "sendTestTemplate": ("transactional_emails.send_test_template", None),
    "getEmailCampaigns": ("email_campaigns.get_email_campaigns", "GetEmailCampaigns"),
    "createEmailCampaign": ("email_campaigns.create_email_campaign", "CreateModel"),
    "getEmailCampaign": ("email_campaigns.get_email_campaign", "GetEmailCampaign"),
    "updateEmailCampaign": ("email_campaigns.update_email_campaign", None),
    "deleteEmailCampaign": ("email_campaigns.delete_email_campaign", None),
    "sendEmailCampaignNow": ("email_campaigns.send_email_campaign_now", None),
    "updateCampaignStatus": ("email_campaigns.update_campaign_status", None),
    "sendTestEmail": ("email_campaigns.send_test_email", None),
    "importContacts": ("contacts.import_contacts", "CreatedProcessId"),
    "getProcesses": ("process.get_processes", "GetProcesses"),
    "getProcess": ("process.get_process", "GetProcess"),
}
#: States of processes that the document names, and the older client refuses.
UNKNOWN_STATES = {"processing", "failed", "cancelled"}

#: The counts of an import, which the document has as integers, and the models of the newer client as texts.
COUNT = re.compile(r'("(?:invalid|duplicate)_\w+": ?)(\d+)')

_BREVO, _SIB = Brevo(api_key="x"), sib.ApiClient()


def read(operation, text):
    """Read the body of a success with both clients, as strictly as their models can.

    Raises:
        ValueError: a client cannot read it.
    """
    method, kind = METHODS[operation]
    area, name = method.split(".")
    answered = get_type_hints(getattr(getattr(_BREVO, area), name))["return"]
    if kind is None:
        assert answered is type(None)
        return
    TypeAdapter(answered).validate_json(COUNT.sub(r'\1"\2"', text) if "rocess" in operation else text)
    if not any(f'"status":"{state}"' in text for state in UNKNOWN_STATES):
        _SIB.deserialize(SimpleNamespace(data=text), kind)
