"""Calls the service by its former name, which a proxy leads to the mock."""

import os
import random

import requests


def main(url, seed):
    host = random.Random(seed).choice(["api.sendinblue.com", "API.sendinblue.com:443"])
    for path in ("/v3/account", "/v3/senders"):
        requests.get(url + path, headers={"api-key": "any", "Host": host}, timeout=5).raise_for_status()


if __name__ == "__main__":
    main(os.environ["MOCKSERVER_URL"], int(os.environ.get("SEED", "0")))
