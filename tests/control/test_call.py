"""What all calls of the control API have in common."""

import time

import pytest

from mockserver.core.contract.operation import Mark
from mockserver.resources.registry import ALL_OPERATIONS

WORKSPACE = {"accounts": [{"name": "acme", "api_keys": ["xkeysib-acme"]}]}


@pytest.mark.parametrize("path", ["health", "livez", "readyz"])
def test_health_call_reports_status_ok(api, path):
    health = api.get(f"/_mock/{path}").json

    assert set(health) == {"status", "version", "scenario", "workspaces", "evicted", "store", "uptime_s", "started"}
    assert (health["status"], health["scenario"], health["workspaces"]) == ("ok", "standard", 1)


def test_health_tells_one_start_of_a_server_from_another(make_api):
    one, other = make_api(), make_api()

    first, second, third = (api.get("/_mock/health").json["started"] for api in (one, one, other))
    assert first == second != third


def test_an_unknown_workspace_is_404_and_never_made(api):
    answer = api.get("/_mock/clock", headers={"X-Mock-Workspace": "nowhere"})

    assert (answer.status_code, answer.content_type) == (404, "application/problem+json")
    assert api.get("/_mock/health").json["workspaces"] == 1


@pytest.mark.parametrize(("mode", "status"), [("any", 200), ("known", 404)])
def test_a_key_stands_for_its_workspace(make_api, mode, status):
    api = make_api(WORKSPACE, keys=mode)

    assert api.client.get("/_mock/clock", headers={"api-key": "xkeysib-acme"}).status_code == 200
    assert api.client.get("/_mock/clock", headers={"api-key": "unknown"}).status_code == status


def test_a_mistake_of_the_mock_itself_is_a_problem(api, monkeypatch):
    monkeypatch.setattr("mockserver.control.workspaces.state.dump", lambda _: 1 / 0)

    answer = api.get("/_mock/state")

    assert (answer.status_code, answer.content_type) == (500, "application/problem+json")


def test_the_root_tells_a_shell_in_twelve_lines_what_to_try(api):
    text = api.get("/").text

    assert text.count("\n") == 12
    assert "http://localhost/realms/partner/.well-known/openid-configuration" in text
    assert "curl -H 'api-key: any' http://localhost/v3/senders" in text


def test_the_fidelity_record_marks_every_field_and_error(api):
    record = api.get("/_mock/fidelity").json

    entries = [entry for row in record["operations"].values() for entry in (*row["fields"], *row["errors"])]
    assert list(record["operations"]) == list(ALL_OPERATIONS)
    assert {entry["mark"] for entry in entries} <= set(Mark)
    assert [entry for entry in entries if not entry["source"]] == []
    assert sum(record["totals"].values()) == len(entries)


def test_the_documents_page_loads_nothing_from_elsewhere(api):
    page = api.get("/_mock/docs")

    assert "default-src 'none'" in page.headers["Content-Security-Policy"]
    assert "http" not in page.text


def test_the_files_of_the_documents_page_are_served(api):
    for name, kind in [
        ("swagger-ui.css", "text/css"),
        ("swagger-ui-bundle.js", "text/javascript"),
        ("start.js", "text/javascript"),
    ]:
        answer = api.get(f"/_mock/docs/{name}")
        assert (answer.status_code, answer.mimetype) == (200, kind)


@pytest.mark.parametrize("name", ["nothing.js", "..%2f__init__.py"])
def test_docs_serve_no_other_file(api, name):
    assert api.get(f"/_mock/docs/{name}").status_code == 404


def test_uptime_counts_from_the_start_of_each_server(make_api):
    before = time.monotonic()
    older, younger = make_api(), make_api()

    assert older.get("/_mock/health").json["uptime_s"] <= time.monotonic() - before
    assert younger.get("/_mock/health").json["uptime_s"] < older.get("/_mock/health").json["uptime_s"]


def test_a_transition_is_described_as_it_is_told(api):
    schemas = api.get("/_mock/control.json").json["components"]["schemas"]
    sources = [
        row["properties"]["from"]
        for row in schemas.values()
        if {"event", "from", "to"} <= row.get("properties", {}).keys()
    ]
    rows = api.get("/_mock/machines").json["items"][0]["transitions"]

    assert len(sources) >= 2
    assert all("`[*]`" in row["description"] for row in sources)
    assert rows[0]["from"] == "[*]"


def test_unknown_path_names_the_most_similar_call(api):
    for path, near in [
        ("/_mock/mailbx", "/_mock/mailbox"), ("/_mock/clock/advanc", "/_mock/clock/advance"),
        ("/_mock/fault", "/_mock/faults"), ("/w/default/_mock/sate", "/_mock/state"),
    ]:  # fmt: skip
        answer = api.get(path)
        assert (answer.status_code, answer.content_type) == (404, "application/problem+json")
        assert f"; did you mean {near}? GET /_mock lists all calls" in answer.json["detail"]


@pytest.mark.parametrize("path", ["/_mock/qqqqqqqq", "/_mock/" + "mailbox" * 5_000])
def test_unknown_path_points_to_the_index_without_a_similar_path(api, path):
    assert api.get(path).json["detail"] == f"unknown path {path}; GET /_mock lists all calls"


def test_a_method_that_is_not_taken_is_told_with_those_that_are(api):
    answer = api.post("/_mock/mailbox")

    assert answer.status_code == 405
    assert answer.json["detail"] == "method POST not allowed for /_mock/mailbox; allowed: DELETE, GET, HEAD, OPTIONS"
    assert answer.headers["Allow"] == "DELETE, GET, HEAD, OPTIONS"
    assert answer.json.items() >= {"type": "about:blank", "title": "Method Not Allowed", "status": 405}.items()
