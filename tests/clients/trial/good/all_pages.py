"""Reads all contacts and all lists, page by page."""

import json
import os
from urllib.parse import urlencode
from urllib.request import Request, urlopen


def main(url, seed):
    def pages(path, member, limit):
        offset = 0
        while True:
            query = urlencode({"limit": limit, "offset": offset})
            with urlopen(Request(f"{url}{path}?{query}", headers={"api-key": "any"}), timeout=5) as answer:
                page = json.load(answer)
            yield from page.get(member) or ()
            offset += limit
            if offset >= page["count"]:
                return

    list(pages("/v3/contacts", "contacts", 30 + seed % 40))
    list(pages("/v3/contacts/lists", "lists", 5))


if __name__ == "__main__":
    main(os.environ["MOCKSERVER_URL"], int(os.environ.get("SEED", "0")))
