"""The page Findings: mistakes of the client, each with its requests."""

from urllib.parse import urljoin

import web_page

from mockserver.core.traffic.exchange import ClientConnection
from mockserver.web.server.wsgi import CONNECTION


def read(api):
    answer = api.get("/_mock/ui/findings")
    assert answer.status_code == 200
    elements = list(web_page.read(answer.text).below())
    texts = {each.attributes["id"]: each.text for each in elements if "id" in each.attributes}
    return texts, [
        urljoin("/_mock/ui/findings", each.attributes.get("href", "")) for each in elements if each.tag == "a"
    ]


def test_page_without_findings_says_so(api):
    texts, _ = read(api)

    assert texts["none"] == "None so far."


def test_page_shows_each_finding_with_links_to_its_requests_and_its_rule(api):
    connection = {CONNECTION: ClientConnection(0.0)}
    for fault in ("lost_answer", "latency; ms=1"):
        headers = {"X-Mock-Fault": fault}
        api.post("/v3/contacts/folders", json={"name": "News"}, headers=headers, environ_base=connection)
    ids = [row.id for row in api.workspace.journal]

    texts, links = read(api)

    assert "createFolder was repeated after a 504; 2 folders of this name exist" in texts["rule-repeated-write"]
    assert {f"/_mock/ui/requests/{name}" for name in ids} <= set(links)
    assert "/_mock/docs/lint.md#repeated-write" in links


def test_page_says_how_many_requests_no_rule_has_seen(make_api):
    api = make_api(journal_limit=1)
    for _ in range(3):
        api.get("/v3/account")

    assert read(api)[0]["unseen"] == "The journal has evicted 2 requests, which no rule has seen."
