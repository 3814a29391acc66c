"""The page Coverage: what was met and by which requests, what was not and how to meet it."""

import re
from urllib.parse import parse_qs, urljoin, urlsplit

import pytest
import web_page

from mockserver.coverage.contract import PointKind, promises


def shown(api, path):
    answer = api.get(path)
    assert answer.status_code == 200
    elements = list(web_page.read(answer.text).below())
    texts = {each.attributes["id"]: each.text.replace("\u00d7", "x") for each in elements if "id" in each.attributes}
    return texts, [each.attributes.get("href", "") for each in elements if each.tag == "a"]


@pytest.fixture
def used(api):
    """A workspace in which some points were met, one of them by a fault only."""
    api.get("/v3/senders?domain=acme.test")
    api.delete("/v3/senders/999")
    api.delete("/v3/senders/998")
    api.delete("/v3/senders/2")
    api.get("/v3/account", headers={"X-Mock-Fault": "unavailable"})
    return api


def test_the_totals_are_those_of_the_control_api_and_an_operation_tells_its_met_and_missing_points(used):
    texts, _ = shown(used, "/_mock/ui/coverage")
    found = used.get("/_mock/coverage").json

    assert f"{found['percent']} % of the contract met" in texts["totals"]
    for row in found["totals"].values():
        assert f"{row['met']} of {row['of']} {row['percent']}" in texts["totals"]

    assert texts["operation-deleteSender"] == (
        "deleteSender called 3 x Met 204 1 x, 404 2 x, document_not_found 2 x Never 400, invalid_parameter"
    )
    assert "field domain 1 x" in texts["operation-getSenders"]
    assert "internal_error 1 x, all by faults" in texts["operation-getAccount"]
    assert texts["operation-createSender"] == "createSender never called: POST /v3/senders"
    assert "moved 1 x Met delete 1 x Never create," in texts["machine-sender"]


def test_each_point_that_was_met_leads_to_the_requests_that_met_it(used):
    _, links = shown(used, "/_mock/ui/coverage")
    ways = [link for link in links if link.startswith("requests?")]

    assert {frozenset(parse_qs(urlsplit(way).query)) for way in ways} == {
        frozenset(names.split()) for names in (
            "operation", "operation status", "operation code", "operation field", "transition",
        )
    }  # fmt: skip
    for way in ways:
        path = urljoin("/_mock/ui/coverage", way).replace("/_mock/ui/", "/_mock/")
        assert used.get(path).json["count"] > 0


@pytest.mark.parametrize("path", ["", "/operations/deleteSender", "/machines/sender"])
def test_the_whole_server_has_points_of_all_workspaces_and_no_way_to_their_requests(used, path):
    other = used.post("/_mock/workspaces", json={"name": "other"}).json
    for number in (2, 999):
        used.delete(f"/v3/senders/{number}", key=other["api_key"])
    used.delete("/_mock/workspaces/other")

    texts, links = shown(used, f"/_mock/ui/coverage{path}?workspace=*")

    told = " ".join(texts.values())
    assert ("5 x" if "deleteSender" in path else "moved 2 x" if not path else "2 x") in told
    assert [link for link in links if "requests?" in link] == []


def test_missing_points_have_hints(used):
    texts, _ = shown(used, "/_mock/ui/coverage?show=missing")

    assert "code" not in texts["operation-deleteSender"].split("Never")[0]
    assert "invalid_parameter: senderId is not an integer" in texts["operation-deleteSender"]
    assert "Met" not in texts["operation-deleteSender"]
    assert "verify: awaiting_verification becomes verified" in texts["machine-sender"]


def test_an_operation_that_was_met_in_full_is_not_missing(api):
    api.get("/v3/account")

    texts, _ = shown(api, "/_mock/ui/coverage?show=missing")

    assert "operation-getAccount" not in texts
    assert "operation-createSender" in texts


