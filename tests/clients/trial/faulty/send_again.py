"""Sends an order confirmation, and sends it again whenever the service has trouble."""

import os
import random
import time

import requests


def main(url, seed):
    draw = random.Random(seed)
    body = {
        "sender": {"email": "news@acme.test"},
        "to": [{"email": f"buyer{draw.randrange(1000)}@example.test"}],
        "subject": f"Your order {draw.randrange(10_000)}",
        "htmlContent": "<p>Thank you</p>",
    }
    for attempt in range(4):
        answer = requests.post(f"{url}/v3/smtp/email", json=body, headers={"api-key": "any"}, timeout=5)
        if answer.status_code < 500:
            return
        time.sleep(draw.uniform(0, 0.02) * attempt)


if __name__ == "__main__":
    main(os.environ["MOCKSERVER_URL"], int(os.environ.get("SEED", "0")))
