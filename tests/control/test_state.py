import json

import pytest
import yaml

WORKSPACE = {
    "clock": {"start": "2026-01-15T09:00:00Z", "frozen": True},
    "accounts": [{"name": "acme", "api_keys": ["xkeysib-acme"]}, {"name": "other", "api_keys": ["xkeysib-other"]}],
}


pytestmark = pytest.mark.api(WORKSPACE, key="xkeysib-acme")


def test_the_state_is_a_scenario_as_json_or_as_yaml(api):
    api.post("/v3/senders", json={"name": "A", "email": "a@acme.test"})

    as_json = api.get("/_mock/state").json
    as_yaml = api.get("/_mock/state", headers={"Accept": "application/yaml"})

    assert as_yaml.mimetype == "application/yaml"
    assert yaml.safe_load(as_yaml.data) == as_json
    assert as_json["accounts"][0]["senders"][0]["email"] == "a@acme.test"


def test_ids_of_24_digits_are_quoted_in_yaml(make_api):
    api = make_api({"accounts": [{"name": "a", "organization_id": "650000000000000000000001"}]})

    text = api.get("/_mock/state", headers={"Accept": "application/yaml"}).text

    assert "organization_id: '650000000000000000000001'" in text


def test_a_reset_gives_the_workspace_as_its_scenario_made_it(api):
    before = api.get("/_mock/state").json
    api.post("/v3/senders", json={"name": "A", "email": "a@acme.test"})
    api.advance("PT1H")

    reset = api.post("/_mock/reset")

    assert reset.status_code == 200
    assert api.get("/_mock/state").json == before
    assert api.get("/_mock/mailbox").json["count"] == 0


def test_a_reset_to_another_scenario_stays_with_it(api):
    assert api.post("/_mock/reset", json={"scenario": "empty"}).json["scenario"] == "empty"
    assert api.post("/_mock/reset").json["scenario"] == "empty"


def test_a_document_may_extend_a_scenario_by_name(api):
    api.post("/_mock/reset", json={"scenario": {"extends": "onboarding", "description": "Mine."}})

    state = api.get("/_mock/state").json
    assert (state["description"], state["clock"]["frozen"]) == ("Mine.", True)


def test_a_reset_tells_the_workspaces_accounts_and_keys(api):
    assert api.post("/_mock/reset").json == {
        "name": "default",
        "api_key": "xkeysib-acme",
        "scenario": "document",
        "url": "http://localhost/v3",
        "accounts": [
            {"name": "acme", "role": "standalone", "api_key": "xkeysib-acme"},
            {"name": "other", "role": "standalone", "api_key": "xkeysib-other"},
        ],
    }


BAD_YAML = [
    ("PUT", "/_mock/state", "seed: 1\nacounts: []\n", [("/acounts", 2)]),
    ("PUT", "/_mock/state", "seed: 1\n\nstrict: [\n", [("", 3)]),
    ("PUT", "/_mock/state", "senders:\n- {name: A, email: a@acme.test, emial: b}\n- {}\n", [
        ("/senders/0/emial", 2), ("/senders/1/name", 3), ("/senders/1/email", 3),
    ]),
    ("PUT", "/_mock/state", "senders:\n- {id: 1, name: A, email: a@b.test}\n- {id: 1, name: B, email: b@b.test}\n", [
        ("/senders/1/id", 3),
    ]),
    ("POST", "/_mock/seed", "clock: {}\nsenders:\n- 7\n", [("/clock", 1), ("/senders/0", 3)]),
    ("POST", "/_mock/seed", "senders: []\naccount: nobody\n", [("/account", 2)]),
    ("POST", "/_mock/reset", "# Mine.\nscenario:\n  sed: 1\n", [("/sed", 3)]),
    ("POST", "/_mock/reset", "scenario: emtpy\n", [("/scenario", 1)]),
    ("POST", "/_mock/workspaces", "name: w\nscenario:\n  sed: 1\n", [("/sed", 3)]),
    ("POST", "/_mock/workspaces", "name: w\nsed: 1\n", [("/sed", 2)]),
    ("PUT", "/_mock/state", "seed: 1_000\nstrict: on\n", [("/seed", 1), ("/strict", 2)]),
    ("POST", "/_mock/seed", "senders:\n- name: NO\n  email: a@b.test\n", [("/senders/0/name", 2)]),
    ("POST", "/_mock/reset", "scenario:\n  seed: 0o17\n", [("/seed", 2)]),
    ("POST", "/_mock/workspaces", "name: NO\nscenario: empty\n", [("/name", 1)]),
    ("POST", "/_mock/stubs", "method: GET\npath: /v3/x\nanswer: {json: {zip: 01234}}\n", [("/answer/json/zip", 3)]),
]  # fmt: skip


@pytest.mark.parametrize(("method", "path", "text", "places"), BAD_YAML)
def test_a_mistake_of_a_yaml_body_has_its_line(api, method, path, text, places):
    answer = api.request(method, path, data=text, content_type="application/yaml")

    assert answer.status_code == 400
    assert [(row["path"], row["line"]) for row in answer.json["errors"]] == places


def test_a_mistake_of_a_json_body_has_no_line(api):
    answer = api.put("/_mock/state", json={"sed": 1})

    assert [set(row) for row in answer.json["errors"]] == [{"path", "message"}]


