"""What becomes of a mail: `follow_mail.py HOOK FROM TO` sends one, and takes the events that HOOK is told.

They come as JSON, one in each line of the standard input. Who wants no more mail is blocked; in the end, HOOK is told
nothing any more.
"""

import json
import sys

from api import run
from brevo import BadRequestError

EVENTS = ["request", "delivered", "unsubscribed"]


def follow(client, hook, sender, to):
    webhook = ensure(client, hook)

    client.transactional_emails.send_transac_email(
        sender={"email": sender},
        to=[{"email": to}],
        subject="Monthly news",
        html_content="<p>Much has happened.</p>",
        tags=["news"],
    )
    print(f"news sent to {to}")

    for line in sys.stdin:
        take(client, json.loads(line))

    client.webhooks.delete_webhook(webhook)
    print("nobody listens any more")


def ensure(client, hook):
    """The id of the webhook with that address, which is made if it is missing."""
    try:
        webhooks = client.webhooks.get_webhooks(type="transactional").webhooks
    except BadRequestError as refused:
        if refused.body["code"] != "document_not_found":
            raise
        webhooks = []  # an account that has none yet
    found = next((webhook.id for webhook in webhooks if webhook.url == hook), None)
    return found or client.webhooks.create_webhook(url=hook, events=EVENTS).id


def take(client, event):
    reader = event["email"]
    print(event["event"], reader)
    if event["event"] == "unsubscribed":
        client.contacts.create_contact(email=reader, email_blacklisted=True, update_enabled=True)
        if client.contacts.get_contact_info(reader).email_blacklisted:
            print(f"{reader} is blocked")


run(follow)
