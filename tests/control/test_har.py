"""The journal as HAR: `GET /_mock/requests?format=har`, the handle and the command."""

from __future__ import annotations

import json
from datetime import datetime
from pathlib import Path

import pytest
import requests
from cli_runner import invoke
from jsonschema import Draft6Validator
from referencing import Registry, Resource

from mockserver import MockServer

#: `npm ci --prefix tests/types` installs the schemas.
_SCHEMAS = Path(__file__).parents[1] / "types" / "node_modules" / "har-schema" / "lib"
_KEY = f"xkeysib-{'0' * 64}-{'a' * 16}"


def entries(api, **query):
    answer = api.get("/_mock/requests", query_string={"format": "har", **query})
    assert answer.content_type == "application/har+json"
    return answer.json["log"]["entries"]


def lose_answer(api):
    api.post("/_mock/faults", json={"fault": "connection_reset", "times": 1})
    with pytest.raises(ConnectionResetError):
        api.get("/v3/account")


@pytest.fixture
def busy(api):
    """An application whose journal has requests and answers of many kinds."""
    api.get("/v3/senders?ip=192.0.2.1&ip=192.0.2.2")
    api.post("/v3/senders", json={"name": "Jö", "email": "jo@acme.test"})
    api.post("/v3/senders", data="{", content_type="application/json")
    api.delete("/v3/senders/9")
    api.get("/v3/a%20b/ü?token=abcdef123456", key=_KEY)
    api.get("/realms/partner/oauth/authorize?client_id=x")
    api.post("/v3/contacts", data=b"\xff\x00", content_type="application/octet-stream")
    lose_answer(api)
    return api


@pytest.mark.skipif(not _SCHEMAS.is_dir(), reason="needs npm ci --prefix tests/types")
def test_har_is_valid_by_har_schema(busy):
    schemas = [json.loads(path.read_text(encoding="utf-8")) for path in _SCHEMAS.glob("*.json")]
    registry = Registry().with_resources((schema["$id"], Resource.from_contents(schema)) for schema in schemas)
    validator = Draft6Validator({"$ref": "har.json#"}, registry=registry, format_checker=Draft6Validator.FORMAT_CHECKER)

    found = busy.get("/_mock/requests?format=har").json

    assert [f"{error.json_path}: {error.message}" for error in validator.iter_errors(found)] == []
    assert len(found["log"]["entries"]) == 8
    del found["log"]["entries"][0]["request"]["url"]
    assert not validator.is_valid(found)


def test_har_has_all_requests_oldest_first_or_those_of_a_filter(busy):
    for _ in range(100):
        busy.get("/v3/account")

    found = entries(busy)

    moments = [datetime.fromisoformat(row["startedDateTime"]) for row in found]
    assert (len(found), moments) == (108, sorted(moments))
    assert [row["request"]["method"] for row in entries(busy, status=404)] == ["DELETE", "GET"]
    assert len(entries(busy, limit=2)) == 2


def test_entry_has_request_answer_reason_and_id(api):
    answer = api.delete("/v3/senders/9?a=b", json={"n": 1})

    [entry] = entries(api)
    sent, got = entry["request"], entry["response"]
    assert (sent["method"], sent["url"]) == ("DELETE", "http://localhost/v3/senders/9?a=b")
    assert sent["queryString"] == [{"name": "a", "value": "b"}]
    assert sent["postData"] == {"mimeType": "application/json", "text": '{"n": 1}'}
    assert (got["status"], got["statusText"]) == (404, "Not Found")
    assert json.loads(got["content"]["text"]) == answer.json
    assert got["content"]["mimeType"] == "application/json"
    assert (entry["_id"], entry["_operation"]) == (answer.headers["sib-request-id"], "deleteSender")
    assert entry["comment"].startswith("account acme has no sender 9")


def test_request_without_an_answer_has_status_0(api):
    lose_answer(api)

    [entry] = entries(api)

    assert entry["response"]["status"] == 0
    assert entry["_fault"] is not None


def test_har_redacts_what_the_journal_redacts(busy):
    found = busy.get("/_mock/requests?format=har").text

    assert "abcdef123456" not in found
    assert _KEY not in found


def test_har_is_sent_to_clients_that_accept_it(busy):
    answer = busy.get("/_mock/requests", headers={"Accept": "application/har+json"})

    assert answer.json["log"]["version"] == "1.2"


def test_handle_and_command_give_the_har_of_their_workspace(tmp_path):
    with MockServer() as server, server.workspace() as workspace:
        requests.get(f"{workspace.url}/account", headers={"api-key": workspace.api_key}, timeout=10)
        settings = {"MOCKSERVER_URL": server.url, "MOCKSERVER_WORKSPACE": workspace.name}

        ended = invoke(("requests", "--har", str(tmp_path / "a.har")), settings)
        printed = invoke(("requests", "--har", "-"), settings).stdout

        assert ended.exit_code == 0, ended.output
        written = json.loads((tmp_path / "a.har").read_text(encoding="utf-8"))
        assert written == workspace.requests.har() == json.loads(printed)
        assert written["log"]["entries"][0]["request"]["url"] == f"{workspace.url}/account"
