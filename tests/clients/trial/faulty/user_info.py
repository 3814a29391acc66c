"""Registers an inbound webhook with a user and a password in its address."""

import json
import os
from urllib.request import Request, urlopen


def main(url, seed):
    body = {
        "url": f"http://brevo:pa55w{seed}rd@127.0.0.1:9/inbound",
        "type": "inbound",
        "events": ["inboundEmailProcessed"],
        "domain": "in.acme.test",
    }
    headers = {"api-key": "any", "Content-Type": "application/json"}
    with urlopen(Request(f"{url}/v3/webhooks", json.dumps(body).encode(), headers), timeout=5):
        pass


if __name__ == "__main__":
    main(os.environ["MOCKSERVER_URL"], int(os.environ.get("SEED", "0")))
