"""Random workspaces with templates, campaigns and imports, and random calls of their operations."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random

#: The document's facts, as schemas.
FACTS = json.loads((Path(__file__).parents[1] / "truth" / "templates.json").read_text(encoding="utf-8"))
OPERATIONS = FACTS["operations"]
READS = [name for name, row in OPERATIONS.items() if row["method"] == "GET"]
#: How many random calls a mix has, before everything is read.
CALLS = 12

TEXTS = (
    "Hi", "Hi {{ contact.FIRSTNAME }}, {{params.code}}", "", "é😀 and more than ten characters",
    "<a href='{{ mirror }}'>mirror</a> <a href='http://acme.test'>us</a>",
)  # fmt: skip
EMAILS = ("ada@acme.test", "bob@acme.test", "eve@acme.test", "zoe@acme.test")
#: Moments; the clock starts at nine.
MOMENTS = (
    "2026-01-15T09:00:30.000Z", "2026-01-15T11:00:00+01:00", "2026-02-01T00:00:00.000Z", "2026-03-01T00:00:00.000Z",
    "2025-12-01T00:00:00.000Z",
)  # fmt: skip
FILES = (
    "EMAIL;FIRSTNAME\nada@acme.test;Ada\nnobody;N\nada@acme.test;A\n",
    'EMAIL,CITY,SMS\r\nzoe@acme.test,"Rome, old",33612345678\r\nyan@acme.test,Bonn,33612345678\r\n',
    "EMAIL\nzoe@acme.test\n", "x\n", "",
)  # fmt: skip
LISTS = (1, 2, 3)
STATES = ("draft", "queued", "in_process", "in_review", "sent", "suspended", "archive")
#: Members that need a server elsewhere.
ELSEWHERE = {"htmlUrl", "fileUrl"}
#: Of several contents a request may have one.
ONLY_ONE = (("htmlContent", "templateId"), ("fileBody", "jsonBody"), ("listIds", "newList"))
EVENTS = ("opened", "click", "unsubscribed", "hardBounce", "softBounce", "spam")
TIMES = ("PT1S", "PT10S", "PT1M", "PT2H", "P20D")


def play(api, seed):
    """Play the mix of a seed, and yield each call: the operation, the body of the request, and the answer."""
    mix = RandomMix(seed)
    answer = api.post("/_mock/reset", json={"scenario": mix.scenario()})
    assert answer.status_code == 200, answer.text
    for _ in range(CALLS):
        name = mix.chosen()
        if name == "advance":
            api.advance(mix.time())
        elif name == "trigger":
            assert api.post("/_mock/trigger", json=mix.event()).status_code == 200
        else:
            yield _call(api, name, mix.number(name), *mix.call(name))
    for name in READS:
        yield _call(api, name, mix.number(name), *mix.call(name))
    for number in range(1, 10):
        for name in ("getSmtpTemplate", "getEmailCampaign", "getProcess"):
            yield _call(api, name, number, {}, None)


def _call(api, name, number, query, body):
    row = OPERATIONS[name]
    path = "/".join(str(number) if part.startswith("{") else part for part in row["path"].split("/"))
    options = {} if body is None else {"json": body}
    return name, body, api.request(row["method"], path, query_string=query, **options)


class RandomMix:
    """Draws a scenario and calls by a seed, out of the facts of the operations."""

    def __init__(self, seed):
        self._random = Random(seed)
        #: The templates and campaigns of the scenario.
        self._rows = []
        #: The members that the schema says too little about.
        self._members = {
            "sender": self._sender,
            "replyTo": lambda: self._pick(*EMAILS),
            "email": lambda: self._pick(*EMAILS, *EMAILS, "nobody"),
            "emailTo": lambda: self._some(EMAILS[:3]),
            "scheduledAt": lambda: self._pick(*MOMENTS[:3], *MOMENTS),
            "attachmentUrl": lambda: "https://acme.test/a.pdf",
            "notifyUrl": lambda: "http://127.0.0.1:9/done",
            "listIds": lambda: self._some(LISTS) or [1],
            "exclusionListIds": lambda: self._some(LISTS),
            "templateId": lambda: self._random.randint(1, 8),
            "folderId": lambda: self._pick(1, 1, 1, 2),
            "htmlContent": lambda: self._pick(*TEXTS, *TEXTS[1:2] * 3),
            "fileBody": lambda: self._pick(*FILES),
            "params": lambda: {"code": "7"},
            "attributes": lambda: self._part({"FIRSTNAME": "Ada", "CITY": self._pick("Rome", 1, "")}),
            "subjectB": lambda: "Other",
        }

    def _pick(self, *of):
        return self._random.choice(of)

    def _happens(self, probability):
        return self._random.random() < probability

    def _some(self, of):
        return self._random.sample(of, self._random.randint(0, 2))

    def _part(self, members):
        return {name: value for name, value in members.items() if self._happens(0.5)}

    # ------------------------------------------------------------------ scenarios

    def scenario(self):
        senders = [
            {"id": 1, "name": "News", "email": "news@acme.test", "state": "verified"},
            {"id": 2, "name": "New", "email": "new@acme.test", "state": "awaiting_verification"},
        ]
        self._rows = [self._row() for _ in range(self._random.randint(2, 8))]
        account = {
            "name": "acme",
            "plan": [{"type": "free", "credits": self._pick(0, 1, 3, 300, 300)}],
            "senders": senders,
            "attributes": {"normal": ["FIRSTNAME", "CITY"]},
            "contact_lists": [{"id": number, "name": f"List {number}"} for number in LISTS],
            "contacts": [self._contact(email) for email in EMAILS[:3]],
            "campaigns": self._rows,
            "blocked_contacts": [{"email": "bob@acme.test", "reason": "hardBounce"}] if self._happens(0.2) else [],
        }
        return {"clock": {"start": "2026-01-15T09:00:00Z", "frozen": True}, "accounts": [account]}

    def _contact(self, email):
        return {
            "email": email,
            "email_blacklisted": self._happens(0.2),
            "list_ids": self._some(LISTS) or [1],
            "attributes": self._part({"FIRSTNAME": "Ada"}),
        }

    def _row(self):
        members = {
            "html": self._pick(None, *TEXTS), "subject": self._pick(None, *TEXTS), "tag": "t", "reply_to": EMAILS[0],
            "sender": {"email": "news@acme.test", "name": self._pick("", "News")}, "tested": True, "to_field": "{A}",
            "created_at": "2026-01-01T00:00:00Z", "attachment_url": "https://acme.test/a.pdf",
        }  # fmt: skip
        if self._happens(0.4):
            active = {"active": self._happens(0.7)}
            return {"name": "T", "kind": "email_template", **active, **self._part(members)}
        state = self._pick(*STATES)
        needed = {"scheduled_at": self._pick(*MOMENTS)} if state == "queued" else {}
        if state == "sent":
            needed = {"sent_at": "2026-01-10T09:00:00Z"}
        members |= {
            "list_ids": self._some(LISTS) or [1], "html": TEXTS[1],
            "excluded_list_ids": self._some(LISTS), "params": {"code": "7"},
            "options": self._part({"previewText": "P", "mirrorActive": True}),
        }  # fmt: skip
        return {"name": "Summer é", "state": state, **needed, **self._part(members), **self._part(members)}

    # ------------------------------------------------------------------ calls

    def call(self, name):
        """Return the query and the body of a call; most are good ones."""
        row = OPERATIONS[name]
        parameters = {key: part["schema"] for key, part in row["parameters"].items() if part["in"] == "query"}
        query = {key: self._value(key, schema) for key, schema in parameters.items() if self._happens(0.3)}
        if {"startDate", "endDate"} <= parameters.keys() and self._happens(0.3):
            query |= {"startDate": MOMENTS[4], "endDate": "2026-01-14T00:00:00Z", "status": "sent"}
        query = {key: str(value).lower() if isinstance(value, bool) else value for key, value in query.items()}
        if row["body"] is None:
            return query, None
        body = self._object(row["body"], self._pick(0.2, 0.2, 0.6))
        if name == "createEmailCampaign":
            body |= {"subject": "Hi", "abTesting": False}
            body.setdefault("htmlContent", "<p>Hi {{ contact.FIRSTNAME }}</p>") if "templateId" not in body else None
        if name == "createSmtpTemplate":
            body.setdefault("htmlContent", "<p>Hi {{ contact.FIRSTNAME }}</p>")
        if name == "importContacts" and not body.keys() & {"fileBody", "jsonBody"}:
            body["fileBody"] = FILES[0]
        if name == "updateCampaignStatus":
            body["status"] = self._value("status", row["body"]["properties"]["status"])
        return query, body

    def _object(self, schema, probability):
        required = schema.get("required", ())
        found = {
            name: self._value(name, row)
            for name, row in schema.get("properties", {}).items()
            if name not in ELSEWHERE and (name in required or self._happens(probability))
        }
        for group in ONLY_ONE:
            for name in group[1:]:
                if group[0] in found and self._happens(0.9):
                    found.pop(name, None)
        return found

    def _value(self, name, schema):
        if name in self._members:
            return self._members[name]()
        if "enum" in schema:
            return self._pick(*schema["enum"])
        if schema["type"] == "object":
            return self._object(schema, 0.7)
        if schema["type"] == "array":
            return [self._value("", schema["items"]) for _ in range(self._random.randint(0, 2))]
        if schema["type"] == "integer":
            low, high = schema.get("minimum", 0), schema.get("maximum", 60)
            return self._pick(low, self._random.randint(low, high), high)
        return self._happens(0.5) if schema["type"] == "boolean" else self._pick(*TEXTS)

    def _sender(self):
        return self._pick(
            {"email": "news@acme.test"}, {"email": "news@acme.test", "name": "N"}, {"id": 1},
            {"email": "News@acme.test", "name": "N"}, {"id": 1}, {"email": "new@acme.test"}, {"id": 9},
        )  # fmt: skip

    def event(self):
        return {"type": "marketing", "event": self._pick(*EVENTS), "to": self._pick(*EMAILS)}

    def number(self, name):
        """Return an id for an operation, seldom one that is unknown."""
        is_template = "Template" in name
        found = [number for number, row in enumerate(self._rows, 1) if ("kind" in row) is is_template]
        return self._pick(*found * 2, *range(1, 5)) if "rocess" not in name else self._random.randint(1, 3)

    def chosen(self):
        """Return the name of an operation, `advance` or `trigger`."""
        return self._pick(*OPERATIONS, "advance", "advance", "advance", "trigger")

    def time(self):
        return self._pick(*TIMES)
