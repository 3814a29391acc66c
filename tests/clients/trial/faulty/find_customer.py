"""Looks for the sub-account of a customer, and makes one if it finds none."""

import json
import os
from urllib.request import Request, urlopen


def main(url, seed):
    def ask(path, body=None):
        data = None if body is None else json.dumps(body).encode()
        headers = {"api-key": "any", "Content-Type": "application/json"}
        with urlopen(Request(url + path, data, headers), timeout=5) as answer:
            return json.load(answer)

    company = f"Customer {seed % 15 + 30}"
    page = ask("/v3/corporate/subAccount?offset=0&limit=20")
    if not any(row["companyName"] == company for row in page.get("subAccounts", ())):
        ask("/v3/corporate/subAccount", {"companyName": company, "email": f"new{seed}@customer.test"})


if __name__ == "__main__":
    main(os.environ["MOCKSERVER_URL"], int(os.environ.get("SEED", "0")))