def test_a_mistake_in_what_a_yaml_body_extends_has_no_line_of_the_body(tmp_path, make_api):
    (tmp_path / "broken.yaml").write_text("\n\nsed: 1\n")
    api = make_api(WORKSPACE, scenarios=str(tmp_path))

    answer = api.put("/_mock/state", data="extends: broken\n", content_type="application/yaml")

    assert [(row["path"], "line" in row) for row in answer.json["errors"]] == [("/sed", False)]
    assert "broken.yaml:3: sed" in answer.json["detail"]


@pytest.mark.parametrize(("format_", "status"), [("json", 200), ("yaml", 200), ("xml", 400)])
def test_link_can_ask_for_the_state_in_a_known_format(api, format_, status):
    answer = api.get(f"/_mock/state?format={format_}")

    assert answer.status_code == status
    if status == 200:
        assert answer.mimetype == f"application/{format_}"
    else:
        assert [row["path"] for row in answer.json["errors"]] == ["/format"]


MISSPELT = {"extends": "corporate-v2", "accounts": [{"name": "eu", "assigned": {"credits": {"emial": 5}}}]}


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("POST", "/_mock/workspaces", {"scenario": MISSPELT}),
        ("POST", "/_mock/reset", {"scenario": MISSPELT}),
        ("PUT", "/_mock/state", MISSPELT),
    ],
)
@pytest.mark.parametrize("form", ["json", "yaml"])
def test_a_mistake_of_a_document_that_extends_is_told_where_it_stands(api, method, path, body, form):
    text = yaml.safe_dump(body) if form == "yaml" else json.dumps(body)

    answer = api.request(method, path, data=text, content_type=f"application/{form}")

    told = answer.json
    assert answer.status_code == 400
    assert [row["path"] for row in told["errors"]] == ["/accounts/0/assigned/credits/emial"]
    assert "accounts[0].assigned.credits.emial: unknown key; did you mean email?" in told["detail"]
    assert "corporate-v2" not in told["detail"]


def test_a_mistake_below_is_told_with_the_name_of_its_file(make_api, tmp_path):
    (tmp_path / "below.yaml").write_text("accounts:\n  - {name: a}\n  - {name: b, langauge: en}\n")
    api = make_api("empty", scenarios=str(tmp_path))

    told = api.post("/_mock/reset", json={"scenario": {"extends": "below", "accounts": [{"name": "b"}]}}).json

    assert told["detail"] == "below.yaml:3: accounts[1].langauge: unknown key; did you mean language?"


@pytest.mark.parametrize("scenario", ["nothing", 7, ["standard"]])
def test_reset_to_an_unknown_or_invalid_scenario_is_refused(api, scenario):
    assert api.post("/_mock/reset", json={"scenario": scenario}).status_code == 400


def test_the_scenarios_are_listed_and_shown(api):
    listed = api.get("/_mock/scenarios").json["items"]

    assert {"standard", "empty", "onboarding", "corporate-v2"} <= {row["name"] for row in listed}
    assert yaml.safe_load(api.get("/_mock/scenarios/standard").data)["description"]


def test_unknown_scenario_is_404_with_the_nearest_name(api):
    for name in ("nothing", "..%2Fpyproject", "standard.yaml"):
        assert api.get(f"/_mock/scenarios/{name}").status_code == 404
    told = api.get("/_mock/scenarios/onbording").json["detail"]
    assert told == "unknown scenario 'onbording'; did you mean onboarding?"


def test_a_caller_cannot_have_other_files_read(api, tmp_path):
    path = tmp_path / "secret.yaml"
    path.write_text("description: Secret.\n")

    by_path = api.post("/_mock/reset", json={"scenario": str(path)})
    by_extends = api.post("/_mock/reset", json={"scenario": {"extends": str(path)}})

    assert (by_path.status_code, by_extends.status_code) == (400, 400)
    assert api.get("/_mock/state").json["description"] == ""


def test_a_user_has_a_password_in_written_state_only_where_the_scenario_gives_one(make_api):
    users = [{"email": "ada@a.test", "admin": True, "password": "p"}, {"email": "bob@a.test", "admin": False}]
    api = make_api({"accounts": [{"name": "acme", "users": users}]})

    assert api.get("/_mock/state").json["accounts"][0]["users"] == users


@pytest.mark.parametrize(
    ("text", "kind", "message"),
    [(text, "yaml", "nothing but comments") for text in ("# a note\n", "\n  \n# a\n\n# b", "---\n# {nothing}\n...\n")]
    + [(text, "yaml", "mapping") for text in ("null\n", "~")]
    + [(text, kind, "missing document") for text in ("", " \n") for kind in ("yaml", "json")],
)  # fmt: skip
def test_document_without_content_is_refused_and_changes_nothing(api, text, kind, message):
    before = api.get("/_mock/state").data

    answer = api.client.put("/_mock/state", data=text, content_type=f"application/{kind}")

    assert (answer.status_code, message in answer.text) == (400, True), answer.text
    assert api.get("/_mock/state").data == before


@pytest.mark.parametrize("text", ["{}", "# empty\n{}\n"])
def test_empty_mapping_is_an_empty_workspace(api, text):
    assert api.client.put("/_mock/state", data=text, content_type="application/yaml").status_code == 200
