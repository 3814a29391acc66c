"""Whatever clients bring into a workspace is written down, and is the same when it is read."""

import json

import pytest
from hostile_values import values
from hostile_workspace import fill
from same_workspace import lost

VALUES = {
    "the largest numbers": [2**63 - 1, -(2**63), 1e308, 5e-324],
    "many levels": json.loads("[" * 9 + "]" * 9),
    "members of all kinds": {"": None, "\0": True, "é": 1.0, "😀": -1, "a.b": [{}, [], "", 0]},
    "many members": {str(number): number for number in range(500)},
}


def _in_a_mail(api, value):
    mail = {"sender": {"email": "news@acme.test"}, "to": [{"email": "a@b.test"}], "subject": "s", "textContent": "t"}
    return api.post("/v3/smtp/email", json=mail | {"params": {"value": value}})


def _in_a_payload(api, value):
    webhook = {"url": "http://127.0.0.1:9/hook", "events": ["delivered"], "type": "transactional"}
    api.post("/v3/webhooks", json=webhook)
    return api.post("/_mock/trigger", json={"event": "delivered", "payload": {"value": value}})


def _in_a_fault(api, value):
    return api.post("/_mock/faults", json={"fault": "server_error", "match": {"json": {"value": value}}})


def _in_a_stub(api, value):
    stub = {"method": "GET", "path": "/v3/crm/notes", "answer": {"json": {"value": value}}}
    return api.post("/_mock/stubs", json=stub)


def _in_a_snapshot(api, value):
    _in_a_payload(api, value)
    return api.post("/_mock/snapshots", json={"name": "now"})


@pytest.mark.parametrize("bring", [_in_a_mail, _in_a_payload, _in_a_fault, _in_a_stub, _in_a_snapshot])
def test_extreme_json_values_survive_packing(bring, make_api):
    for name, value in VALUES.items():
        api = make_api()
        assert bring(api, value).status_code in (200, 201), name
        assert lost(api.workspace) is None, name


def test_hostile_texts_survive_packing(api):
    fill(api, list(values(44)))

    assert lost(api.workspace) is None


def test_undecodable_paths_survive_packing(api):
    for target in ("/v3/%ED%A0%80", "/v3/x?%ED%A0%80=%FF", "/v3/%00%FF/%F0%9F%98%80"):
        api.get(target, headers={"X-Any": "\xff\x80"})

        assert lost(api.workspace) is None


def test_yaml_documents_survive_packing(api):
    text = "scenario: {clock: {start: '2026-01-15T09:00:00Z', frozen: true}, seed: 0x7, accounts: [{name: 'ÿ'}]}"
    assert api.post("/_mock/reset", data=text, content_type="application/yaml").status_code == 200

    assert lost(api.workspace) is None
