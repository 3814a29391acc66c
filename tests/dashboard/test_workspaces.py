"""The page Workspaces: the list, one of them, and where a page leads whose workspace is gone."""

import re
from datetime import UTC, datetime, timedelta
from html import unescape
from time import process_time
from urllib.parse import urljoin
from urllib.request import urlopen

import pytest
from cli_runner import invoke
from web_page import plain

from mockserver.dashboard.pages.workspaces import age

LIST = "/_mock/ui/workspaces"


def page(api, path):
    answer = api.get(path)
    assert answer.status_code == 200
    return answer.text


def make(api, **wanted):
    answer = api.post("/_mock/workspaces", json=wanted)
    assert answer.status_code == 201
    return answer.json


def rows(html):
    return re.findall(r'<li class="row[^>]*id="workspace-([^"]*)"', html)


def row(html, name):
    return plain(re.search(rf'<li class="row[^>]*id="workspace-{re.escape(name)}">(.*?)</li>', html, re.DOTALL)[1])


def forms(html, path):
    """The addresses of the control calls of a page, and where each leads after it."""
    found = re.findall(r'<form[^>]*data-method="(\w+)" data-path="([^"]*)"(?:[^>]*data-then="([^"]*)")?', html)
    return {f"{method} {urljoin(path, address)}": then and urljoin(path, then) for method, address, then in found}


# ---------------------------------------------------------------------- the list


def test_the_list_has_all_workspaces_the_one_used_last_first(api):
    for name in ("a", "b"):
        make(api, name=name, scenario="empty")
    api.get("/w/a/_mock/clock")

    html = page(api, LIST)

    assert rows(html) == ["a", "b", "default"]
    assert "3 workspaces, last used first." in plain(html)


def test_a_line_says_what_a_workspace_is_and_holds(api):
    made = make(api, name="jo", scenario={"clock": {"start": "2026-01-15T09:00:00Z", "frozen": True}})
    api.post("/w/jo/v3/senders", key=made["api_key"], json={"name": "A", "email": "a@acme.test"})
    api.post("/w/jo/_mock/faults", json={"fault": "unavailable"})

    assert row(page(api, LIST), "jo") == ("jo document 201 createSender 1 1 0 2026-01-15, frozen < 1 min Connect")


def test_a_clock_runs_with_real_time_or_apart_from_it(api):
    make(api, name="jo", scenario="empty")
    assert "empty 0 0 0 real time" in row(page(api, LIST), "jo")

    api.post("/w/jo/_mock/clock/advance", json={"by": "P30D"})

    assert re.search(r"0 20\d\d-\d\d-\d\d \d\d:\d\d <", row(page(api, LIST), "jo"))


@pytest.mark.parametrize("prefix", ["", "/w/jo"])
def test_a_line_leads_into_its_workspace_wherever_the_list_is_read(api, prefix):
    made = make(api, name="jo")
    api.get("/v3/account", key=made["api_key"])
    last = api.get("/w/jo/_mock/requests").json["items"][0]["id"]

    html = page(api, f"{prefix}{LIST}")
    links = {urljoin(f"{prefix}{LIST}", link) for link in re.findall(r'href="([^"]*)"', html)}

    assert links >= {
        "/w/jo/_mock/ui/requests", "/w/jo/_mock/ui/workspaces/jo", f"/w/jo/_mock/ui/requests/{last}",
        "/_mock/ui/requests", "/_mock/ui/workspaces/default",
    }  # fmt: skip


@pytest.mark.parametrize("prefix", ["", "/w/jo"])
def test_making_a_workspace_leads_to_its_page(api, prefix):
    make(api, name="jo")
    path = f"{prefix}{LIST}"

    assert forms(page(api, path), path) == {"POST /_mock/workspaces": "/w/{name}/_mock/ui/workspaces/{name}"}


def test_a_workspace_is_made_of_a_scenario_that_can_be_loaded(api):
    html = page(api, LIST)
    offered = re.findall(
        r'<option value="([^"]*)">', html.partition('<select name="scenario">')[2].partition("</select>")[0]
    )
    all_there_are = {row["name"]: row for row in api.get("/_mock/scenarios").json["items"]}

    assert offered == ["", *(name for name, row in all_there_are.items() if "stub_library" not in row)]
    assert all_there_are["low-credits"]["description"] in plain(html)
    assert "the server's own: standard" in plain(html)


