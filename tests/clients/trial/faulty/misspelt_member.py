"""Makes a sender with the name of a member as another API spells it."""

import os
import random

import requests


def main(url, seed):
    name = random.Random(seed).choice(["replyTo", "reply_to", "displayName"])
    body = {"name": "Shop", "email": f"shop{seed}@acme.test", name: "help@acme.test"}
    requests.post(f"{url}/v3/senders", json=body, headers={"api-key": "any"}, timeout=5).raise_for_status()


if __name__ == "__main__":
    main(os.environ["MOCKSERVER_URL"], int(os.environ.get("SEED", "0")))