def test_operation_and_machine_have_a_page_with_each_of_their_points(used):
    texts, links = shown(used, "/_mock/ui/coverage/operations/deleteSender")

    assert "code document_not_found 2 x unknown senderId documented" in texts["points"]
    assert "code invalid_parameter never senderId is not an integer proposed" in texts["points"]
    assert "../../../../_mock/ui/requests?operation=deleteSender&code=document_not_found" in links

    texts, links = shown(used, "/_mock/ui/coverage/machines/sender")

    assert "event delete 1 x awaiting_verification is deleted; verified is deleted documented" in texts["points"]
    assert "../../../../_mock/ui/requests?transition=sender.delete" in links


def test_operations_that_no_percentage_counts_stand_there_once_they_were_called(api):
    before, _ = shown(api, "/_mock/ui/coverage")
    api.post("/realms/partner/oauth/token", data={"grant_type": "client_credentials"})
    api.get("/v3/companies")

    texts, links = shown(api, "/_mock/ui/coverage")

    assert ("group-oauth" in before, before["beyond"]) == (False, "")
    assert "oauthTokenClientCredentials called 1 x" in texts["group-oauth"]
    assert "getCompanies 1 refused" in texts["beyond"]
    assert "requests?operation=getCompanies" in links


def test_coverage_page_links_report_downloads(used):
    _, links = shown(used, "/_mock/ui/coverage?workspace=*")
    taken = [urljoin("/_mock/ui/coverage", link) for link in links if "format=" in link]

    media = ["text/html", "application/json", "application/xml", "text/plain"]
    assert [used.get(path).mimetype for path in taken] == media
    assert all("workspace=*" in path for path in taken)


@pytest.mark.parametrize("query", ["workspace=nobody", "workspace=%3Cb%3E", "show=%00", "workspace=&show="])
def test_invalid_query_of_coverage_is_explained_or_ignored(api, query):
    text = api.get(f"/_mock/ui/coverage?{query}").text

    assert ("is neither" in text) is ("workspace=n" in query or "%3C" in query)
    assert "<b>" not in text


def test_a_code_that_somebody_made_up_is_text(api):
    code = "<img src=x onerror=alert(1)>&\"'"
    api.post("/_mock/faults", json={"fault": "error", "code": code, "force": True})
    api.get("/v3/account")

    for path in ("", "/operations/getAccount", "?show=missing", "?workspace=*"):
        assert "<img" not in api.get(f"/_mock/ui/coverage{path}").text
    _, links = shown(api, "/_mock/ui/coverage")
    assert [parse_qs(urlsplit(link).query)["code"] for link in links if "code=" in link] == [[code]]


def test_a_first_view_is_small_even_where_all_was_met(api):
    counts = api.workspace.coverage
    for kind, owner, name in (promise.point for promise in promises()):
        if kind is PointKind.STATUSES:
            counts.answers[owner, int(name)] += 100
        elif kind is PointKind.CODES:
            counts.codes[owner, name, False] += 100
        elif kind is PointKind.FIELDS:
            counts.fields[owner, name] += 100
        elif kind is PointKind.TRANSITIONS:
            counts.transitions[owner, name] += 100

    answer = api.get("/_mock/ui/coverage")

    assert "100.0 % of the contract met" in answer.text
    print(f"coverage in full: {len(answer.data)} bytes")  # noqa: T201  # a figure to read
    assert len(answer.data) < 125_000


def test_further_operations_have_a_section_of_their_own_and_no_id_comes_twice(api):
    api.get("/v3/contacts")

    page = api.get("/_mock/ui/coverage").text

    ids = re.findall(r' id="([^"]+)"', page)
    assert len(ids) == len(set(ids))
    specified, further = page.split('<h2 id="further">')
    assert "operation-deleteAttribute" in specified
    assert {"operation-getContacts", "operation-sendTransacEmail"} <= set(re.findall(r'id="([^"]+)"', further))
    assert "0.0 % of the contract met" in specified
