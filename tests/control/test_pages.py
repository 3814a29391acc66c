"""The documents beside the fidelity record."""

import gzip
import re
from pathlib import Path
from urllib.parse import urljoin

import pytest
import yaml

from mockserver.control.server.documents import html_of
from mockserver.evidence.fidelity import CONTRACT

PAGES = sorted(path.name for path in (Path(__file__).parents[2] / CONTRACT).glob("*.md"))


def test_a_source_of_the_fidelity_record_leads_to_the_place_that_it_names(api):
    record = api.get("/_mock/fidelity").json
    source = record["operations"]["getWebhooks"]["fields"][0]["source"].split(", ")[-1]

    path, _, place = urljoin("/_mock/fidelity", source).partition("#")
    page = api.get(path)

    assert (page.status_code, page.mimetype, place) == (200, "text/html", "getWebhooks")
    assert f'<a id="{place}"></a>' in page.text


def test_every_page_of_the_contract_is_served(api):
    for name in PAGES:
        page = api.get(f"/_mock/{CONTRACT}/{name}")
        assert (page.status_code, page.mimetype, "&lt;!--" in page.text) == (200, "text/html", False), name


@pytest.mark.parametrize("name", ["nothing.md", "ledger.md", "..", "%2e%2e%2fglossary.md", "senders"])
def test_unknown_documentation_page_is_404(api, name):
    assert api.get(f"/_mock/{CONTRACT}/{name}").status_code == 404


def test_a_document_is_a_page_with_links_headings_lists_and_code_that_loads_nothing(api):
    page = api.get(f"/_mock/{CONTRACT}/senders.md")

    assert '<a href="#createSender">createSender</a>' in page.text
    assert '<a href="errors.md#codes">codes</a>' in page.text
    assert "<!--" not in page.text
    assert "&lt;!--" not in page.text
    assert "default-src 'none'" in page.headers["Content-Security-Policy"]
    assert '<h2><a id="verification"></a>Verification</h2>' in page.text
    assert "<li>path: <strong><code>senderId</code></strong> int64</li>" in page.text
    assert '<code class="language-mermaid">stateDiagram-v2\n' in page.text


def test_a_document_has_its_tables(api):
    assert "<th>status</th>" in api.get(f"/_mock/{CONTRACT}/errors.md").text


def test_the_ledger_and_the_contract_lead_to_each_other(api):
    assert '<a href="../ledger.md">The ledger</a>' in api.get(f"/_mock/{CONTRACT}/README.md").text
    assert '<a href="contract/webhooks.md#getWebhooks">getWebhooks</a>' in api.get("/_mock/docs/ledger.md").text


@pytest.mark.parametrize(
    ("accept", "media"),
    [("text/markdown", "text/markdown"), ("text/markdown, text/html;q=0.5", "text/markdown"), ("*/*", "text/html")],
)
def test_a_document_is_markdown_when_the_client_prefers_it(api, accept, media):
    page = api.get(f"/_mock/{CONTRACT}/senders.md", headers={"Accept": accept})

    assert page.mimetype == media
    assert page.text.startswith("# Senders\n") is (media == "text/markdown")


@pytest.mark.parametrize("accept", ["text/html", "text/markdown"])
def test_pages_of_documents_link_to_served_pages_only(api, accept):
    left, seen = ["/_mock/docs/ledger.md", "/_mock/docs/lint.md", f"/_mock/{CONTRACT}/README.md"], set()
    while left:
        page = left.pop()
        if page not in seen and ".md" in page:
            seen.add(page)
            answer = api.get(page, headers={"Accept": accept})
            assert answer.status_code == 200, page
            found = re.findall(r'<a href="([^":#]+)', answer.text) + re.findall(r"\]\(([^():#]+)", answer.text)
            left += [urljoin(page, link) for link in found]
    assert len(seen) > 15


