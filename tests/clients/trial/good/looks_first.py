"""Makes a sub-account; after a 504 it looks whether it is there before it tries again."""

import os
import random

import requests


def main(url, seed):
    email = f"customer{random.Random(seed).randrange(1000)}@customer.test"
    with requests.Session() as session:
        session.headers["api-key"] = "any"
        path = f"{url}/v3/corporate/subAccount"

        def is_there():
            rows = session.get(path, params={"offset": 0, "limit": 100}, timeout=5).json()["subAccounts"]
            return any(row["companyName"] == email for row in rows)

        for _ in range(3):
            answer = session.post(path, json={"companyName": email, "email": email}, timeout=5)
            if answer.status_code < 500 or is_there():
                return


if __name__ == "__main__":
    main(os.environ["MOCKSERVER_URL"], int(os.environ.get("SEED", "0")))
