"""The page "State": what it shows of a state, how much of it, and the texts that can be changed."""

import re
from html import unescape

import pytest
import web_page
import yaml

from mockserver.dashboard.pages import state
from mockserver.dashboard.states import ABSENT, differences

PAGE = "/_mock/ui/state"
FROZEN = {"clock": {"start": "2026-01-15T09:00:00Z", "frozen": True}}


pytestmark = pytest.mark.api("onboarding")


def shown(page):
    """The text that a page shows in numbered lines, and the numbers."""
    texts = re.findall(r'<pre class="text"[^>]*><code>(.*?)</code></pre>', page.text, re.DOTALL)
    numbers = re.findall(r'<pre class="numbers"[^>]*>([\d\n]*?)</pre>', page.text)
    return unescape("\n".join(texts)), "\n".join(numbers).split("\n")


def area(page):
    return unescape(re.search(r"<textarea[^>]*>\n(.*?)</textarea>", page.text, re.DOTALL)[1])


def digest(page):
    return re.search(r'id="read"[^>]* data-digest="(\w+)"', page.text)[1]


def test_the_state_is_shown_as_the_control_api_gives_it(make_api):
    api = make_api("onboarding", seed=7)
    api.put("/_mock/clock", json={"frozen": True})

    text, numbers = shown(api.get(PAGE))

    assert f"{text}\n" == api.get("/_mock/state?format=yaml").text
    assert numbers == [str(number) for number in range(1, text.count("\n") + 2)]


def test_the_page_says_that_secrets_stand_in_a_state(api):
    for path in ("", "/change"):
        assert "API keys, tokens, passwords and one-time codes" in api.get(f"{PAGE}{path}").text


@pytest.mark.api("enterprise")
def test_each_member_of_several_lines_folds_and_long_ones_are_closed(api):
    page = api.get(PAGE).text

    assert {"clock", "behaviour", "accounts", "resume"} <= set(re.findall(r'<details id="member-(\w+)" open>', page))
    assert {"domains", "senders", "webhooks"} <= set(re.findall(r'<details id="member-(\w+)">', page))
    assert 'id="lines" data-live=""' in page
    assert 'href="../../_mock/state?format=yaml" download="default.yaml"' in page


def test_deliveries_are_shown_only_when_somebody_asks(make_api):
    api = make_api({"webhooks": [{"url": "http://127.0.0.1:9/hook", "events": ["delivered"]}]})
    api.post("/_mock/trigger", json={"event": "delivered"})

    page, whole = api.get(PAGE).text, shown(api.get(f"{PAGE}?deliveries=show"))[0]

    assert '<a href="?deliveries=show">Show 1 delivery</a>' in page
    assert "deliveries:" not in page
    assert yaml.safe_load(whole)["accounts"][0]["deliveries"]


def test_a_large_state_is_written_only_when_somebody_asks(api, monkeypatch):
    monkeypatch.setattr(state, "_MOST_ROWS", 1)

    first, asked = api.get(PAGE), api.get(f"{PAGE}?show=first")

    assert shown(first)[0] == ""
    assert "This workspace is large" in first.text
    assert shown(asked)[0].startswith("description:")
    assert "data-live" not in asked.text.partition("<main")[2]


def test_of_a_long_text_the_first_lines_are_shown(api, monkeypatch):
    monkeypatch.setattr(state, "MOST_LINES", 5)

    page = api.get(PAGE)

    assert shown(page)[1] == ["1", "2", "3", "4", "5"]
    assert "These are the first 5 lines" in page.text


def test_a_long_line_is_cut(make_api):
    api = make_api({"description": "x" * 2_000})

    text, _ = shown(api.get(PAGE))

    assert text.split("\n")[0].endswith("x… and 1,513 characters more")


def test_the_text_to_change_is_the_whole_state(make_api):
    api = make_api(FROZEN)

    text = area(api.get(f"{PAGE}/change"))

    assert text == api.get("/_mock/state?format=yaml").text
    assert api.put("/_mock/state", data=text, content_type="application/yaml").status_code == 200
    assert api.get("/_mock/state").json == yaml.safe_load(text)


