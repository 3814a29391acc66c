"""Waits as long as a refusal says, in every thread, and then goes on."""

import os
import threading
import time

import requests


def main(url, seed):
    waits = threading.Lock()
    until = time.monotonic()

    def read(path):
        nonlocal until
        while True:
            with waits:  # one request at a time: a refusal of one is a refusal of all
                time.sleep(max(0.0, until - time.monotonic()))
                answer = requests.get(url + path, headers={"api-key": "any"}, timeout=5)
                if answer.status_code != 429:
                    return
                until = time.monotonic() + float(answer.headers["x-sib-ratelimit-reset"])

    paths = ["/v3/account", "/v3/senders", "/v3/senders/domains"]
    threads = [threading.Thread(target=read, args=(paths[(seed + number) % 3],)) for number in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


if __name__ == "__main__":
    main(os.environ["MOCKSERVER_URL"], int(os.environ.get("SEED", "0")))
