"""A random marketer, whose every step happens at the API and in the model, which must agree."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from random import Random

from marketing_model import Account, Marketing

START = datetime(2026, 1, 15, 9, tzinfo=UTC)
#: The credits of accounts. The first gets more from its master, when they are used up.
ACCOUNTS = {"acme": 8, "shop": 100_000}
MASTER, ACME = "group", 1_000_001
EMAILS = [f"{name}@readers.test" for name in ("ada", "bob", "eve", "ian", "joe", "kim", "lea", "max", "ned", "zoe")]
UNKNOWN = 999
SUBJECTS = ("News", "Hi {{ contact.FIRSTNAME }}!")
HTML = "<p>Hello, dear readers</p>"
STATUSES = (
    "suspended", "suspended", "suspended", "archive", "darchive", "sent", "queued", "queued", "replicate",
    "replicateTemplate", "draft", "draft",
)  # fmt: skip
EVENTS = ("opened", "click", "unsubscribed", "spam", "hardBounce", "softBounce")
#: Few lists, so that they have contacts.
MOST_LISTS = 5
#: How many e-mails are read, and how many of each account are compared.
NEWEST, COMPARED = 40, 15


def scenario():
    master = {"name": MASTER, "role": "master", "api_keys": [MASTER], "pool": {"credits": {"email": 1_000_000}}}
    rows = [
        {
            "name": name,
            "email": f"owner@{name}.test",
            "api_keys": [name],
            "plan": [{"type": "free", "credits": credits_}],
            "senders": [
                {"id": 2 * number - 1, "name": "News", "email": f"news@{name}.test", "state": "verified"},
                {"id": 2 * number, "name": "New", "email": f"new@{name}.test", "state": "awaiting_verification"},
            ],
            "attributes": {"normal": ["FIRSTNAME"]},
        }
        for number, (name, credits_) in enumerate(ACCOUNTS.items(), 1)
    ]
    rows[0] |= {"id": ACME, "role": "sub_account", "of": MASTER}
    del rows[0]["plan"]
    return {"clock": {"start": START.isoformat(), "frozen": True}, "accounts": [master, *rows]}


class RandomMarketer:
    """Does steps, chosen by a seed, in a workspace with the scenario of this module."""

    def __init__(self, api, seed):
        self._api, self._random = api, Random(seed)
        assert api.post("/_mock/reset", json={"scenario": scenario()}).status_code == 200
        self.model = Marketing(Account(*row) for row in ACCOUNTS.items())
        self._steps = []
        self._assigned = 0
        self.model.accounts["acme"].credits = 0
        self.buy(ACCOUNTS["acme"])
        for account in self.model.accounts.values():
            self._account = account
            for act in (self.create_list, self.create_list, *[self.create_contact] * len(EMAILS)):
                act()

    def play(self, steps):
        for _ in range(steps):
            self._account = self.model.accounts[self._pick("acme", *ACCOUNTS)]
            if self._happens(0.4):
                self.advance()
            getattr(self, self._pick(*STEPS))()
            self.compare_mails()

    # ------------------------------------------------------------------ choices

    def _pick(self, *of):
        return self._random.choice(of)

    def _happens(self, probability):
        return self._random.random() < probability

    def _some(self, of, most=3):
        return self._random.sample(of, self._random.randint(0, min(most, len(of))))

    def _lists(self):
        """The ids of some lists of the account; seldom one that it has not."""
        found = self._some(list(self._account.lists)) or list(self._account.lists)[-1:]
        return [*found, UNKNOWN] if self._happens(0.05) else found

    def _list(self):
        return self._pick(*self._account.lists, UNKNOWN)

    # ------------------------------------------------------------------ comparison

    def _call(self, expected, method, path, body=None):
        """Call an operation, and compare its answer with the model's, which the model gives now."""
        options = {} if body is None else {"json": body}
        answer = self._api.request(method, f"/v3{path}", key=self._account.name, **options)
        self._steps.append(f"{self._account.name} {method} {path} {body or ''} -> {answer.status_code} {answer.text}")
        self._hold(
            (answer.status_code, (answer.status_code >= 400 and answer.json["code"]) or None),
            (expected.status, expected.code),
        )
        if expected.body:
            self._hold(_part(_in_order(answer.json), expected.body), expected.body)

    def _hold(self, found, expected):
        if found != expected:
            steps = "\n".join(self._steps[-25:])
            message = f"step {len(self._steps)}: the API has {found}, the model {expected}, after\n{steps}"
            raise AssertionError(message)

    # ------------------------------------------------------------------ time

    def advance(self):
        by = self._pick(1, 997, 997, 2_003, 2_003, 10_007, 10_007, 30_011, 61_001, 600_011)
        self._steps.append(f"advance {by} ms")
        assert self._api.post("/_mock/clock/advance", json={"by": f"PT{by / 1000:.3f}S"}).status_code == 200
        self.model.advance(by)

    def _moment(self):
        """A moment in the future, or seldom in the past, in milliseconds and as the API writes it."""
        found = self.model.now + self._pick(-1, 0, 5_003, 30_011, 30_011, 90_017, 900_019) + self._random.randint(1, 97)
        at = START + timedelta(milliseconds=found)
        return found, at.isoformat(timespec="milliseconds").replace("+00:00", "Z")

    def reload(self):
        """Load the state that the workspace writes, which changes nothing but the mailbox."""
        self._steps.append("reload")
        state = self._api.get("/_mock/state").json
        answer = self._api.put("/_mock/state", json=state)
        assert answer.status_code == 200, answer.text
        found = self._api.get("/_mock/state").json
        self._hold(found, state)
        if self._api.get("/_mock/mailbox").json["count"] == 0:
            self.model.mails.clear()

    # ------------------------------------------------------------------ credits and e-mails

    def buy(self, more=None):
        """The master gives the first account more credits."""
        more = more or self._pick(2, 9)
        account = self.model.accounts["acme"]
        self._assigned += more
        account.credits += more
        body = {"credits": {"email": self._assigned}}
        answer = self._api.put(f"/v3/corporate/subAccount/{ACME}/plan", json=body, key=MASTER)
        assert answer.status_code == 204, answer.text

    def get_credits(self):
        plan = self._api.get("/v3/account", key=self._account.name).json["plan"]
        self._hold(plan[0]["credits"], self._account.credits)

    def send_email(self):
        addresses = [f"o{number}@else.test" for number in range(self._random.randint(1, 5))]
        body = {
            "sender": {"email": f"news@{self._account.name}.test"},
            "to": [{"email": address} for address in addresses], "subject": "Bill", "textContent": "Hello",
        }  # fmt: skip
        self._call(self.model.send_email(self._account, addresses, "Bill"), "POST", "/smtp/email", body)

    def compare_mails(self):
        """Compare the newest e-mails of each account; the accounts' order of one moment does not matter."""
        found = self._api.get(f"/_mock/mailbox?limit={NEWEST}").json["items"]
        for name in ACCOUNTS:
            of_account = [(mail["to"], mail["subject"]) for mail in found if mail["account"] == name][:COMPARED]
            expected = [(mail.to, mail.subject) for mail in self.model.mails[-1_000:] if mail.account == name]
            self._hold(of_account, expected[: -len(of_account) - 1 : -1])
        self._hold(len(found), min(len(self.model.mails), NEWEST))

    def bounce(self):
        """A transactional e-mail bounces, which blocks the contact."""
        email, account = self._pick(*EMAILS), self._account
        body = {"event": self._pick("hardBounce", "unsubscribed", "spam"), "to": email, "account": account.name}
        self._trigger(body)
        account.blocked.add(email)

    def _trigger(self, body):
        self._steps.append(f"trigger {body}")
        answer = self._api.post("/_mock/trigger", json=body)
        assert answer.status_code == 200, answer.text

    def unblock(self):
        email = self._pick(*EMAILS)
        self._call(self.model.unblock(self._account, email), "DELETE", f"/smtp/blockedContacts/{email}")

    # ------------------------------------------------------------------ templates

    def _sender(self):
        is_verified = self._happens(0.9)
        return {"email": f"{'news' if is_verified else 'new'}@{self._account.name}.test"}, is_verified

    def _template(self):
        return self._pick(*self._account.templates, *self._account.templates, *self._account.campaigns, UNKNOWN)

    def create_template(self):
        (sender, is_verified), subject, is_active = self._sender(), self._pick(*SUBJECTS), self._happens(0.5)
        body = {
            "templateName": "T", "sender": sender, "subject": subject, "htmlContent": HTML, "isActive": is_active,
        }  # fmt: skip
        expected = self.model.create_template(self._account, "T", subject, is_verified=is_verified, is_active=is_active)
        self._call(expected, "POST", "/smtp/templates", body)

    def get_template(self):
        number = self._template()
        self._call(self.model.get_template(self._account, number), "GET", f"/smtp/templates/{number}")

    def list_templates(self):
        is_active = self._pick(None, True, False)
        query = "" if is_active is None else f"&templateStatus={str(is_active).lower()}"
        expected = self.model.list_templates(self._account, is_active=is_active)
        expected.body["templates"] = expected.body["templates"][:50]
        self._call(expected, "GET", f"/smtp/templates?limit=50{query}")

    def update_template(self):
        number, changes = self._template(), self._pick({"name": "U"}, {"is_active": True}, {"is_active": False})
        body = {{"name": "templateName", "is_active": "isActive"}[name]: value for name, value in changes.items()}
        expected = self.model.update_template(self._account, number, **changes)
        self._call(expected, "PUT", f"/smtp/templates/{number}", body)

    def delete_template(self):
        number = self._template()
        self._call(self.model.delete_template(self._account, number), "DELETE", f"/smtp/templates/{number}")

    def test_template(self):
        number = self._template()
        self._test(self._account.templates.get(number), f"/smtp/templates/{number}/sendTest")

    def _test(self, row, path):
        emails, account = self._some(EMAILS, 2) or EMAILS[:1], self._account
        day = (START + timedelta(milliseconds=self.model.now)).date()
        if account.tests[day] + len(emails) > 50:
            return
        before = len(self.model.mails)
        self._call(self.model.send_tests(account, row, emails), "POST", path, {"emailTo": emails})
        account.tests[day] += len(self.model.mails) - before

    # ------------------------------------------------------------------ campaigns

    def _campaign(self):
        """The id of a campaign, most often of one that is not sent, seldom of something else."""
        account = self._account
        unsent = [row.id for row in account.campaigns.values() if row.state != "sent"]
        return self._pick(*unsent) if unsent and self._happens(0.7) else self._pick(*account.campaigns, *self._others())

    def _others(self):
        return [*list(self._account.templates)[-2:], UNKNOWN]

    def create_campaign(self):
        (sender, is_verified), lists, excluded = self._sender(), self._lists(), self._some(list(self._account.lists), 1)
        body = {"name": "C", "sender": sender, "recipients": {"listIds": lists, "exclusionListIds": excluded}}
        subject, template, scheduled_at = self._pick(*SUBJECTS, None), None, None
        if subject is None:
            body["templateId"] = template = self._template()
        else:
            body |= {"subject": subject, "htmlContent": HTML}
        if self._happens(0.4):
            scheduled_at, body["scheduledAt"] = self._moment()
        expected = self.model.create_campaign(
            self._account, "C", subject, lists=lists, excluded=excluded, scheduled_at=scheduled_at,
            is_verified=is_verified, template=template,
        )  # fmt: skip
        self._call(expected, "POST", "/emailCampaigns", body)

    def update_campaign(self):
        number, body, changes = self._campaign(), {}, {}
        if self._happens(0.4):
            body["name"] = changes["name"] = "D"
        if self._happens(0.4):
            changes["lists"] = self._lists() or [UNKNOWN]
            body["recipients"] = {"listIds": changes["lists"]}
        if self._happens(0.4):
            changes["scheduled_at"], body["scheduledAt"] = self._moment()
        expected = self.model.update_campaign(self._account, number, **changes)
        self._call(expected, "PUT", f"/emailCampaigns/{number}", body)

    def delete_campaign(self):
        number = self._campaign()
        self._call(self.model.delete_campaign(self._account, number), "DELETE", f"/emailCampaigns/{number}")

    def send_now(self):
        number = self._campaign()
        self._call(self.model.send_now(self._account, number), "POST", f"/emailCampaigns/{number}/sendNow")
        if self._happens(0.3):
            self.send_email()  # the credits may end half way

    def set_status(self):
        number, status = self._campaign(), self._pick(*STATUSES)
        expected = self.model.set_status(self._account, number, status)
        self._call(expected, "PUT", f"/emailCampaigns/{number}/status", {"status": status})

    def test_campaign(self):
        number = self._campaign()
        self._test(self._account.campaigns.get(number), f"/emailCampaigns/{number}/sendTest")

    def get_campaign(self):
        number, statistics = self._campaign(), self._pick("globalStats", "globalStats", "statsByDomain", "linksStats")
        expected = self.model.get_campaign(self._account, number, statistics)
        self._call(expected, "GET", f"/emailCampaigns/{number}?statistics={statistics}")

    def list_campaigns(self):
        status = self._pick(None, "draft", "queued", "suspended", "sent", "archive", "inProcess")
        query = "" if status is None else f"&status={status}"
        expected = self.model.list_campaigns(self._account, status)
        expected.body["campaigns"] = expected.body["campaigns"][:100]
        self._call(expected, "GET", f"/emailCampaigns?limit=100{query}")

    def raise_event(self):
        """Raise an event of a campaign, by its id or as the last one that the contact got."""
        account, event, email = self._account, self._pick(*EVENTS), self._pick(*EMAILS)
        body = {"type": "marketing", "event": event, "to": email, "account": account.name}
        number = self.model.last_campaign(account, email)
        if account.campaigns and (number is None or self._happens(0.5)):
            body["campaign"] = number = self._pick(*account.campaigns)
        if number is not None:
            self._trigger(body)
            self.model.raise_event(account, number, event, email)

    # ------------------------------------------------------------------ imports of contacts

    def import_contacts(self):
        rows = [
            (self._pick(*EMAILS, "nobody"), self._pick("Ada", "Bob", "")) for _ in range(self._random.randint(1, 6))
        ]
        lists = self._lists() or [UNKNOWN]
        is_update, is_silent, is_erasing = self._happens(0.7), self._happens(0.7), self._happens(0.3)
        is_blacklisting = self._happens(0.1)
        body = {
            "fileBody": "EMAIL;FIRSTNAME\n" + "".join(f"{email};{name}\n" for email, name in rows),
            "listIds": lists,
            "updateExistingContacts": is_update,
            "disableNotification": is_silent,
            "emptyContactsAttributes": is_erasing,
            "emailBlacklist": is_blacklisting,
        }
        expected = self.model.import_contacts(
            self._account, rows, lists, is_update=is_update, is_silent=is_silent, is_erasing=is_erasing,
            is_blacklisting=is_blacklisting,
        )  # fmt: skip
        self._call(expected, "POST", "/contacts/import", body)

    def get_process(self):
        number = self._pick(*self._account.imports, UNKNOWN)
        self._call(self.model.get_process(self._account, number), "GET", f"/processes/{number}")

    # ------------------------------------------------------------------ contacts and lists

    def create_contact(self):
        email, lists, is_update = self._pick(*EMAILS), self._lists(), self._happens(0.5)
        is_blacklisted = self._pick(None, None, None, True, False, False)
        if UNKNOWN in lists and self._account.by_email(email):
            return  # two errors
        body = {"email": email, "listIds": lists, "updateEnabled": is_update, **_flag(is_blacklisted)}
        expected = self.model.create_contact(
            self._account, email, lists=lists, is_blacklisted=is_blacklisted, is_update=is_update
        )
        self._call(expected, "POST", "/contacts", body)

    def update_contact(self):
        email, lists = self._pick(*EMAILS), self._lists()
        unlinked = [number for number in self._lists() if number not in lists]
        is_blacklisted = self._pick(None, None, None, True, False, False)
        body = {"listIds": lists, "unlinkListIds": unlinked, **_flag(is_blacklisted)}
        expected = self.model.update_contact(
            self._account, email, lists=lists, unlinked=unlinked, is_blacklisted=is_blacklisted
        )
        self._call(expected, "PUT", f"/contacts/{email}", body)

    def delete_contact(self):
        email = self._pick(*EMAILS)
        self._call(self.model.delete_contact(self._account, email), "DELETE", f"/contacts/{email}")

    def get_contact(self):
        email = self._pick(*EMAILS)
        self._call(self.model.get_contact(self._account, email), "GET", f"/contacts/{email}")

    def create_list(self):
        if len(self._account.lists) >= MOST_LISTS:
            return
        self._call(self.model.create_list(self._account, "L"), "POST", "/contacts/lists", {"name": "L", "folderId": 1})

    def delete_list(self):
        number = self._list()
        if self._happens(0.7):
            return
        self._call(self.model.delete_list(self._account, number), "DELETE", f"/contacts/lists/{number}")

    def get_list(self):
        number = self._list()
        self._call(self.model.get_list(self._account, number), "GET", f"/contacts/lists/{number}")

    def move(self):
        number, emails, way = self._list(), self._some(EMAILS, 4) or EMAILS[:1], self._pick("add", "add", "remove")
        act = self.model.add_to_list if way == "add" else self.model.remove_from_list
        path = f"/contacts/lists/{number}/contacts/{way}"
        self._call(act(self._account, number, emails), "POST", path, {"emails": emails})


