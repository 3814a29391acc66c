"""Whatever there is of templates, campaigns, imports and processes: each answer is one that the document describes.

The official clients for Python read each of them, too.
"""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema_rs
import official_models
import pytest
from examples import examples
from hypothesis import given, settings
from hypothesis import strategies as st

#: The document's facts, as schemas.
FACTS = json.loads((Path(__file__).parents[1] / "truth" / "templates.json").read_text(encoding="utf-8"))
OPERATIONS = FACTS["operations"]
READS = [name for name, row in OPERATIONS.items() if row["method"] == "GET"]
#: Of the formats, these two are of numbers.
FORMATS = {"int64": lambda _: True, "float": lambda _: True}

SOME, FLAG = st.sampled_from, st.booleans()
TEXTS = SOME(
    [
        "",
        "Hi",
        "Hi {{ contact.FIRSTNAME }}, {{params.code}}",
        "<a href='{{ mirror }}'>a</a><a href='http://a.test'>b</a>",
        "é😀",
    ]
)
EMAILS = SOME(["ada@acme.test", "bob@acme.test", "eve@acme.test"])
LISTS = (1, 2, 3)
PDFS, HOOKS = st.just("https://acme.test/a.pdf"), st.just("http://127.0.0.1:9/done")
MOMENTS = SOME(
    ["2026-01-15T09:00:30.000Z", "2026-01-15T11:00:00+01:00", "2026-02-01T00:00:00.000Z", "2025-12-01T00:00:00.000Z"]
)
SENDERS = st.one_of(
    st.fixed_dictionaries(
        {"email": SOME(["news@acme.test", "news@acme.test", "new@acme.test"]), "name": SOME(["", "N"])}
    ),
    st.fixed_dictionaries({"id": SOME([1, 1, 2, 9])}),
)
FILES = SOME(
    [
        "EMAIL;FIRSTNAME\nada@acme.test;Ada\nnobody;N\nada@acme.test;A\n",
        'EMAIL,CITY,SMS\r\nzoe@acme.test,"Rome, old",33612345678\r\nyan@acme.test,Bonn,33612345678\r\n',
        "x\n", "",
    ]
)  # fmt: skip
ATTRIBUTES = st.fixed_dictionaries({}, optional={"FIRSTNAME": SOME(["Ada", ""]), "CITY": SOME(["Rome", 1])})


def ids(*known):
    return st.lists(SOME(known), max_size=2, unique=True)


#: Members about which their schemas say too little.
MEMBERS = {
    "sender": SENDERS, "replyTo": EMAILS, "scheduledAt": MOMENTS, "attachmentUrl": PDFS, "notifyUrl": HOOKS,
    "listIds": ids(1, 1, 2, 2, 3, 9), "exclusionListIds": ids(1, 2, 3), "templateId": st.integers(1, 9),
    "folderId": SOME([1, 1, 2]), "emailTo": st.lists(EMAILS, max_size=2), "email": EMAILS, "attributes": ATTRIBUTES,
    "params": st.just({"code": "7"}), "fileBody": FILES,
}  # fmt: skip
#: Members that need a server elsewhere.
ELSEWHERE = {"htmlUrl", "fileUrl"}


def values(name, schema):
    """The values of a member, by its name or its schema."""
    if name in MEMBERS:
        return MEMBERS[name]
    if "enum" in schema:
        return SOME(schema["enum"])
    if schema["type"] == "object":
        members = {key: values(key, row) for key, row in schema.get("properties", {}).items() if key not in ELSEWHERE}
        required = schema.get("required", ())
        return st.fixed_dictionaries(
            {key: members[key] for key in required},
            optional={key: found for key, found in members.items() if key not in required},
        )
    if schema["type"] == "array":
        return st.lists(values("", schema["items"]), max_size=2)
    if schema["type"] == "integer":
        return st.integers(schema.get("minimum", 0), schema.get("maximum", 60))
    return FLAG if schema["type"] == "boolean" else TEXTS


def queries(row):
    found = {name: values("", part["schema"]) for name, part in row["parameters"].items() if part["in"] == "query"}
    return st.fixed_dictionaries({}, optional={**found, **{name: MOMENTS for name in found if name.endswith("Date")}})


def call(name):
    row = OPERATIONS[name]
    body = st.none() if row["body"] is None else values("", row["body"])
    return st.tuples(st.just(name), st.integers(1, 12), queries(row), body)


#: What happens beside the calls of the operations.
EVENTS = SOME(["delivered", "opened", "click", "unsubscribed", "hardBounce", "softBounce", "spam"])
STEPS = st.one_of(
    *(call(name) for name in OPERATIONS),
    st.tuples(st.just("advance"), SOME(["PT1S", "PT1M", "PT1M", "PT2H"])),
    st.tuples(st.just("trigger"), EVENTS, EMAILS),
)

_OF_BOTH = {
    "html": st.none() | TEXTS, "subject": st.none() | TEXTS, "tag": TEXTS, "reply_to": EMAILS, "to_field": TEXTS,
    "tested": FLAG, "created_at": st.just("2026-01-01T00:00:00Z"), "attachment_url": PDFS,
    "sender": st.fixed_dictionaries({"email": st.just("news@acme.test"), "name": SOME(["", "News"])}),
}  # fmt: skip
_OF_CAMPAIGNS = {
    "list_ids": ids(*LISTS), "excluded_list_ids": ids(*LISTS), "params": st.just({"code": "7"}),
    "options": st.fixed_dictionaries({}, optional={"previewText": TEXTS}),
}  # fmt: skip