def test_a_state_larger_than_the_server_takes_is_left_to_curl(make_api):
    api = make_api(yaml_limit=1_000)

    page = api.get(f"{PAGE}/change").text

    assert "<textarea" not in page
    assert "more than 1,000 bytes" in page
    assert "curl -X PUT http://localhost/_mock/state" in page


@pytest.mark.parametrize(
    ("scenario", "path", "body", "changes"),
    [
        ({}, "/v3/senders", {"name": "A", "email": "a@acme.test"}, True),
        (FROZEN, "/_mock/clock/advance", {"by": "PT1S"}, True),
        ({"clock": {"frozen": False}}, "/_mock/clock/advance", {"by": "PT1S"}, False),
    ],
)
def test_digest_changes_with_the_state_but_not_with_a_running_clock(make_api, scenario, path, body, changes):
    api = make_api(scenario)
    before = digest(api.get(f"{PAGE}/change"))

    api.post(path, json=body)

    assert (digest(api.get(f"{PAGE}/change")) != before) is changes


def test_addition_form_begins_with_an_empty_text(api):
    page = api.get(f"{PAGE}/add")

    assert area(page) == ""
    assert 'data-method="POST" data-path="../../../_mock/seed"' in page.text


def test_scenario_list_shows_names_and_kinds(api):
    page = api.get(f"{PAGE}/scenarios").text

    rows = api.get("/_mock/scenarios").json["items"]
    for row in rows:
        assert f'href="../../../_mock/ui/state/scenarios/{row["name"]}"' in page
    assert page.count('<span class="badge">stubs</span>') == sum("stub_library" in row for row in rows) > 0


def test_a_scenario_that_cannot_be_read_is_listed_with_the_reason(make_api, tmp_path):
    (tmp_path / "broken.yaml").write_text("seed: [\n")
    api = make_api(scenarios=str(tmp_path))

    page = api.get(f"{PAGE}/scenarios").text

    assert "cannot be read" in page
    assert "broken.yaml" in page


def test_a_scenario_is_shown_as_it_is_written(api):
    text, _ = shown(api.get(f"{PAGE}/scenarios/onboarding"))

    assert f"{text}\n" == api.get("/_mock/scenarios/onboarding").text


@pytest.mark.parametrize(("name", "why"), [("broken", "not UTF-8"), ("onbording", "did you mean onboarding")])
def test_an_unknown_scenario_or_a_file_that_is_no_text_is_refused(make_api, tmp_path, name, why):
    (tmp_path / "broken.yaml").write_bytes(b"\xff")

    page = make_api(scenarios=str(tmp_path)).get(f"{PAGE}/scenarios/{name}")

    assert page.status_code == 404
    assert why in page.text


# ---------------------------------------------------------------------- two states


def document(**members):
    clock = {"start": "2026-01-15T09:00:00Z", "frozen": True}
    return {"clock": clock, "accounts": [], "resume": {"ids": {}, "revoked_keys": []}, **members}


ONE, TWO = {"id": 1, "name": "One", "state": "pending"}, {"id": 2, "name": "Two", "state": "pending"}
RUNNING = {"start": "2026-01-15T09:00:00Z", "frozen": False}