def test_workspaces_are_found_by_a_part_of_their_names(api):
    for name in ("one-a", "one-b", "two"):
        make(api, name=name, scenario="empty")

    html = page(api, f"{LIST}?name=ONE")

    assert rows(html) == ["one-b", "one-a"]
    assert "2 of 4 match ONE" in plain(html)
    assert "No match among 4." in plain(page(api, f"{LIST}?name=%3Cb%3E"))


def test_a_hundred_stand_on_a_page(make_api):
    api = make_api("empty")
    for number in range(101):
        api.store.create(name=f"w{number}")

    first, second = page(api, LIST), page(api, f"{LIST}?page=2")

    assert (len(rows(first)), rows(second)) == (100, ["w0", "default"])
    assert tuple(re.search(r"\d+ to \d+ of \d+", plain(html))[0] for html in (first, second)) == (
        "1 to 100 of 102",
        "101 to 102 of 102",
    )
    assert ('href="workspaces?page=2"' in first, 'href="workspaces?page=1"' in second) == (True, True)


def test_evicted_workspaces_are_counted(make_api):
    api = make_api("empty", workspaces_limit=2)
    for name in "abc":
        make(api, name=name)

    assert "2 were evicted for newer ones." in plain(page(api, LIST))


def test_a_list_of_large_workspaces_is_quick(make_api):
    api = make_api("empty")
    make(api, name="huge", scenario={"accounts": [{"name": "m", "role": "master"}, *(
        {"name": f"s{number}", "role": "sub_account", "of": "m"} for number in range(5_000)
    )]})  # fmt: skip
    page(api, LIST)

    began = process_time()
    page(api, LIST)
    assert process_time() - began < 0.2
    html = page(api, "/w/huge/_mock/ui/workspaces/huge")
    assert "And 4,901 more" in plain(html)


# ---------------------------------------------------------------------- one of them


@pytest.mark.parametrize("address", ["/_mock/ui/workspaces/jo", "/w/other/_mock/ui/workspaces/jo"])
def test_a_workspace_has_its_page_below_its_own_address(api, address):
    for name in ("jo", "other"):
        make(api, name=name, scenario="empty")

    answer = api.get(address)

    assert (answer.status_code, urljoin(address, answer.location)) == (302, "/w/jo/_mock/ui/workspaces/jo")
    assert "<h1><bdi>jo</bdi></h1>" in page(api, "/w/jo/_mock/ui/workspaces/jo")


def test_its_calls_act_on_it_and_dropping_it_leads_back_to_the_list(api):
    make(api, name="jo", scenario="empty")
    api.post("/w/jo/_mock/snapshots", json={"name": "be.fore"})
    path = "/w/jo/_mock/ui/workspaces/jo"

    assert forms(page(api, path), path) == {
        "POST /w/jo/_mock/snapshots/be.fore/restore": "",
        "DELETE /w/jo/_mock/snapshots/be.fore": "",
        "POST /w/jo/_mock/snapshots": "",
        "POST /_mock/workspaces": "/w/{name}/_mock/ui/workspaces/{name}",
        "POST /w/jo/_mock/reset": "",
        "DELETE /w/jo/_mock/workspaces/jo": "/_mock/ui/workspaces",
    }


def test_the_default_workspace_cannot_be_dropped(api):
    path = "/_mock/ui/workspaces/default"
    html = page(api, path)

    assert "The default workspace cannot be deleted; it can be reset." in plain(html)
    assert [call for call in forms(html, path) if call.startswith("DELETE")] == []


def test_connection_code_uses_the_selected_account(api):
    made = make(api, name="jo", scenario="corporate-v2")
    keys = {account["name"]: account["api_key"] for account in made["accounts"]}

    first = unescape(page(api, "/w/jo/_mock/ui/workspaces/jo"))
    other = unescape(page(api, "/w/jo/_mock/ui/workspaces/jo?account=eu"))

    for html, key in ((first, keys["acme"]), (other, keys["eu"])):
        assert f"export BREVO_API_KEY={key}\n" in f"{html}".replace("</code>", "\n")
        assert f'client = Brevo(api_key="{key}", base_url="http://localhost/w/jo/v3")' in html
        assert f'apiKey: "{key}",\n  baseUrl: "http://localhost/w/jo/v3",' in html
        assert '@pytest.mark.mockserver(scenario="corporate-v2")' in html
    assert all(key in first for key in keys.values())


def test_the_lines_for_a_shell_are_those_of_the_command(serve):
    root = serve("empty")
    printed = invoke(["env", "--url", root]).output.strip()
    with urlopen(f"{root}/_mock/ui/workspaces/default", timeout=10) as answer:
        html = unescape(answer.read().decode())

    assert printed.count("export ") == 4
    assert printed in html


