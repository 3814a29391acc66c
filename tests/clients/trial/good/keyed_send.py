"""Sends an e-mail again after a 5xx, with a key by which the service knows it."""

import os
import time
import uuid

import requests


def main(url, seed):
    body = {
        "sender": {"email": "news@acme.test"},
        "to": [{"email": f"buyer{seed}@example.test"}],
        "subject": "Your order",
        "htmlContent": "<p>Thank you</p>",
        "headers": {"idempotencyKey": str(uuid.uuid4())},
    }
    for attempt in range(4):
        answer = requests.post(f"{url}/v3/smtp/email", json=body, headers={"api-key": "any"}, timeout=5)
        if answer.status_code < 500:
            return
        time.sleep(0.01 * attempt)


if __name__ == "__main__":
    main(os.environ["MOCKSERVER_URL"], int(os.environ.get("SEED", "0")))
