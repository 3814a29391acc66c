"""Calls operations by requests with its defaults, and prints what the program got from each.

`MOCKSERVER_URL` may hold several addresses, which are called one after the other.
"""

import os
import sys

import requests

MAIL = {
    "sender": {"email": "news@acme.test"},
    "to": [{"email": "bob@example.test"}],
    "subject": "Your order",
    "htmlContent": "<p>Thank you</p>",
}
CAMPAIGN = {
    "name": "July",
    "subject": "It is July",
    "sender": {"email": "news@acme.test"},
    "htmlContent": "<p>Hello again</p>",
}
CALLS = {
    "sendTransacEmail": ("POST", "/smtp/email", MAIL),
    "createSubAccount": ("POST", "/corporate/subAccount", {"companyName": "Acme Asia", "email": "asia@acme.test"}),
    "createSender": ("POST", "/senders", {"name": "Shop", "email": "shop@acme.test"}),
    "createEmailCampaign": ("POST", "/emailCampaigns", CAMPAIGN),
    "sendEmailCampaignNow": ("POST", "/emailCampaigns/1/sendNow", None),
    "createWebhook": ("POST", "/webhooks", {"url": "http://127.0.0.1:9/hook", "events": ["delivered"]}),
    "createDomain": ("POST", "/senders/domains", {"name": "shop.test"}),
    "getDomainConfiguration": ("GET", "/senders/domains/acme.test", None),
    "getSenders": ("GET", "/senders", None),
    "getWebhooks": ("GET", "/webhooks", None),
    "getAccount": ("GET", "/account", None),
    "getContacts": ("GET", "/contacts", None),
}

for address in os.environ["MOCKSERVER_URL"].split():
    for operation in sys.argv[1:]:
        method, path, body = CALLS[operation]
        try:
            answer = requests.request(method, f"{address}/v3{path}", json=body, headers={"api-key": "any"})
            answer.raise_for_status()
            if answer.content:
                answer.json()
        except Exception as error:  # noqa: BLE001  # whatever it raises is the result
            answer = getattr(error, "response", None)
            print(f"`{type(error).__name__}`", "" if answer is None else answer.status_code)
        else:
            print("success")