@pytest.mark.parametrize("scenario", ["standard", {"description": "mine"}])
def test_the_lines_for_python_are_python(api, scenario):
    make(api, name="jo", scenario=scenario)
    html = unescape(page(api, "/w/jo/_mock/ui/workspaces/jo"))
    blocks = [
        block for block in re.findall(r"<code>(.*?)</code>", html, re.DOTALL) if "from brevo import Brevo" in block
    ]

    assert [compile(block, "page", "exec").co_names[0] for block in blocks] == [
        "brevo", "pytest" if scenario == "standard" else "brevo",
    ]  # fmt: skip
    assert ("pytest.mark" in blocks[1]) is (scenario == "standard")


@pytest.mark.parametrize(
    ("query", "sentence"),
    [
        ("account=nobody", "There is no account nobody here."), ("account=%3Cb%3E", "There is no account"),
        ("account=x", "No key opens the account x ."),
    ],
)  # fmt: skip
def test_an_account_without_lines_is_said(api, query, sentence):
    make(api, name="jo", scenario={"accounts": [{"name": "x", "api_keys": []}]})
    html = page(api, f"/w/jo/_mock/ui/workspaces/jo?{query}")

    assert sentence in plain(html)
    assert "<b>" not in html


def test_names_of_accounts_are_text(api):
    name = "\"><script>alert(1)</script>&'/?#"
    make(api, name="jo", scenario={"accounts": [{"name": name}]})

    html = page(api, "/w/jo/_mock/ui/workspaces/jo")
    (link,) = re.findall(r'href="(jo\?account=[^"]*)"', html)

    assert "<script>" not in html
    assert "export BREVO_API_KEY=" in page(api, urljoin("/w/jo/_mock/ui/workspaces/jo", link))


# ---------------------------------------------------------------------- one that is gone


@pytest.mark.parametrize("path", ["/w/jo/_mock/ui/requests", "/w/jo/_mock/ui/workspaces/jo", "/_mock/ui/workspaces/jo"])
@pytest.mark.parametrize(("way", "why"), [("drop", "it was deleted"), ("evict", "it was evicted to make room")])
def test_a_page_of_a_workspace_that_is_gone_says_why_and_leads_to_the_list(make_api, path, way, why):
    api = make_api("empty", workspaces_limit=2)
    make(api, name="jo")
    if way == "drop":
        api.delete("/_mock/workspaces/jo")
    else:
        make(api, name="newer")

    answer = api.get(path)

    assert (answer.status_code, answer.mimetype) == (404, "text/html")
    assert f"Unknown workspace 'jo'; {why}" in plain(answer.text)
    assert LIST in {urljoin(path, link) for link in re.findall(r'<a href="([^"]*)">All workspaces', answer.text)}


# ---------------------------------------------------------------------- age


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (0, "< 1 min"), (59.9, "< 1 min"), (60, "1 min"), (3_599, "59 min"), (3_600, "1 h"), (86_399, "23 h"),
        (86_400, "1 d"), (1e8, "1157 d"), (-5, "< 1 min"),
    ],
)  # fmt: skip
def test_an_age_is_told_in_its_largest_unit(seconds, words):
    made = datetime(2026, 1, 15, tzinfo=UTC)

    assert age(made, made + timedelta(seconds=seconds)) == words


# ---------------------------------------------------------------------- labels


@pytest.mark.parametrize(
    ("query", "found"), [("name=test_two", ["w2"]), ("name=W", ["w1", "w2"]), ("outcome=failed", ["w2"])]
)
def test_list_finds_workspaces_by_the_label_and_outcome_of_their_tests(api, query, found):
    make(api, name="w1", label="tests/test_a.py::test_one")
    make(api, name="w2", label="tests/test_a.py::test_two")
    api.request("PATCH", "/_mock/workspaces/w2", json={"outcome": "failed"})

    html = page(api, f"{LIST}?{query}")

    assert sorted(rows(html)) == found
    assert re.search(r"failed test_two", row(html, "w2"))


def test_page_of_a_workspace_copies_it_and_asks_before_it_restores_a_snapshot(api):
    make(api, name="w1")
    api.post("/w/w1/_mock/snapshots", json={"name": "before"})

    html = page(api, "/w/w1/_mock/ui/workspaces/w1")

    assert re.search(r'id="copy"[^>]*data-path="[^"]*/_mock/workspaces".*?name="copy_of" value="w1"', html, re.DOTALL)
    assert re.search(r'id="restore-before"[^>]*data-confirm="Restore the snapshot before\?', html)
