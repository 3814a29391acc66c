"""What all calls of the control API have in common."""

import pytest

from mockserver.core.contract.operation import Mark
from mockserver.resources.registry import ALL_OPERATIONS

WORKSPACE = {"accounts": [{"name": "acme", "api_keys": ["xkeysib-acme"]}]}


@pytest.mark.parametrize("path", ["health", "livez", "readyz"])
def test_the_server_says_that_it_is_well(api, path):
    health = api.get(f"/_mock/{path}").json

    assert set(health) == {"status", "version", "scenario", "workspaces", "evicted", "store", "uptime_s", "started"}
    assert (health["status"], health["scenario"], health["workspaces"]) == ("ok", "standard", 1)


def test_health_tells_one_start_of_a_server_from_another(make_api):
    one, other = make_api(), make_api()

    first, second, third = (api.get("/_mock/health").json["started"] for api in (one, one, other))
    assert first == second != third


def test_a_call_acts_on_the_workspace_that_its_header_names(api):
    assert api.get("/_mock/clock", headers={"X-Mock-Workspace": "default"}).status_code == 200


def test_an_unknown_workspace_is_404_and_never_made(api):
    answer = api.get("/_mock/clock", headers={"X-Mock-Workspace": "nowhere"})

    assert (answer.status_code, answer.content_type) == (404, "application/problem+json")
    assert api.get("/_mock/health").json["workspaces"] == 1


@pytest.mark.parametrize(("mode", "status"), [("any", 200), ("known", 404)])
def test_a_key_stands_for_its_workspace(make_api, mode, status):
    api = make_api(WORKSPACE, keys=mode)

    assert api.client.get("/_mock/clock", headers={"api-key": "xkeysib-acme"}).status_code == 200
    assert api.client.get("/_mock/clock", headers={"api-key": "unknown"}).status_code == status


def test_a_problem_says_type_title_status_and_detail(api):
    problem = api.get("/_mock/nowhere").json

    assert (problem["type"], problem["title"], problem["status"]) == ("about:blank", "Not Found", 404)
    assert "/_mock/nowhere" in problem["detail"]


def test_a_wrong_method_is_405(api):
    assert api.post("/_mock/clock").status_code == 405


def test_a_mistake_of_the_mock_itself_is_a_problem(api, monkeypatch):
    monkeypatch.setattr("mockserver.control.workspaces.state.dump", lambda _: 1 / 0)

    answer = api.get("/_mock/state")

    assert (answer.status_code, answer.content_type) == (500, "application/problem+json")


def test_the_root_tells_a_shell_in_twelve_lines_what_to_try(api):
    text = api.get("/").text

    assert text.count("\n") == 12
    assert "http://localhost/realms/partner/.well-known/openid-configuration" in text
    assert "curl -H 'api-key: any' http://localhost/v3/senders" in text


def test_the_index_has_a_line_for_every_call(api):
    rows = api.get("/_mock").json["items"]

    assert {"method": "POST", "path": "/_mock/clock/advance"}.items() <= {
        key: value for row in rows if row["path"] == "/_mock/clock/advance" for key, value in row.items()
    }.items()
    assert [row for row in rows if not row["does"]] == []


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


@pytest.mark.parametrize(
    ("name", "kind"),
    [("swagger-ui.css", "text/css"), ("swagger-ui-bundle.js", "text/javascript"), ("start.js", "text/javascript")],
)
def test_the_files_of_the_documents_page_are_served(api, name, kind):
    answer = api.get(f"/_mock/docs/{name}")

    assert (answer.status_code, answer.mimetype) == (200, kind)


@pytest.mark.parametrize("name", ["nothing.js", "..%2f__init__.py"])
def test_no_other_file_is(api, name):
    assert api.get(f"/_mock/docs/{name}").status_code == 404
