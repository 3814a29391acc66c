"""The JSON Schema of scenarios: whatever loads is valid, and what is refused for its form is not."""

import json
from copy import deepcopy
from datetime import date
from functools import cache

import jsonschema
import jsonschema_rs
import pytest
from hypothesis import given
from hypothesis import strategies as st
from marshmallow import ValidationError
from tables import tables

from mockserver.core.time.clock import EARLIEST
from mockserver.resources.section import counting_from
from mockserver.scenario.documents.library import Library
from mockserver.scenario.documents.mistakes import ScenarioError
from mockserver.scenario.documents.reading import parse
from mockserver.scenario.dump import dump
from mockserver.scenario.json_schema import document
from mockserver.scenario.load import load
from mockserver.scenario.schema import scenario_schema
from mockserver.settings.files import SCHEMA_FILE

#: The parametrized cases by test.
CASES = tables(__file__)

SCHEMA = document()
#: Two implementations: the first is quick, the second is the one that Python's tools use.
QUICK = jsonschema_rs.Draft202012Validator(SCHEMA)
USUAL = jsonschema.Draft202012Validator(SCHEMA, format_checker=jsonschema.FormatChecker())

SHIPPED = [row["name"] for row in Library().describe()]
#: Scenarios with hundreds of stubs, each of which takes its time to be checked.
LONG = ("contacts", "large")
#: Values that a member may get in the place of its own.
VALUES = [
    None, True, False, -7, 0, 1, 1.0, 1.5, 2**70, 100_000, "", "nonsense", "x" * 300, "a\n",
    "PT15M", "-P1D", "P1Y", "P0Y1D", "P1W2D", "P0.5D", "+PT5M", "-PT0S", "PT", "2026-01-15T09:00:00Z",
    "2026-01-15T09:00:00", "2026-01-15", "ada@acme.test", "ada@b\u00fccher.example", "acme.test",
    "https://acme.test/hook", "198.51.100.7", "::1", "650000000000000000000009", "6f9619ff8b86d011b42d00cf4fc964ff",
    "<1@a.test>", "createSender", "GET", "/v3/contacts/{email}",
    [], [[]], ["nonsense"], [1], {}, {"nonsense": 1}, {"after": "PT1H"}, {"type": "bearer"}, [{"nonsense": 1}], [{}],
]  # fmt: skip
#: What the loader tells of a value that a schema cannot judge: what it means, and what it has to go together with.
BEYOND_A_SCHEMA = (
    "Not a valid IP address", "Not a valid UUID", "Not a valid email address",  # formats, which need not be checked
    "Not a valid integer",  # 1.0 is one in JSON Schema
    "Not the name of a time zone",
    "not an RFC 3339 date-time",  # without a zone, which is good in YAML without quotes
    "the clock shows moments",
    "must be ASCII without blanks", "must be an absolute URL",
    "must be a UUID of version 4",
    "must be an id in angle brackets",
    "not an event of", "no events: a webhook of type", "no domain: a webhook of type", "not a domain name",
    "one expression in braces", "has one of the members mail, event", "unknown name",  # what templates mean
)  # fmt: skip


def as_json(value):
    """A document with moments as they are written, as editors read it."""
    return json.loads(json.dumps(value, default=lambda odd: odd.isoformat() if isinstance(odd, date) else None))


def is_valid(value):
    return QUICK.is_valid(as_json(value))


def loads(value):
    try:
        load(value, name="test")
    except ScenarioError:
        return False
    return True


def faults_of_form(value):
    """What a document is refused for by its schema."""
    try:
        with counting_from(lambda: EARLIEST):
            scenario_schema().load(value)
    except ValidationError as error:
        return set(messages(error.messages))
    return set()


def messages(found):
    if isinstance(found, dict | list):
        for inner in found.values() if isinstance(found, dict) else found:
            yield from messages(inner)
    else:
        yield str(found)


def paths(value, path=()):
    """The path of every value of a document, below its top."""
    members = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in members:
        yield (*path, key)
        yield from paths(inner, (*path, key))


def at(value, path):
    for part in path:
        value = value[part]
    return value


def changed(value, path, change):
    """A copy of a document in which one value is changed: replaced, removed, or given a member more."""
    found = deepcopy(value)
    holder, here = at(found, path[:-1]), path[-1]
    if change == "removed":
        del holder[here]
    elif change == "more":
        holder[here] = {**holder[here], "nonsense": 1} if isinstance(holder[here], dict) else [holder[here]]
    else:
        holder[here] = change[0]
    return found


