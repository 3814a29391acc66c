"""Looks for a row page by page, no further than to where it is: after a lost write, or to use it."""

import os
import threading

import requests

CUSTOMERS, CONTACTS, LISTS = (
    ("corporate/subAccount", "subAccounts"),
    ("contacts", "contacts"),
    ("contacts/lists", "lists"),
)


class Shop:
    def __init__(self, url, seed):
        self.url, self.seed, self.session = f"{url}/v3/", seed, requests.Session()
        self.session.headers["api-key"] = "any"

    def send(self, method, path, body=None, timeout=10):
        return self.session.request(method, self.url + path, json=body, timeout=timeout)

    def rows(self, where, limit):
        """Yield the rows of all pages; a page is read when its first row is wanted."""
        path, member = where
        offset, count = 0, 1
        while offset < count:
            page = self.session.get(self.url + path, params={"offset": offset, "limit": limit}, timeout=10).json()
            yield from page.get(member) or ()
            offset, count = offset + limit, page["count"]

    def make(self, where, body, name, limit=10, timeout=10):
        """Make a row; after a lost answer, look for it first."""
        for _ in range(3):
            try:
                if self.send("POST", where[0], body, timeout).status_code < 500:
                    return
            except requests.Timeout:
                self.session.close()
            if any(row[name] == body[name] for row in self.rows(where, limit)):
                return

    def customer(self):
        self.make(CUSTOMERS, {"companyName": f"Aa {self.seed}", "email": "new@customer.test"}, "companyName", limit=40)

    def contact(self):
        self.make(CONTACTS, {"email": f"New{self.seed}@list.test".lower()}, "email", limit=50)

    def contact_list(self):
        self.make(LISTS, {"name": f"New {self.seed}", "folderId": 1}, "name")

    def after_a_timeout(self):
        self.make(LISTS, {"name": f"New {self.seed}", "folderId": 1}, "name", timeout=0.3)

    def in_threads(self):
        makers = [Shop(self.url.removesuffix("/v3/"), f"{self.seed}-{number}") for number in range(4)]
        threads = [threading.Thread(target=maker.contact) for maker in makers]
        for thread in threads:
            thread.start()
        for maker, thread in zip(makers, threads, strict=True):
            thread.join()
            maker.session.close()

    def after_an_update(self):
        newest = self.send("POST", "contacts/lists", {"name": "Newest", "folderId": 1}).json()["id"]
        if self.send("PUT", f"contacts/lists/{newest}", {"name": "Renamed"}).status_code >= 500:
            next(row for row in self.rows(LISTS, 10) if row["name"] == "Renamed")

    def after_a_refused_repeat(self):
        body = {"email": f"new{self.seed}@list.test"}
        if self.send("POST", "contacts", body).status_code >= 500:
            assert self.send("POST", "contacts", body).status_code == 400
            next(row for row in self.rows(CONTACTS, 50) if row["email"] == body["email"])

    def to_use_it(self):
        found = next(row for row in self.rows(LISTS, 10) if row["name"].endswith("9"))
        self.send("POST", f"contacts/lists/{found['id']}/contacts/add", {"emails": ["contact1@list.test"]})

    def to_use_it_from_a_later_page(self):
        found = next(row for row in self.rows(CUSTOMERS, 20) if row["companyName"] == "Customer 3")
        self.send("GET", f"corporate/subAccount/{found['id']}")


#: The ways of a shop by their names.
WAYS = {
    way.__name__.replace("_", " "): way
    for way in (
        Shop.customer, Shop.contact, Shop.contact_list, Shop.after_a_timeout, Shop.in_threads, Shop.after_an_update,
        Shop.after_a_refused_repeat, Shop.to_use_it, Shop.to_use_it_from_a_later_page,
    )
}  # fmt: skip


def main(url, seed, way):
    shop = Shop(url, seed)
    with shop.session:
        WAYS[way](shop)


if __name__ == "__main__":
    for name in WAYS:
        main(os.environ["MOCKSERVER_URL"], int(os.environ.get("SEED", "0")), name)
