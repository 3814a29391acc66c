"""Repeats what may be repeated: it changes a sender, and deletes a webhook, again after a 504."""

import os

import requests


def main(url, seed):
    with requests.Session() as session:
        session.headers["api-key"] = "any"
        calls = [("PUT", "/v3/senders/1", {"name": f"News {seed}"}), ("DELETE", "/v3/webhooks/1", None)]
        for method, path, body in calls[:: 1 if seed % 2 else -1]:
            for _ in range(3):
                if session.request(method, url + path, json=body, timeout=5).status_code < 500:
                    break


if __name__ == "__main__":
    main(os.environ["MOCKSERVER_URL"], int(os.environ.get("SEED", "0")))
