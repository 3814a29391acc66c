"""What a scenario or a body must not bring about, tried where a user meets it."""

import json
from pathlib import Path

import pytest
from cli_runner import invoke

from mockserver.scenario.documents.library import Library
from mockserver.scenario.documents.mistakes import ScenarioError
from mockserver.scenario.documents.reading import parse
from mockserver.scenario.dump import dump, to_yaml
from mockserver.scenario.load import load
from mockserver.settings import Settings
from mockserver.testing.scenario import sendable

YAML = {"content_type": "application/yaml"}
DELIVERY = "{id: 1, target: {url: 'http://a.test'}, payloads: [{a: WRONG}], events: [x], created_at: PT0S}"
FREE = {
    "payload": ("POST", "/_mock/trigger", "event: delivered\npayload: {a: [{when: WRONG}]}", "/payload/a/0/when"),
    "body": ("POST", "/_mock/faults", "fault: hang\nmatch: {json: {when: WRONG}}", "/match/json/when"),
    "query": ("POST", "/_mock/faults", "fault: hang\nmatch: {query: {a: WRONG}}", "/match/query/a"),
    "path": ("POST", "/_mock/faults", "fault: hang\nmatch: {path: {senderId: WRONG}}", "/match/path/senderId"),
    "credits": ("POST", "/_mock/seed", "plan: [{type: free, credits: WRONG}]", "/plan/0/credits"),
    "delivery": ("PUT", "/_mock/state", f"deliveries: [{DELIVERY}]", "/deliveries/0/payloads/0/a"),
}
WRONG = ("2026-01-01", "2026-01-01T00:00:00Z", "123456789012345678901", "!!binary aGk=", ".nan")


@pytest.mark.parametrize("value", WRONG)
@pytest.mark.parametrize(("method", "path", "body", "place"), FREE.values(), ids=FREE)
def test_what_json_does_not_have_is_refused_wherever_any_value_may_stand(api, method, path, body, place, value):
    before = api.get("/_mock/state").data
    answer = api.request(method, path, data=body.replace("WRONG", value), **YAML)

    assert (answer.status_code, [row["path"] for row in answer.json["errors"]]) == (400, [place])
    assert answer.json["detail"].startswith("body:")
    assert api.get("/_mock/state").json["accounts"] == json.loads(before)["accounts"]


def test_a_nested_payload_survives_a_snapshot_and_is_written_as_yaml(api):
    api.post("/v3/webhooks", json={"url": "http://127.0.0.1:9/a", "events": ["delivered"]})
    payload = {"a": {"b": [{"c": 1}]}}
    api.post("/_mock/trigger", json={"event": "delivered", "payload": payload})
    api.post("/_mock/snapshots", json={"name": "kept"})
    api.post("/_mock/snapshots/kept/restore")

    written = api.get("/_mock/state", headers={"Accept": "application/yaml"})

    assert written.status_code == 200
    assert api.put("/_mock/state", data=written.data, **YAML).status_code == 200


def test_the_deepest_payload_that_is_taken_can_be_put_back(api):
    api.post("/v3/webhooks", json={"url": "http://127.0.0.1:9/a", "events": ["delivered"]})
    deep = json.loads("[" * 79 + "]" * 79)
    assert api.post("/_mock/trigger", json={"event": "delivered", "payload": {"a": deep}}).status_code == 200
    assert api.post("/_mock/trigger", json={"event": "delivered", "payload": {"a": [deep]}}).status_code == 400

    assert api.put("/_mock/state", json=api.get("/_mock/state").json).status_code == 200


def test_a_body_of_yaml_has_a_limit_of_its_own(make_api):
    api = make_api("empty", yaml_limit=100)
    body = f"description: {'x' * 100}"

    answer = api.put("/_mock/state", data=body, **YAML)

    assert answer.status_code == 413
    assert (
        answer.json["detail"]
        == "the YAML body is larger than 100 bytes (--yaml-limit); JSON can be larger (--body-limit)"
    )
    assert api.put("/_mock/state", json={"description": "x" * 100}).status_code == 200


