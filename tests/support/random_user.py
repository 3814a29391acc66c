"""A random user, who does anything that a team's tests may do in a workspace, and a suitable scenario."""

from __future__ import annotations

from random import Random

#: A master account with two sub-accounts and a second account beside them; everything that waits takes an hour.
STORY = {
    "clock": {"start": "2026-01-15T09:00:00Z", "frozen": True},
    "seed": 11,
    "behaviour": {name: {"after": "PT1H"} for name in ("bulk_plan", "authenticate_domain", "export")},
    "accounts": [
        {
            "name": "acme",
            "id": 1000001,
            "role": "master",
            "api_keys": ["xkeysib-story-acme", "xkeysib-story-acme-2"],
            "email": "owner@acme.test",
            "pool": {"credits": {"email": 1000, "sms": 100}, "features": {"users": 6}},
            "senders": [{"name": "News", "email": "news@acme.test", "state": "verified"}],
            "domains": [{"name": "acme.test", "state": "verified"}],
            "webhooks": [{"url": "http://127.0.0.1:9/hook", "events": ["hardBounce"]}],
        },
        {"name": "eu", "id": 1000002, "role": "sub_account", "of": "acme", "api_keys": ["xkeysib-story-eu"]},
        {"name": "us", "id": 1000003, "role": "sub_account", "of": "acme"},
        {"name": "other", "id": 1000004, "api_keys": []},
    ],
}


class RandomUser:
    """Does what a test may do in a workspace, chosen by a seeded source; `ask` gives status and JSON of an answer."""

    def __init__(self, ask, seed, actions=None):
        self._ask, self._random = ask, Random(seed)
        self._actions = actions or ACTIONS
        self._keys = [None]

    def play(self, steps):
        for _ in range(steps):
            self.do(self._random.choice(self._actions))

    def do(self, action):
        getattr(self, action)()

    def _pick(self, *of):
        return self._random.choice(of)

    def _number(self):
        return self._random.randint(1, 5)

    def _email(self):
        return f"s{self._number()}@{self._pick('acme.test', 'shop.test', 'Acme.test')}"

    def _domain(self):
        return f"{self._pick('acme', 'shop', 'a.acme')}.test"

    def _sub_account(self):
        return self._random.randint(1000002, 1000006)

    def _plan(self):
        return {"credits": {"email": self._pick(100, 400, 700, 0)}, "features": {"users": self._pick(1, 3, 7)}}

    def create_sender(self):
        body = {"name": self._pick("A", "Ünï"), "email": self._email()}
        self._ask("POST", "/v3/senders", body, key=self._pick(*self._keys))

    def update_sender(self):
        body = self._pick({"name": "New"}, {"email": self._email()}, {})
        self._ask("PUT", f"/v3/senders/{self._number()}", body)

    def validate_sender(self):
        mails = self._ask("GET", "/_mock/mailbox?limit=3")[1]["items"]
        otp = self._pick(*[mail["otp"] for mail in mails], 123456)
        self._ask("PUT", f"/v3/senders/{self._number()}/validate", {"otp": otp})

    def delete_sender(self):
        self._ask("DELETE", f"/v3/senders/{self._number()}")

    def list_senders(self):
        self._ask("GET", "/v3/senders?limit=3")

    def create_domain(self):
        self._ask("POST", "/v3/senders/domains", {"name": self._domain()})

    def delete_domain(self):
        self._ask("DELETE", f"/v3/senders/domains/{self._domain()}")

    def publish_dns(self):
        answers = {name: self._pick("ok", "ok", "missing") for name in ("brevo_code", "dkim_record", "dmarc_record")}
        self._ask("PUT", f"/_mock/dns/{self._domain()}", answers)

    def authenticate_domain(self):
        self._ask("PUT", f"/v3/senders/domains/{self._domain()}/authenticate")

    def create_webhook(self):
        body = {"url": f"http://u:p@127.0.0.1:9/{self._number()}", "events": [self._pick("opened", "click", "what")]}
        self._ask("POST", "/v3/webhooks", body)

    def update_webhook(self):
        body = {"description": f"n{self._number()}", "headers": [{"key": "x-a", "value": "b"}]}
        self._ask("PUT", f"/v3/webhooks/{self._number()}", body)

    def delete_webhook(self):
        self._ask("DELETE", f"/v3/webhooks/{self._number()}")

    def export_history(self):
        body = {"type": "transactional", "event": "opened", "notifyURL": "http://127.0.0.1:9/done", "days": 2}
        self._ask("POST", "/v3/webhooks/export", body)

    def create_sub_account(self):
        self._ask("POST", "/v3/corporate/subAccount", {"companyName": "Sub", "email": "owner@sub.test"})

    def delete_sub_account(self):
        self._ask("DELETE", f"/v3/corporate/subAccount/{self._sub_account()}")

    def create_key(self):
        status, found = self._ask("POST", "/v3/corporate/subAccount/key", {"id": self._sub_account(), "name": "CI"})
        if status == 201 and found:
            self._keys.append(found["key"])

    def change_plan(self):
        self._ask("PUT", f"/v3/corporate/subAccount/{self._sub_account()}/plan", self._plan())

    def change_plans(self):
        body = {"subAccountIds": [self._sub_account(), self._sub_account()], **self._plan()}
        self._ask("PUT", "/v3/corporate/subAccounts/plan", body)

    def send_nonsense(self):
        body = self._pick({"name": 7}, {"nmae": "A"}, [], {"name": "A", "email": "b", "c": 1})
        self._ask("POST", "/v3/senders", body)

    def add_fault(self):
        rule = {
            "fault": self._pick("server_error", "lost_answer", "malformed_body", "rate_limited", "otp_invalid"),
            **self._pick({"times": 1}, {"times": 2, "after": 1}, {"probability": 0.5}, {"ttl_s": 1800}),
        }
        self._ask("POST", "/_mock/faults", rule)

    def remove_faults(self):
        self._ask("DELETE", "/_mock/faults")

    def advance(self):
        self._ask("POST", "/_mock/clock/advance", self._pick({"by": "PT10M"}, {"by": "PT1H"}, {"to": "next"}))

    def fire(self):
        event = self._pick("expire_otp", "resend_otp", "verify", "delete")
        self._ask("POST", f"/_mock/machines/sender/{self._number()}/{event}")

    def revoke_key(self):
        self._ask("POST", "/_mock/keys/revoke", {"key": self._pick(*self._keys) or "xkeysib-nobody"})

    def seed(self):
        added = self._pick(
            {"senders": [{"name": "Seeded", "email": self._email()}]},
            {"domains": [{"name": self._domain()}], "dns": {"b.test": {"brevo_code": "ok"}}},
            {"accounts": [{"name": f"n{self._number()}", "senders": [{"name": "N", "email": self._email()}]}]},
        )
        self._ask("POST", "/_mock/seed", added)


ACTIONS = sorted(name for name in vars(RandomUser) if not name.startswith("_") and name not in ("play", "do"))
