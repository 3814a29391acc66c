"""A robot that answers mails: `answer_mail.py DOMAIN HOOK FROM` lets HOOK be told of mails to DOMAIN.

What it is told comes as JSON, one call in each line of the standard input.
"""

import json
import sys

from api import run
from brevo import BadRequestError


def answer(client, domain, hook, sender):
    if hook not in hooks(client):
        client.webhooks.create_webhook(type="inbound", events=["inboundEmailProcessed"], domain=domain, url=hook)
    print(f"mails to {domain} are taken")

    for line in sys.stdin:
        for mail in json.loads(line)["items"]:
            reply(client, sender, mail)


def hooks(client):
    try:
        return [webhook.url for webhook in client.webhooks.get_webhooks(type="inbound").webhooks]
    except BadRequestError as refused:
        if refused.body["code"] != "document_not_found":
            raise
        return []  # an account that has none yet


def reply(client, sender, mail):
    reader, subject = mail["From"]["Address"], f"Re: {mail['Subject']}"
    client.transactional_emails.send_transac_email(
        sender={"email": sender},
        to=[{"email": reader}],
        reply_to={"email": sender},
        subject=subject,
        text_content="We look into it.",
        headers={"In-Reply-To": mail["MessageId"]},
    )
    print(f"answered {reader}: {subject}")
    print(len(client.inbound_parsing.get_inbound_email_events(sender=reader).events), "so far from", reader)


run(answer)
