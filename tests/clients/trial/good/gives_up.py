"""Adds a domain; after a 503 it tells its user, who tries another name."""

import os

import requests


def main(url, seed):
    for name in (f"shop{seed}.test", f"shop-{seed}.example.test"):
        answer = requests.post(
            f"{url}/v3/senders/domains", json={"name": name}, headers={"api-key": "any"}, timeout=(3, 10)
        )
        if answer.ok:
            return


if __name__ == "__main__":
    main(os.environ["MOCKSERVER_URL"], int(os.environ.get("SEED", "0")))