def campaigns(state):
    fixed = {"name": SOME(["C", "Summer é"]), "state": st.just(state)}
    if state == "queued":
        fixed["scheduled_at"] = MOMENTS
    if state == "sent":
        fixed["sent_at"] = st.just("2026-01-10T09:00:00Z")
    return st.fixed_dictionaries(fixed, optional={**_OF_BOTH, **_OF_CAMPAIGNS})


TEMPLATES = st.fixed_dictionaries(
    {"name": SOME(["T", "Welcome é"]), "kind": st.just("email_template")}, optional={**_OF_BOTH, "active": FLAG}
)
CONTACTS = st.fixed_dictionaries(
    {"email": EMAILS},
    optional={"email_blacklisted": FLAG, "list_ids": ids(*LISTS), "attributes": st.just({"FIRSTNAME": "Ada"})},
)
STATES = ("draft", "queued", "in_process", "in_review", "sent", "suspended", "archive")
ACCOUNTS = st.fixed_dictionaries(
    {
        "name": st.just("acme"),
        "plan": st.integers(0, 3).map(lambda left: [{"type": "free", "credits": left}]),
        "senders": st.just(
            [
                {"id": 1, "name": "News", "email": "news@acme.test", "state": "verified"},
                {"id": 2, "name": "New", "email": "new@acme.test", "state": "awaiting_verification"},
            ]
        ),
        "attributes": st.just({"normal": ["FIRSTNAME", "CITY"]}),
        "contact_lists": st.just([{"id": number, "name": f"List {number}"} for number in LISTS]),
        "contacts": st.lists(CONTACTS, max_size=3, unique_by=lambda row: row["email"]),
        "campaigns": st.lists(st.one_of(TEMPLATES, *(campaigns(state) for state in STATES)), max_size=6),
        "blocked_contacts": SOME([[], [{"email": "bob@acme.test", "reason": "hardBounce"}]]),
    }
)
SCENARIOS = st.fixed_dictionaries(
    {
        "clock": st.just({"start": "2026-01-15T09:00:00Z", "frozen": True}),
        "accounts": ACCOUNTS.map(lambda row: [row]),
    }
)
MIXES = st.tuples(SCENARIOS, st.lists(STEPS, min_size=4, max_size=10), st.tuples(*(call(name) for name in READS)))


@pytest.fixture(scope="session")
def fault():
    """What is wrong with an answer of an operation, by the facts or for a client, or None."""
    validators = {
        (name, int(status)): jsonschema_rs.Draft202012Validator(
            {"$defs": FACTS["$defs"], **schema}, formats=FORMATS, validate_formats=True
        )
        for name, row in OPERATIONS.items()
        for status, schema in row["answers"].items()
        if schema is not None
    }

    def found(name, answer):
        if str(answer.status_code) not in OPERATIONS[name]["answers"]:
            return f"{name} has no status {answer.status_code}: {answer.text}"
        validator = validators.get((name, answer.status_code))
        if validator is None:
            return answer.text or None
        wrong = next(validator.iter_errors(answer.json), None)
        if wrong is None and answer.status_code < 400:
            wrong = unread(name, answer.text)
        return wrong and f"{name}, {answer.status_code}: {wrong}"

    def unread(name, text):
        try:
            official_models.read(name, text)
        except ValueError as found:
            return found
        return None

    return found


@pytest.fixture
def play(make_api, fault):
    """Plays a mix, and judges each answer."""
    api = make_api("empty")

    def step(name, *arguments):
        if name == "advance":
            assert api.post("/_mock/clock/advance", json={"by": arguments[0]}).status_code == 200
        elif name == "trigger":
            event = {"type": "marketing", "event": arguments[0], "to": arguments[1]}
            assert api.post("/_mock/trigger", json=event).status_code == 200
        else:
            number, query, body = arguments
            row = OPERATIONS[name]
            path = "/".join(str(number) if part.startswith("{") else part for part in row["path"].split("/"))
            query = {key: str(value).lower() if isinstance(value, bool) else value for key, value in query.items()}
            options = {} if body is None else {"json": body}
            answer = api.request(row["method"], path, query_string=query, **options)
            assert fault(name, answer) is None, body

    def played(scenario, steps, reads):
        answer = api.post("/_mock/reset", json={"scenario": scenario})
        assert answer.status_code == 200, answer.text
        for arguments in (*steps, *reads):
            step(*arguments)
        for number in range(1, 8):
            for name in ("getSmtpTemplate", "getEmailCampaign", "getProcess"):
                step(name, number, {}, None)

    return played


@examples(200)
@given(MIXES)
def test_every_answer_is_one_of_the_document(play, mix):
    play(*mix)


@pytest.mark.slow
@settings(max_examples=500)
@given(MIXES)
def test_every_answer_of_many_mixes_is_one_of_the_document(play, mix):
    play(*mix)