@cache
def documents():
    """The shipped scenarios, and the states of workspaces that are made of them."""
    shipped = {name: Library().read(name) for name in SHIPPED}
    states = {
        f"the state of {name}": dump(load(found, name="test")) for name, found in shipped.items() if name not in LONG
    }
    return {name: as_json(found) for name, found in {**shipped, **states}.items()}


@cache
def parts():
    """Every member of these documents as a document of its own, so that one change takes little time."""
    found = {}
    for name, whole in documents().items():
        if name in LONG:
            continue
        accounts = [
            {"accounts": [{"name": "a", key: value}]} for row in whole.get("accounts", ()) for key, value in row.items()
        ]
        for part in [*accounts, *({key: value} for key, value in whole.items() if key != "accounts"), STUB]:
            found.setdefault(json.dumps(part, sort_keys=True), part)
    return list(found.values())


STUB = {
    "stubs": [
        {
            "id": "note", "method": "POST", "path": "/v3/contacts/{email}/notes", "times": 3, "members": ["text"],
            "match": {"json": {"kind": "call"}, "query": {"limit": 10}, "headers": {"x-a": "b"}},
            "answers": [
                {"when": "{{ request.json is none }}", "status": 400},
                {"status": 201, "headers": {"x-b": "c"}, "json": {"id": 1}},
                {"text": "t"},
            ],
            "store": [
                {"table": "notes", "key": "{{ request.path.email }}", "value": {"a": 1}},
                {"table": "notes", "key": "k", "delete": True, "when": "{{ false }}"},
            ],
            "effects": [{"credits": -1}],
        }
    ]
}  # fmt: skip


def test_json_schema_is_valid_for_its_dialect():
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    assert SCHEMA["$schema"] == jsonschema.Draft202012Validator.META_SCHEMA["$id"]


@pytest.mark.parametrize("name", SHIPPED)
def test_a_shipped_scenario_is_valid(name):
    assert list(USUAL.iter_errors(documents()[name])) == []


@pytest.mark.parametrize("name", [name for name in SHIPPED if name not in LONG])
def test_a_written_state_is_valid(name):
    assert list(USUAL.iter_errors(documents()[f"the state of {name}"])) == []


@given(st.data())
def test_what_loads_is_valid_and_what_is_refused_for_its_form_is_not(data):
    whole = data.draw(st.sampled_from(parts()))
    path = data.draw(st.sampled_from(list(paths(whole))))
    change = data.draw(st.sampled_from([*((value,) for value in VALUES), "removed", "more"]))
    found = changed(whole, path, change)

    faults = faults_of_form(found)
    if is_valid(found):
        assert [fault for fault in faults if not any(rule in fault for rule in BEYOND_A_SCHEMA)] == []
    else:
        assert faults or not loads(found)


@pytest.mark.parametrize("text", CASES["a_document_that_loads_is_valid"])
def test_a_document_that_loads_is_valid(text, tmp_path):
    lower = "accounts: [{name: acme, relay: {enabled: true, data: {userName: a@b.test, relay: r, port: 1}}}]"
    (tmp_path / "lower.yaml").write_text(lower, encoding="utf-8")
    (tmp_path / "mine.yaml").write_text(text, encoding="utf-8")

    assert loads(Library(tmp_path).read("mine"))
    assert list(USUAL.iter_errors(as_json(parse(text, "mine.yaml")))) == []


@pytest.mark.parametrize("text", CASES["a_document_that_is_refused"])
def test_a_document_that_is_refused_for_its_form_is_not_valid(text):
    found = parse(text, "mine.yaml")

    assert not loads(found)
    assert not is_valid(found)


def members(schema=SCHEMA, name="Scenario"):
    for member, row in schema.get("properties", {}).items():
        yield f"{name}.{member}", row
    for inner, row in schema.get("$defs", {}).items():
        yield from members(row, inner)


def test_json_schema_describes_every_member():
    assert [name for name, row in members() if "description" not in row] == []


def test_json_schema_has_the_default_of_every_behaviour():
    assert all("default" in row for row in SCHEMA["$defs"]["Behaviour"]["properties"].values())


def test_json_schema_contains_no_openapi_keywords():
    text = json.dumps(SCHEMA)

    assert "components" not in text
    assert '"x-' not in text


def test_the_file_is_what_the_code_makes():
    """`python .ci/documents.py` writes it anew."""
    assert json.loads(SCHEMA_FILE.read_text(encoding="utf-8")) == SCHEMA


def test_server_serves_the_json_schema(make_api):
    answer = make_api().get("/_mock/scenarios.schema.json")

    assert (answer.status_code, answer.content_type) == (200, "application/schema+json")
    assert json.loads(answer.data) == SCHEMA
