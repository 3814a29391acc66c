"""A random marketer, whose every step happens at the API and in the model, which must agree."""

from __future__ import annotations

from random import Random

from marketing_model import Account, Contacts

START = "2026-01-15T09:00:00Z"
ACCOUNTS = {"acme": 60, "shop": 100_000}
EMAILS = [f"{name}@readers.test" for name in ("ada", "bob", "eve", "ian", "joe", "kim", "lea", "max", "ned", "zoe")]


def scenario():
    return {
        "clock": {"start": START, "frozen": True},
        "accounts": [
            {
                "name": name,
                "api_keys": [name],
                "plan": [{"type": "free", "credits": credits_}],
                "senders": [
                    {"id": 2 * number - 1, "name": "News", "email": f"news@{name}.test", "state": "verified"},
                    {"id": 2 * number, "name": "New", "email": f"new@{name}.test", "state": "awaiting_verification"},
                ],
                "attributes": {"normal": ["FIRSTNAME"]},
            }
            for number, (name, credits_) in enumerate(ACCOUNTS.items(), 1)
        ],
    }


class RandomMarketer:
    """Does steps, chosen by a seed, in a workspace with the scenario of this module."""

    def __init__(self, api, seed):
        self._api, self._random = api, Random(seed)
        assert api.post("/_mock/reset", json={"scenario": scenario()}).status_code == 200
        self.model = Contacts(Account(*row) for row in ACCOUNTS.items())
        self._steps = []

    def play(self, steps):
        for _ in range(steps):
            self._account = self.model.accounts[self._pick(*ACCOUNTS)]
            if self._happens(0.4):
                self.advance()
            getattr(self, self._pick(*STEPS))()

    # ------------------------------------------------------------------ choices

    def _pick(self, *of):
        return self._random.choice(of)

    def _happens(self, probability):
        return self._random.random() < probability

    def _some(self, of, most=3):
        return self._random.sample(of, self._random.randint(0, min(most, len(of))))

    def _lists(self):
        """The ids of some lists of the account; seldom one that it has not."""
        found = self._some(list(self._account.lists))
        return [*found, 999] if self._happens(0.05) else found

    def _list(self):
        return self._pick(*self._account.lists, 999)

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
            self._hold(_part(answer.json, expected.body), expected.body)

    def _hold(self, found, expected):
        if found != expected:
            steps = "\n".join(self._steps[-25:])
            message = f"step {len(self._steps)}: the API has {found}, the model {expected}, after\n{steps}"
            raise AssertionError(message)

    # ------------------------------------------------------------------ time

    def advance(self):
        milliseconds = self._pick(1, 997, 10_007, 61_001, 600_011)
        self._steps.append(f"advance {milliseconds} ms")
        assert self._api.post("/_mock/clock/advance", json={"by": f"PT{milliseconds / 1000:.3f}S"}).status_code == 200

    # ------------------------------------------------------------------ contacts and lists

    def create_contact(self):
        email, lists, is_update = self._pick(*EMAILS), self._lists(), self._happens(0.5)
        is_blacklisted = self._pick(None, None, True, False)
        if 999 in lists and self._account.by_email(email):
            return  # two errors
        body = {"email": email, "listIds": lists, "updateEnabled": is_update, **_flag(is_blacklisted)}
        expected = self.model.create_contact(
            self._account, email, lists=lists, is_blacklisted=is_blacklisted, is_update=is_update
        )
        self._call(expected, "POST", "/contacts", body)

    def update_contact(self):
        email, lists = self._pick(*EMAILS), self._lists()
        unlinked = [number for number in self._lists() if number not in lists]
        is_blacklisted = self._pick(None, None, True, False)
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
        self._call(self.model.create_list(self._account, "L"), "POST", "/contacts/lists", {"name": "L", "folderId": 1})

    def delete_list(self):
        number = self._list()
        self._call(self.model.delete_list(self._account, number), "DELETE", f"/contacts/lists/{number}")

    def get_list(self):
        number = self._list()
        self._call(self.model.get_list(self._account, number), "GET", f"/contacts/lists/{number}")

    def move(self):
        number, emails, way = self._list(), self._some(EMAILS, 4) or EMAILS[:1], self._pick("add", "add", "remove")
        act = self.model.add_to_list if way == "add" else self.model.remove_from_list
        path = f"/contacts/lists/{number}/contacts/{way}"
        self._call(act(self._account, number, emails), "POST", path, {"emails": emails})


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
        "create_contact": 8, "update_contact": 4, "delete_contact": 1, "get_contact": 2, "create_list": 3,
        "delete_list": 1, "get_list": 2, "move": 4,
    }.items()
    for _ in range(weight)
]  # fmt: skip