def _in_order(found):
    """An answer whose statistics of lists are in the order of the lists."""
    found.get("statistics", {}).get("campaignStats", []).sort(key=lambda row: row["listId"])
    return found


def _part(found, expected):
    """What is found of the members that are expected."""
    if isinstance(found, dict) and isinstance(expected, dict):
        return {name: _part(found.get(name), value) for name, value in expected.items()}
    if isinstance(found, list) and isinstance(expected, list) and len(found) == len(expected):
        return [_part(*pair) for pair in zip(found, expected, strict=True)]
    return found


def _flag(value):
    return {} if value is None else {"emailBlacklisted": value}


#: The steps, as often as they are to be chosen.
STEPS = [
    name
    for name, weight in {
        "create_contact": 6, "update_contact": 5, "delete_contact": 1, "get_contact": 2, "create_list": 3,
        "delete_list": 1, "get_list": 2, "move": 6, "buy": 2, "get_credits": 3, "send_email": 3, "bounce": 1,
        "unblock": 4, "create_template": 2, "get_template": 1, "list_templates": 1, "update_template": 1,
        "delete_template": 1, "test_template": 1, "create_campaign": 6, "update_campaign": 3, "delete_campaign": 1,
        "send_now": 6, "set_status": 8, "test_campaign": 1, "get_campaign": 6, "list_campaigns": 2, "raise_event": 3,
        "import_contacts": 2, "get_process": 2, "reload": 1,
    }.items()
    for _ in range(weight)
]  # fmt: skip