def test_a_body_that_is_too_large_is_told_the_limit_and_its_setting(make_api):
    answer = make_api("empty", body_limit=1_000).put("/_mock/state", json={"description": "x" * 1_000})

    assert answer.status_code == 413
    assert answer.json["detail"] == "the body is larger than 1,000 bytes (--body-limit)"


@pytest.mark.slow
def test_the_largest_shipped_workspace_fits_into_a_body_of_yaml():
    written = to_yaml(dump(load(Library().read("large"), name="test")))

    assert len(written.encode()) < Settings().yaml_limit
    assert len(parse(written, "body")["accounts"][0]["inbound_events"]) == 50_000


def test_the_levels_of_a_body_are_a_setting(make_api):
    for kind, text in [("yaml", "a: [[[[[[[[[[]]]]]]]]]]"), ("json", '{"a": [[[[[[[[[[]]]]]]]]]]}')]:
        answer = make_api("empty", depth_limit=10).put("/_mock/state", data=text, content_type=f"application/{kind}")
        assert "nested too deeply" in answer.json["detail"]
        answer = make_api("empty", depth_limit=11).put("/_mock/state", data=text, content_type=f"application/{kind}")
        assert "unknown key" in answer.json["detail"]


@pytest.mark.parametrize("date", ["-P30000D", "P9000000D", "-P999999999D"])
def test_a_relative_moment_out_of_the_clocks_years_is_refused_where_it_is_written(date):
    event = {"date": date, "sender": "a@b.test", "recipient": "c@d.test"}
    with pytest.raises(
        ScenarioError, match=r"inbound_events\[0\].date: the clock shows moments from 1971 to 9000 only"
    ):
        load({"clock": {"start": "2026-01-15T09:00:00Z"}, "inbound_events": [event]}, name="test")


def test_lifetimes_end_with_the_clocks_last_year(make_api):
    end = {"clock": {"start": "8999-12-31T23:59:59Z", "frozen": True}, "behaviour": {"otp_lifetime": "P36525D"}}
    api = make_api(end)
    api.post("/v3/senders", json={"name": "A", "email": "a@b.test"})

    assert api.put("/_mock/state", json=api.get("/_mock/state").json).status_code == 200


def test_two_accounts_of_one_name_are_a_mistake_above_another_scenario_too(tmp_path):
    (tmp_path / "below.yaml").write_text("accounts: [{name: a}]")
    (tmp_path / "mine.yaml").write_text("extends: below\naccounts:\n  - {name: a}\n  - {name: a}\n")

    with pytest.raises(ScenarioError, match=r"mine.yaml:4: accounts\[1\].name: duplicate account name 'a'"):
        load(Library(tmp_path).read("mine"), name="test")


def test_unusable_scenario_name_is_refused_with_a_reason(tmp_path):
    for name, message in [
        ("standrad", "unknown scenario 'standrad'; did you mean standard?"),
        ("./nope.yaml", "./nope.yaml: no such file"),
        ("nope.yaml", "nope.yaml: no such file"),
        ("a/b", "a/b: no such file"),
        ("{folder}", ": is a folder"),
        ("{folder}/notes.txt", ": does not end in .yaml, .yml, .json"),
        ("a\x00.yaml", "no such file"),
        ("x" * 5_000 + ".yaml", "no such file"),
    ]:
        (tmp_path / "notes.txt").write_text("")
        with pytest.raises(ScenarioError) as error:
            Library().read(name.format(folder=tmp_path))
        assert message.format(folder=tmp_path)[-70:] in str(error.value).replace("…", "") or "no such file" in str(
            error.value
        )


def test_a_broken_link_is_no_scenario_and_a_folder_in_place_of_a_file_is_told(tmp_path):
    (tmp_path / "folder.yaml").mkdir()
    (tmp_path / "link.yaml").symlink_to(tmp_path / "nowhere.yaml")
    (tmp_path / "odd.yaml").write_text("description: {a: 1}")
    (tmp_path / "binary.yaml").write_bytes(b"\x00\xff")

    rows = {row["name"]: row for row in Library(tmp_path).describe()}

    assert rows.keys() & {"folder", "link", "odd", "binary"} == {"folder", "odd", "binary"}
    assert "is a folder, not a file" in rows["folder"]["error"]
    assert rows["odd"]["description"] == ""
    assert "not UTF-8" in rows["binary"]["error"]


