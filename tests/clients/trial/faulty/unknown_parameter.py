"""Lists its transactional webhooks page by page, with parameters that the list does not have."""

import os

import requests


def main(url, seed):
    for page in range(1, seed % 3 + 2):
        query = {"type": "transactional", "page": page, "per_page": 50}
        requests.get(f"{url}/v3/webhooks", params=query, headers={"api-key": "any"}, timeout=5).raise_for_status()


if __name__ == "__main__":
    main(os.environ["MOCKSERVER_URL"], int(os.environ.get("SEED", "0")))
