"""Sends the same reminder to the same people in eight threads, on purpose, and makes distinct contacts."""

import os
import random
from concurrent.futures import ThreadPoolExecutor

import requests


def main(url, seed):
    draw = random.Random(seed)
    headers = {"api-key": "any"}
    reminder = {
        "sender": {"email": "news@acme.test"},
        "to": [{"email": "ada@example.test"}],
        "subject": "Do not forget",
        "textContent": "Today",
    }
    jobs = [("smtp/email", reminder)] * 4
    jobs += [("contacts", {"email": f"{number}@contact.test"}) for number in range(8)]
    draw.shuffle(jobs)

    def post(job):
        path, body = job
        return requests.post(f"{url}/v3/{path}", json=body, headers=headers, timeout=5).status_code

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(post, jobs))


if __name__ == "__main__":
    main(os.environ["MOCKSERVER_URL"], int(os.environ.get("SEED", "0")))