def test_markdown_of_the_documents_links_to_the_documents_as_they_are_served(api):
    markdown = {"Accept": "text/markdown"}

    assert "](../ledger.md)" in api.get(f"/_mock/{CONTRACT}/README.md", headers=markdown).text
    assert "](contract/webhooks.md#getWebhooks)" in api.get("/_mock/docs/ledger.md", headers=markdown).text


def test_llms_txt_has_a_title_a_summary_and_sections_of_described_links(api):
    answer = api.get("/_mock/llms.txt")
    about, *sections = answer.text.split("\n## ")

    assert (answer.mimetype, about[:15]) == ("text/plain", "# mockserver\n\n>")
    assert [section.partition("\n")[0] for section in sections] == ["Start", "Contract", "Control API"]
    lines = [line for section in sections for line in section.splitlines()[2:] if line]
    assert [line for line in lines if not re.fullmatch(r"- \[[^]]+\]\([^ ]+\)(: .+)?", line)] == []


def test_every_link_of_llms_txt_leads_to_an_answer_or_a_member_of_a_document(api):
    links = [urljoin("/_mock/llms.txt", link) for link in re.findall(r"\]\(([^)]+)\)", api.get("/_mock/llms.txt").text)]
    control = api.get("/_mock/control.json").json
    pointers = {
        f"/_mock/control.json#/paths/{path.replace('/', '~1')}/{method}"
        for path, methods in control["paths"].items()
        for method in methods
    }

    assert pointers < set(links)
    assert [link for link in set(links) - pointers if api.get(link).status_code >= 400] == []


def test_headings_of_a_page_have_anchors_made_of_their_text():
    html = html_of("# A title\n\n## Of `code`, and more\n")

    assert re.findall(r'<h\d id="([^"]*)"', html) == ["a-title", "of-code-and-more"]


@pytest.mark.parametrize("path", ["docs/ledger.md", f"{CONTRACT}/README.md"])
def test_a_document_leads_to_the_dashboard_and_to_the_other_documents(api, path):
    links = re.findall(r'href="([^"]+)"', api.get(f"/_mock/{path}").text.partition("<main")[0])

    assert {urljoin(f"/_mock/{path}", link) for link in links if not link.startswith("data:")} == {
        "/_mock/ui/", "/_mock/docs", "/_mock/docs/control", "/_mock/docs/ledger.md", "/_mock/docs/contract/README.md",
    }  # fmt: skip


def test_html_in_a_document_is_escaped(api):
    assert "Sub-account &lt;id&gt; is not valid" in api.get(f"/_mock/{CONTRACT}/corporate.md").text


@pytest.mark.parametrize("prefix", ["", "/w/side"])
@pytest.mark.parametrize(
    "path", ["openapi.json", "openapi.yaml", "control.json", "docs/openapi.json", "docs/control.json"]
)
def test_document_names_the_server_relative_to_its_address(api, prefix, path):
    api.post("/_mock/workspaces", json={"name": "side"})
    address = f"http://mock.test/proxied{prefix}/_mock/{path}"

    ((server),) = yaml.load(api.get(f"{prefix}/_mock/{path}").data, yaml.CSafeLoader)["servers"]

    assert urljoin(address, server["url"]).rstrip("/") == f"http://mock.test/proxied{prefix}"


@pytest.mark.parametrize("page", ["docs", "docs/control"])
def test_documentation_page_names_its_workspace(api, page):
    api.post("/_mock/workspaces", json={"name": "side"})

    for name, prefix in (("default", ""), ("side", "/w/side")):
        assert f"workspace <strong><bdi>{name}</bdi></strong>" in api.get(f"{prefix}/_mock/{page}").text


@pytest.mark.parametrize("path", ["docs/swagger-ui-bundle.js", "docs/openapi.json", "docs", "coverage?format=html"])
def test_long_page_is_compressed_for_clients_that_accept_gzip(api, path):
    plain, packed = (
        api.get(f"/_mock/{path}", headers={"Accept-Encoding": coding}).data for coding in ("identity", "gzip")
    )

    assert gzip.decompress(packed) == plain
    assert len(packed) < len(plain) / 1.9
