"""Answers that are legal are the same as those of the mock, whatever an account has."""

from __future__ import annotations

import random

import pytest
from examples import rounds

from mockserver.evidence.openapi import document
from mockserver.evidence.shape import Shapes
from mockserver.scenario.vary import draw
from mockserver.testing.drift import QUESTIONS, SAME, ask_all, scenario_of

SCENARIOS = ("standard", "empty", "enterprise", "dedicated-ip", "corporate-v1", "corporate-v2", "onboarding", "oauth")
#: The drawn faults that keep an answer legal. The others add members that no document has, or give no answer.
LEGAL_FAULTS = {"member_order", "absent_members"}
SCHEMAS = document()["components"]["schemas"]


def scenario(seed):
    """A scenario with rows and options that a seed chooses."""
    chance = random.Random(seed)
    account = {
        "name": "acme",
        "generate": {
            name: chance.randrange(3)
            for name in ("domains", "senders", "webhooks", "activities", "inbound_events", "campaigns", "contacts")
        },
    }
    choices = {
        "enterprise": chance.random() < 0.5,
        "language": chance.choice(("en", "fr")),
        "marketing_automation": chance.choice(({"enabled": False}, {"enabled": True, "key": "ma-key"})),
        "plan": chance.choice(([{"type": "free", "credits": 300}], [{"type": "sms", "credits": 1.5}])),
        "plan_verticals": [],
        "date_time_preferences": {"timezone": "Europe/Paris", "timeFormat": "24", "dateFormat": "dd-mm-yyyy"},
        "webhooks": [],
        "blocked_contacts": [{"email": "carol@acme.test"}],
    }
    account |= {name: value for name, value in choices.items() if chance.random() < 0.4}
    base = chance.choice(SCENARIOS)
    if base.startswith("corporate"):  # whose plan follows from its pool
        account = {name: value for name, value in account.items() if not name.startswith("plan")}
    drawn = [row.entry for row in draw(seed)]
    options = {name: value for entry in drawn for name, value in entry.get("behaviour", {}).items()}
    rules = [rule for entry in drawn for rule in entry.get("faults", ()) if rule["fault"] in LEGAL_FAULTS]
    return {
        "extends": base, "seed": seed, "accounts": [account], "behaviour": options, "faults": rules,
    }  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("first", range(0, rounds(200), 50))
def test_legal_accounts_of_50_seeds_differ_nowhere(make_api, ask_of, drift, first):
    api = make_api("empty")
    found, same = {}, 0
    for seed in range(first, first + 50):
        answer = api.post("/_mock/reset", json={"scenario": scenario(seed)})
        assert answer.status_code == 200, answer.json
        verdicts = drift(ask_of(api)).values()
        same += sum(row.verdict == SAME for row in verdicts)
        found |= {(seed, row.question): row.notes for row in verdicts if row.verdict == "different"}

    assert found == {}
    assert same > 50 * len(QUESTIONS) / 2


def legal_value(schema, chance):
    """A value that a schema of our document allows, without some of the members that are optional."""
    if "$ref" in schema:
        return legal_value(SCHEMAS[schema["$ref"].rpartition("/")[2]], chance)
    if choices := schema.get("anyOf") or schema.get("oneOf"):
        return legal_value(chance.choice(choices), chance)
    # Moments have no type in our document: another version of the service shows them otherwise.
    declared = schema.get("type", "integer" if schema.get("description") == "Unix seconds" else "string")
    kind = declared if isinstance(declared, str) else chance.choice(declared)
    if kind == "object":
        members = schema.get("properties", {})
        kept = [name for name in members if name in schema.get("required", ()) or chance.random() < 0.5]
        own = {f"OWN_{chance.randrange(9)}": 1} if "additionalProperties" in schema else {}
        return {**{name: legal_value(members[name], chance) for name in kept}, **own}
    if kind == "array":
        return [legal_value(schema["items"], chance) for _ in range(chance.randrange(3))]
    plain = {"string": "text", "integer": 7, "number": chance.choice((7, 7.5)), "boolean": True, "null": None}
    return plain[kind]


def test_every_answer_that_our_document_allows_is_legal_for_200_seeds(make_api, ask_of):
    answers = ask_all(ask_of(make_api("corporate-v2"))).answers | ask_all(ask_of(make_api("standard"))).answers
    found = []
    for question in QUESTIONS:
        twin = answers.get(question.title)
        if twin and twin.status == 200:
            responses = document()["paths"][question.path]["get"]["responses"]
            schema = responses["200"]["content"]["application/json"]["schema"]
            values = [legal_value(schema, random.Random(seed)) for seed in range(200)]
            found += [row for value in values for row in Shapes(SCHEMAS, value).differences(schema, twin.body)]

    assert found == []


@pytest.mark.parametrize(
    ("account", "base", "is_enterprise"),
    [
        ("standard", "standard", False),
        ("enterprise", "standard", True),
        ("sub-account-caller", "standard", False),
        ("corporate-v1", "corporate-v1", True),
        ("corporate-v2", "corporate-v2", True),
    ],
)
def test_account_is_compared_with_a_workspace_of_its_kind(make_api, ask_of, account, base, is_enterprise):
    scenario = scenario_of(ask_all(ask_of(make_api(account))).answers)

    assert (scenario["extends"], scenario["accounts"][0]["enterprise"]) == (base, is_enterprise)
