"""Registers a webhook whose address has a token, by which its receiver knows the caller."""

import os
import random
import secrets

import requests


def main(url, seed):
    events = ["delivered", "hardBounce", "softBounce", "click"]
    random.Random(seed).shuffle(events)
    target = f"http://127.0.0.1:9/brevo?shop={seed}&token={secrets.token_urlsafe(24)}"
    body = {"url": target, "events": events[:2], "description": "Events of the shop"}
    requests.post(f"{url}/v3/webhooks", json=body, headers={"api-key": "any"}, timeout=5).raise_for_status()


if __name__ == "__main__":
    main(os.environ["MOCKSERVER_URL"], int(os.environ.get("SEED", "0")))
