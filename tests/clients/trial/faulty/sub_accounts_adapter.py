"""Makes a sub-account for each customer, on a session that repeats every method."""

import os
import random

import requests
from requests.adapters import HTTPAdapter
from urllib3.util import Retry


def main(url, seed):
    draw = random.Random(seed)
    session = requests.Session()
    repeats = Retry(total=3, status_forcelist=[502, 503, 504], allowed_methods=None, backoff_factor=0.01)
    session.mount("http://", HTTPAdapter(max_retries=repeats))
    session.headers["api-key"] = "any"
    customers = [f"{name}{draw.randrange(1000)}" for name in ("ada", "bob", "eve")]
    draw.shuffle(customers)
    with session:
        for customer in customers:
            body = {"companyName": customer.title(), "email": f"{customer}@customer.test"}
            session.post(f"{url}/v3/corporate/subAccount", json=body, timeout=5).raise_for_status()


if __name__ == "__main__":
    main(os.environ["MOCKSERVER_URL"], int(os.environ.get("SEED", "0")))
