"""Makes sure that a webhook is there, however often it runs: `python ensure_webhook.py URL`."""

import os
import sys

from brevo import BadRequestError, Brevo


def webhooks(client):
    """The transactional webhooks of an account; where there is none, the service answers with an error."""
    try:
        return client.webhooks.get_webhooks(type="transactional").webhooks
    except BadRequestError as error:
        if error.body["code"] != "document_not_found":
            raise
        return []


def ensure(client, url, events):
    """The id of the webhook that leads to an address, which is made if it is missing."""
    mine = next((webhook for webhook in webhooks(client) if webhook.url == url), None)
    return mine.id if mine else client.webhooks.create_webhook(url=url, events=events).id


if __name__ == "__main__":
    brevo = Brevo(api_key=os.environ["BREVO_API_KEY"], base_url=os.environ["BREVO_BASE_URL"])
    print(ensure(brevo, sys.argv[1], ["delivered", "hardBounce"]))
