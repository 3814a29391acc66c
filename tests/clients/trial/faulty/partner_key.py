"""Reads the account with the header of the reseller program."""

import json
import os
from urllib.request import Request, urlopen


def main(url, seed):
    headers = {"api-key": "any", "partner-key": f"partner-{seed}"}
    with urlopen(Request(f"{url}/v3/account", headers=headers), timeout=5) as answer:
        json.load(answer)


if __name__ == "__main__":
    main(os.environ["MOCKSERVER_URL"], int(os.environ.get("SEED", "0")))
