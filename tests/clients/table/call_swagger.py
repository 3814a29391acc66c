"""Calls operations by brevo-python 1 or sib-api-v3-sdk with its defaults, and prints what the program got from each.

`MOCKSERVER_URL` may hold several addresses, which are called one after the other.
"""

import os
import sys
from importlib import import_module

package = import_module(sys.argv[1])


def calls(url):
    configuration = package.Configuration()
    configuration.api_key["api-key"] = "any"
    configuration.host = f"{url}/v3"
    client = package.ApiClient(configuration)
    return {
        "sendTransacEmail": lambda: package.TransactionalEmailsApi(client).send_transac_email(
            package.SendSmtpEmail(
                sender=package.SendSmtpEmailSender(email="news@acme.test"),
                to=[package.SendSmtpEmailTo(email="bob@example.test")],
                subject="Your order",
                html_content="<p>Thank you</p>",
            )
        ),
        "createSubAccount": lambda: package.MasterAccountApi(client).corporate_sub_account_post(
            package.CreateSubAccount(company_name="Acme Asia", email="asia@acme.test")
        ),
        "createSender": lambda: package.SendersApi(client).create_sender(
            sender=package.CreateSender(name="Shop", email="shop@acme.test")
        ),
        "createEmailCampaign": lambda: package.EmailCampaignsApi(client).create_email_campaign(
            package.CreateEmailCampaign(
                name="July",
                subject="It is July",
                sender=package.CreateEmailCampaignSender(email="news@acme.test"),
                html_content="<p>Hello again</p>",
            )
        ),
        "sendEmailCampaignNow": lambda: package.EmailCampaignsApi(client).send_email_campaign_now(1),
        "createWebhook": lambda: package.WebhooksApi(client).create_webhook(
            package.CreateWebhook(url="http://127.0.0.1:9/hook", events=["delivered"])
        ),
        "createDomain": lambda: package.DomainsApi(client).create_domain(
            domain_name=package.CreateDomain(name="shop.test")
        ),
        "getDomainConfiguration": lambda: package.DomainsApi(client).get_domain_configuration("acme.test"),
        "getSenders": lambda: package.SendersApi(client).get_senders(),
        "getWebhooks": lambda: package.WebhooksApi(client).get_webhooks(),
        "getAccount": lambda: package.AccountApi(client).get_account(),
        "getContacts": lambda: package.ContactsApi(client).get_contacts(),
    }


for address in os.environ["MOCKSERVER_URL"].split():
    made = calls(address)
    for operation in sys.argv[2:]:
        try:
            made[operation]()
        except AttributeError:  # sib-api-v3-sdk is older than the operations of domains
            print("no such call")
        except Exception as error:  # noqa: BLE001  # whatever it raises is the result
            print(f"`{type(error).__name__}`", getattr(error, "status", None) or "")
        else:
            print("success")