@pytest.mark.parametrize(
    ("before", "after", "found"),
    [
        ({"rows": [ONE, TWO]}, {"rows": [TWO, ONE]}, []),
        ({"rows": [ONE]}, {"rows": [ONE, TWO]}, [(("rows", "2 (Two)"), ABSENT, TWO)]),
        ({"rows": [ONE, TWO]}, {"rows": [TWO]}, [(("rows", "1 (One)"), ONE, ABSENT)]),
        (
            {"rows": [ONE]},
            {"rows": [{**ONE, "state": "verified"}]},
            [(("rows", "1 (One)", "state"), "pending", "verified")],
        ),
        ({"ips": ["a"]}, {"ips": ["a", "b"]}, [(("ips",), ["a"], ["a", "b"])]),
        ({"a": {"b": 1}}, {"a": {"c": 1}}, [(("a", "b"), 1, ABSENT), (("a", "c"), ABSENT, 1)]),
        ({"rows": [{"a": 1}]}, {"rows": [{"a": 2}]}, [(("rows", "1.", "a"), 1, 2)]),
        ({"rows": [{"a": 1}]}, {"rows": [{"a": 1}] * 2}, [(("rows",), [{"a": 1}], [{"a": 1}] * 2)]),
        ({"at": "2026-01-15T09:00:00.9Z"}, {"at": "2026-01-15T09:00:02.1Z"}, []),
        (
            {"at": "2026-01-15T09:00:00Z"},
            {"at": "2026-01-15T09:00:01Z"},
            [
                (("at",), "2026-01-15T09:00:00Z", "2026-01-15T09:00:01Z"),
            ],
        ),
        ({"at": "a.b"}, {"at": "a.c"}, [(("at",), "a.b", "a.c")]),
        ({"clock": RUNNING}, {"clock": {**RUNNING, "start": "2026-01-15T09:00:01Z"}}, []),
        ({}, {"resume": {"ids": {"sender": 9}, "revoked_keys": ["k"]}}, [(("revoked_keys",), [], ["k"])]),
        (
            {"accounts": [{"name": "acme"}]},
            {"accounts": [{"name": "acme", "plan": "free"}]},
            [(("account acme", "plan"), ABSENT, "free")],
        ),
    ],
)
def test_differences_name_rows_and_members(before, after, found):
    assert list(differences(document(**before), document(**after))) == found


def compared(api, query=""):
    """Return the rows of the page Compare as texts."""
    page = api.get(f"{PAGE}/compare{query}")
    assert page.status_code == 200
    table = [row.text for row in web_page.read(page.text).all("tr") if not row.all("th", scope="rowgroup")]
    return table[1:], web_page.plain(page.text)


def test_compare_shows_what_has_changed_since_the_workspace_was_made(api):
    assert "The states are equal." in compared(api)[1]

    api.put("/v3/senders/2/validate", json={"otp": 123456})

    rows, _ = compared(api)
    assert 'account acme / senders / 2 (Ops) / state "awaiting_verification" "verified"' in rows


@pytest.mark.api("sub-account-caller")
def test_compare_finds_nothing_in_a_new_workspace_whose_clock_runs(api):
    assert "The states are equal." in compared(api)[1]


def test_compare_shows_what_has_changed_since_a_snapshot_and_between_two(api):
    api.post("/_mock/snapshots", json={"name": "one"})
    api.delete("/v3/senders/1")
    api.post("/_mock/snapshots", json={"name": "two"})
    api.delete("/v3/senders/2")

    ends = {query: [row.split(" / ")[2][0] for row in compared(api, query)[0]] for query in (
        "?from=one", "?from=one&to=two", "?from=two",
    )}  # fmt: skip

    assert ends == {"?from=one": ["1", "2"], "?from=one&to=two": ["1"], "?from=two": ["2"]}


def test_compare_groups_differences_by_kind_and_finds_those_with_a_text(api):
    api.delete("/v3/senders/1")
    api.post("/v3/senders/domains", json={"name": "new.test"})
    groups = re.compile(r'<th scope="rowgroup"[^>]*>([^<]*) <')

    page = api.get(f"{PAGE}/compare").text
    narrowed, _ = compared(api, "?find=NEW.test")

    assert {"senders", "domains"} <= set(groups.findall(page))
    assert narrowed
    assert all("new.test" in row for row in narrowed)
    assert "No difference matches." in compared(api, "?find=nowhere")[1]


def test_compare_says_what_it_cannot_compare(api, monkeypatch):
    assert "There is no snapshot gone." in compared(api, "?from=gone")[1]
    monkeypatch.setattr(state, "_MOST_COMPARED", 1)
    assert "States above 1 rows are not compared here." in compared(api)[1]


def test_compare_counts_differences_beyond_its_limit(api, monkeypatch):
    monkeypatch.setattr(state, "_MOST_DIFFERENCES", 1)
    api.delete("/v3/senders/1")
    api.delete("/v3/senders/2")
    rows, text = compared(api)
    assert (len(rows), "The first 1 differences." in text) == (1, True)
