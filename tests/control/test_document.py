"""The control API's own document: valid, complete, and the same as the index and the routes."""

from __future__ import annotations

import json
import re
from pathlib import Path

from openapi_spec_validator import OpenAPIV31SpecValidator

from mockserver.app.control_api import CONTROL_API
from mockserver.control.openapi import document

DOCUMENT = document(CONTROL_API.resources)
DECLARED = {
    (method.upper(), path): found for path, methods in DOCUMENT["paths"].items() for method, found in methods.items()
}
CALLS = list(CONTROL_API.calls)
TAGS = {tag["name"] for tag in DOCUMENT["tags"]}
WORKSPACES = {"#/components/parameters/X-Mock-Workspace", "#/components/parameters/api-key"}


def test_the_document_of_the_control_api_is_valid_openapi_3_1():
    OpenAPIV31SpecValidator(DOCUMENT).validate()
    assert DOCUMENT["openapi"].startswith("3.1.")


def test_the_document_of_the_control_api_is_served_and_names_itself(api):
    answer = api.get("/_mock/control.json")

    assert (answer.status_code, answer.content_type) == (200, "application/json")
    assert answer.json == json.loads(json.dumps({**DOCUMENT, "servers": [{"url": ".."}]}))
    assert "/_mock/control.json" in answer.json["paths"]


def test_every_route_of_the_control_api_stands_in_it_and_nothing_else(api):
    routes = {
        (method, re.sub(r"<(?:\w+:)?(\w+)>", r"{\1}", rule.rule))
        for rule in api.app.control.url_map.iter_rules()
        if rule.rule.startswith("/_mock")
        for method in rule.methods - {"HEAD", "OPTIONS"}
    }

    assert DECLARED.keys() == routes


def test_index_lists_the_calls_of_the_document(api):
    index = api.get("/_mock").json

    assert {(row["method"], row["path"]): row["does"] for row in index["items"]} == {
        place: call["summary"] for place, call in DECLARED.items()
    }
    assert index["count"] == len(DECLARED)


def test_ids_of_operations_stay_as_clients_were_generated_of_them():
    """A new id is added to the file; an id that is gone or renamed breaks programs of users."""
    frozen = Path(__file__).with_name("operation_ids.txt").read_text(encoding="utf-8").split()

    assert sorted(call["operationId"] for call in DECLARED.values()) == frozen


def test_every_operation_has_a_name_of_its_own_that_a_program_can_bear():
    names = [call["operationId"] for call in DECLARED.values()]

    assert len(set(names)) == len(names)
    assert [name for name in names if not re.fullmatch(r"(get|put|post|patch|delete)[A-Z][A-Za-z]+", name)] == []
    assert {"getIndex", "putClock", "postClockAdvance", "getFaultsByIdentifier", "patchReceiverByName"} <= set(names)


def test_call_is_described_with_summary_answer_refusals_and_workspace():
    for call in CALLS:
        shown = DECLARED[call.method, call.path]
        assert shown["summary"].endswith((".", ".`"))
        assert (shown["tags"], call.resource in TAGS) == ([call.resource], True)
        answer = shown["responses"][str(call.status)]
        if call.status == 204 or not call.media:
            assert "content" not in answer
        else:
            assert tuple(answer["content"]) == call.media
            assert "application/json" not in call.media or answer["content"]["application/json"]["schema"]
        assert ("401" in shown["responses"], shown.get("security")) == (not call.is_open, [] if call.is_open else None)
        references = {parameter.get("$ref") for parameter in shown.get("parameters", ())}
        assert references & WORKSPACES == (WORKSPACES if call.in_workspace else set())
        assert not call.in_workspace or "404" in shown["responses"]
        refusals = [answer for status, answer in shown["responses"].items() if int(status) >= 400]
        assert [answer for answer in refusals if list(answer["content"]) != ["application/problem+json"]] == []


def test_a_scenario_is_taken_as_json_and_as_yaml_with_known_members_only():
    for call in (DECLARED["PUT", "/_mock/state"], DECLARED["POST", "/_mock/seed"]):
        assert set(call["requestBody"]["content"]) == {"application/json", "application/yaml"}
    schema = DOCUMENT["components"]["schemas"]["ScenarioItem"]

    assert {"accounts", "senders", "faults", "behaviour", "clock", "dns"} <= schema["properties"].keys()
    assert schema["additionalProperties"] is False


def test_a_member_has_its_real_type():
    for schema, member, form in [
        ("Advance", "by", {"$ref": "#/components/schemas/Duration"}),
        ("ClockChange", "now", {"$ref": "#/components/schemas/Instant"}),
        ("Clock", "now", {"type": "string", "format": "date-time"}),
        ("Workspace", "api_key", {"type": ["string", "null"]}),
        ("Mail", "otp", {"type": ["integer", "null"]}),
        ("NewSnapshot", "name", {"pattern": "^(?:[A-Za-z0-9][A-Za-z0-9._-]{0,63})$"}),
    ]:
        assert DOCUMENT["components"]["schemas"][schema]["properties"][member].items() >= form.items()
