"""`yaml`, the text of a scenario, where a control call takes a scenario."""

import pytest

GOOD = """\
# Mine.
description: From a text.
accounts:
- &first {name: acme, language: de}
- {<<: *first, name: other}
"""
CALLS = ["/_mock/workspaces", "/_mock/reset"]
calls = pytest.mark.parametrize("path", CALLS)


pytestmark = pytest.mark.api({"clock": {"start": "2026-01-15T09:00:00Z", "frozen": True}})


def places(answer):
    return [(row["path"], row.get("line")) for row in answer.json["errors"]]


@calls
def test_a_scenario_may_come_as_its_text(api, path):
    answer = api.post(path, json={"yaml": GOOD})

    assert [row["name"] for row in answer.json["accounts"]] == ["acme", "other"]
    assert answer.json["scenario"] == "document"


def test_a_workspace_made_of_a_text_is_reset_to_it(api):
    api.post("/_mock/reset", json={"yaml": GOOD})

    api.post("/_mock/reset")

    assert api.get("/_mock/state").json["description"] == "From a text."


@calls
def test_a_text_in_a_body_of_yaml_has_lines_of_its_own(api, path):
    answer = api.post(path, data="\n\nyaml: |\n  seed: 1\n  sed: 1\n", content_type="application/yaml")

    assert places(answer) == [("/sed", 2)]


BAD = {
    "broken": ("seed: 1\n\nstrict: [\n", [("", 3)], True),
    "no mapping": ("\n- standard\n", [("", 1)], True),
    "a circle": ("senders: &all [*all]\n", [("/senders/0", 1)], None),
    "twice": ("seed: 1\nseed: 2\n", [("/seed", 2)], None),
    "a wrong member": ("seed: 1\nacounts: []\n", [("/acounts", 2)], None),
    "a wrong row": ("senders:\n- {name: A, email: a@acme.test, emial: b}\n", [("/senders/0/emial", 2)], None),
    "an unknown scenario": ("\nextends: no-such\n", [("/extends", 2)], None),
}  # fmt: skip


@calls
@pytest.mark.parametrize(("text", "wrong", "unreadable"), BAD.values(), ids=BAD)
def test_a_mistake_in_a_text_has_its_path_and_line_and_changes_nothing(api, path, text, wrong, unreadable):
    before = api.get("/_mock/state").json

    answer = api.post(path, json={"yaml": text})

    assert (answer.status_code, answer.content_type) == (400, "application/problem+json")
    assert (places(answer), answer.json.get("unreadable")) == (wrong, unreadable)
    assert f"yaml:{wrong[0][1]}: " in answer.json["detail"]
    assert api.get("/_mock/state").json == before
    assert api.get("/_mock/workspaces").json["count"] == 1


@calls
@pytest.mark.parametrize("scenario", ["empty", {}, None, "no-such"])
def test_a_scenario_and_a_text_exclude_each_other(api, path, scenario):
    answer = api.post(path, json={"scenario": scenario, "yaml": ""})

    assert answer.status_code == 400
    assert ("", "give scenario or yaml, not both") in {
        (row["path"], row["message"]) for row in answer.json["errors"]
    }  # fmt: skip


@calls
@pytest.mark.parametrize("text", [None, 7, {}, ["seed: 1"]])
def test_yaml_member_accepts_only_a_string(api, path, text):
    assert places(api.post(path, json={"yaml": text})) == [("/yaml", None)]


@calls
def test_a_text_is_bounded_in_bytes_as_a_body_of_yaml_is(make_api, path):
    api = make_api("empty", yaml_limit=100)
    fits = "description: ".ljust(100, "x")

    assert api.post(path, json={"yaml": fits}).status_code < 300
    for text in (f"{fits}x", f"{fits[:-1]}é"):
        answer = api.post(path, json={"yaml": text})
        assert answer.status_code == 413
        assert answer.json["detail"].startswith("yaml is larger than 100 bytes (--yaml-limit)")


@calls
def test_a_text_is_bounded_in_levels_as_a_body_is(make_api, path):
    answer = make_api("empty", depth_limit=10).post(path, json={"yaml": "a: [[[[[[[[[[]]]]]]]]]]"})

    assert "nested too deeply" in answer.json["detail"]


@pytest.mark.parametrize("path", ["/_mock/state", "/_mock/reset"])
def test_a_body_of_yaml_that_cannot_be_read_is_told_as_such(api, path):
    method = api.put if path.endswith("state") else api.post

    assert method(path, data="a: [", content_type="application/yaml").json["unreadable"] is True
    assert "unreadable" not in method(path, data="sed: 1", content_type="application/yaml").json


def test_a_workspace_made_of_a_text_can_be_strict_and_start_when_it_is_told(api):
    body = {"name": "mine", "yaml": "strict: false\nclock: {frozen: true}\n", "strict": True}

    assert api.post("/_mock/workspaces", json={**body, "start": "2026-02-01T00:00:00Z"}).status_code == 201

    state = api.get("/w/mine/_mock/state").json
    assert (state["strict"], state["clock"]) == (True, {"start": "2026-02-01T00:00:00Z", "frozen": True})


@calls
def test_text_without_content_is_refused(api, path):
    answer = api.post(path, json={"yaml": "# nothing yet\n"})

    assert (answer.status_code, "it has nothing but comments" in answer.text) == (400, True)
