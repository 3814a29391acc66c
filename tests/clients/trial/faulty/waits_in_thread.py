"""Adds a domain in a thread, and waits for it."""

import json
import os
import threading
from contextlib import suppress
from urllib.request import Request, urlopen


def main(url, seed):
    def add():
        body = json.dumps({"name": f"shop{seed}.test"}).encode()
        headers = {"api-key": "any", "Content-Type": "application/json"}
        with suppress(OSError), urlopen(Request(f"{url}/v3/senders/domains", body, headers)):
            pass

    thread = threading.Thread(target=add)
    thread.start()
    thread.join()


if __name__ == "__main__":
    main(os.environ["MOCKSERVER_URL"], int(os.environ.get("SEED", "0")))
