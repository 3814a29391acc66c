"""Reads the account, and waits for the same short time after every refusal."""

import os
import time

import requests


def main(url, seed):
    pause = 0.02 + seed % 5 / 100
    for _ in range(5):
        answer = requests.get(f"{url}/v3/account", headers={"api-key": "any"}, timeout=5)
        if answer.status_code != 429:
            break
        time.sleep(pause)


if __name__ == "__main__":
    main(os.environ["MOCKSERVER_URL"], int(os.environ.get("SEED", "0")))
