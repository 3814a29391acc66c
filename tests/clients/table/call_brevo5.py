"""Calls operations by brevo-python 5 with its defaults, and prints what the program got from each.

`MOCKSERVER_URL` may hold several addresses, which are called one after the other.
"""

import os
import sys

from brevo import Brevo
from brevo.transactional_emails import SendTransacEmailRequestSender, SendTransacEmailRequestToItem


def calls(url):
    client = Brevo(api_key="any", base_url=f"{url}/v3")
    return {
        "sendTransacEmail": lambda: client.transactional_emails.send_transac_email(
            sender=SendTransacEmailRequestSender(email="news@acme.test"),
            to=[SendTransacEmailRequestToItem(email="bob@example.test")],
            subject="Your order",
            html_content="<p>Thank you</p>",
        ),
        "createSubAccount": lambda: client.master_account.create_a_new_sub_account_under_a_master_account(
            company_name="Acme Asia", email="asia@acme.test"
        ),
        "createSender": lambda: client.senders.create_sender(name="Shop", email="shop@acme.test"),
        "createEmailCampaign": lambda: client.email_campaigns.create_email_campaign(
            name="July", subject="It is July", sender={"email": "news@acme.test"}, html_content="<p>Hello again</p>"
        ),
        "sendEmailCampaignNow": lambda: client.email_campaigns.send_email_campaign_now(1),
        "createWebhook": lambda: client.webhooks.create_webhook(url="http://127.0.0.1:9/hook", events=["delivered"]),
        "createDomain": lambda: client.domains.create_domain(name="shop.test"),
        "getDomainConfiguration": lambda: client.domains.get_domain_configuration("acme.test"),
        "getSenders": client.senders.get_senders,
        "getWebhooks": client.webhooks.get_webhooks,
        "getAccount": client.account.get_account,
        "getContacts": client.contacts.get_contacts,
    }


for address in os.environ["MOCKSERVER_URL"].split():
    made = calls(address)
    for operation in sys.argv[1:]:
        try:
            made[operation]()
        except Exception as error:  # noqa: BLE001  # whatever it raises is the result
            print(f"`{type(error).__name__}`", getattr(error, "status_code", None) or "")
        else:
            print("success")