@pytest.fixture
def linked(tmp_path):
    """A folder of scenarios with a link out of it, and with links that stay within it, as Kubernetes makes them."""
    (tmp_path / "secret.yaml").write_text("description: secret")
    folder = tmp_path / "scenarios"
    (folder / "..2026").mkdir(parents=True)
    (folder / "..2026" / "mine.yaml").write_text("description: mine")
    (folder / "..data").symlink_to("..2026")
    (folder / "mine.yaml").symlink_to(Path("..data") / "mine.yaml")
    (folder / "link.yaml").symlink_to(tmp_path / "secret.yaml")
    (folder / "child.yaml").write_text("extends: link")
    return folder


@pytest.mark.parametrize("name", ["link", "child"])
def test_a_link_out_of_the_folder_is_refused(linked, name):
    with pytest.raises(ScenarioError, match=r"link\.yaml is a link to a file outside of its folder; copy the file"):
        load(Library(linked).document(name), name="w", title=name)


def test_a_link_out_of_the_folder_is_not_shown_by_the_control_api(make_api, linked):
    api = make_api(scenarios=linked)

    shown = api.get("/_mock/scenarios/link")
    assert (shown.status_code, "secret" in shown.text) == (404, False)
    errors = {row["name"]: row.get("error", "") for row in api.get("/_mock/scenarios").json["items"]}
    assert "outside of its folder" in errors["link"]
    assert api.post("/_mock/workspaces", json={"scenario": "link"}).status_code == 400


def test_a_link_within_the_folder_and_one_to_the_folder_are_followed(linked, tmp_path):
    (tmp_path / "alias").symlink_to(linked)

    for folder in (linked, tmp_path / "alias"):
        assert Library(folder).read("mine") == {"description": "mine"}


def test_a_file_that_is_too_large_is_not_read(tmp_path):
    with (tmp_path / "large.yaml").open("wb") as file:
        file.truncate(64 * 1024 * 1024 + 1)

    with pytest.raises(ScenarioError, match="it has more than 67,108,864 bytes"):
        Library(tmp_path).read("large")


def test_mistakes_are_told_by_line_with_what_stands_there_and_what_was_meant(tmp_path):
    (tmp_path / "mine.yaml").write_text(
        "strict: 7\nsolution: v2\nclock:\n  start: 2026-13-15T09:00:00Z\nsenders:\n"
        "  - {name: A, email: a@b.test, state: verifed}\nseed: x\n"
        "oauth_apps: [{scopes: [acount:read], client_secret: 'no secret at all'}]\n"
    )

    with pytest.raises(ScenarioError) as error:
        load(Library(tmp_path).read("mine"), name="test")

    lines = [line.partition("mine.yaml:")[2] for line in str(error.value).splitlines()]
    states = "expected one of: awaiting_verification, verified"
    assert lines[:4] == [
        "1: strict: not a boolean: got 7 (a number), expected true or false",
        "4: clock.start: not a valid timestamp: got '2026-13-15T09:00:00Z'; month must be in 1..12",
        f"6: senders[0].state: unknown value: got 'verifed', {states}; did you mean verified?",
        "7: seed: not an integer: got 'x' (a string)",
    ]
    assert "no secret at all" not in str(error.value)
    assert "client_secret: invalid value: got a string of 16 characters (redacted)" in lines[4]


def test_secret_of_another_type_is_shown_once_as_its_kind(tmp_path):
    (tmp_path / "mine.yaml").write_text("oauth_apps: [{client_secret: 12345678}]\n")

    with pytest.raises(ScenarioError, match=r"not a string: got a number \(redacted\), expected a string in quotes"):
        load(Library(tmp_path).read("mine"), name="test")


def test_a_document_with_a_value_that_json_does_not_have_is_neither_sent_nor_shown(tmp_path):
    path = tmp_path / "mine.yaml"
    path.write_text("seed: 1\ndescription: .nan\n")

    with pytest.raises(ScenarioError, match=r"mine.yaml:2: description: not a number of JSON: got .nan"):
        sendable(path)
    found = invoke(["scenarios", "show", "mine", "--scenarios", str(tmp_path)])
    assert "mine.yaml:2: description: not a number of JSON: got .nan" in found.stderr
