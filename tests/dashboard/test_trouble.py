"""The block "What went wrong" above the timeline: the test, its outcome, and troubles that lead to their rows."""

import re
from html import unescape
from urllib.parse import urljoin

import pytest
from web_page import plain

TIMELINE = "/_mock/ui/requests"


def block(api, path=TIMELINE):
    html = api.get(path).text
    return html[html.index('<div id="trouble"') : html.index('<form class="toolbar" id="filter"')]


def rows(html):
    """The titles of the rows, and where each leads."""
    titles = re.findall(r'<span class="c-title look"[^>]*><span class="badge (\w*)">([^<]*)<', html)
    return list(zip(titles, map(unescape, re.findall(r'<a class="to c-text" href="([^"]*)"', html)), strict=True))


def test_timeline_begins_with_its_rows_where_nothing_went_wrong(api):
    api.get("/v3/account")

    assert plain(block(api)) == ""


def test_equal_refusals_are_one_row_that_leads_to_all_of_them(api):
    api.post("/_mock/faults", json={"fault": "rate_limited", "times": 3})
    for number in range(3):
        api.delete(f"/v3/senders/{number}")
    missing = api.delete("/v3/senders/77").headers["sib-request-id"]

    html = block(api)

    root, each = "../../_mock/ui/requests", "?faulted=true&status=429&operation=deleteSender&collapse=no"
    assert rows(html) == [
        (("warn", "429 \N{MULTIPLICATION SIGN} 3"), f"{root}{each}"),
        (("warn", "404"), f"{root}/{missing}"),
    ]
    listed = api.get(f"/_mock/ui/requests{each}").text
    assert len(re.findall('<li class="row[^>]*id="r-', listed)) == 3


def test_rows_of_other_kinds_name_the_rule_and_lead_to_their_events(api):
    api.post("/v3/webhooks", json={"url": "https://a.test/?token=b", "events": ["click"], "nmae": "x"})

    found = {title: path for (_, title), path in rows(block(api))}

    [identifier] = {path.rpartition("/")[2] for path in found.values()}
    assert api.get(f"/_mock/requests/{identifier}").status_code == 200
    assert set(found) == {"warning", "secret-in-url", "unused-input"}


@pytest.mark.parametrize(("outcome", "is_open"), [("failed", True), ("passed", False)])
def test_block_names_the_test_and_is_open_if_it_failed(api, outcome, is_open):
    made = api.post("/_mock/workspaces", json={"name": "jo", "label": "tests/test_it.py::test_it"}).json
    api.request("PATCH", "/_mock/workspaces/jo", json={"outcome": outcome})
    api.get("/v3/nowhere", key=made["api_key"])

    html = block(api, f"/w/jo{TIMELINE}")

    assert plain(html).startswith(f"{outcome} tests/test_it.py::test_it 1 request (1 refused) What went wrong 404")
    assert ('id="troubles" open' in html) is is_open


def test_many_troubles_are_folded(api):
    for number in range(9):
        api.get(f"/v3/nowhere/{number}")

    first, _, rest = block(api).partition('<details id="more-troubles">')

    assert (len(rows(first)), len(rows(rest))) == (5, 4)
    assert "4 more" in plain(rest)


def test_address_that_a_failed_test_prints_leads_to_its_timeline(api):
    api.post("/_mock/workspaces", json={"name": "jo", "label": "tests/test_it.py::test_it"})

    answer = api.get("/w/jo/_mock/ui/")

    assert (answer.status_code, urljoin("/w/jo/_mock/ui/", answer.location)) == (302, f"/w/jo{TIMELINE}")
    assert "tests/test_it.py::test_it" in block(api, f"/w/jo{TIMELINE}")
