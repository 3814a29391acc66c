"""The site that Sphinx makes of docs: built strictly, and whole without a network."""

import re
from importlib.util import find_spec
from urllib.parse import unquote

import pytest

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(find_spec("sphinx") is None, reason="needs the extra `docs`"),
]


@pytest.fixture(scope="module")
def pages(site):
    return {path.relative_to(site).as_posix(): path.read_text(encoding="utf-8") for path in site.rglob("*.html")}


def test_site_loads_no_external_resources(site, pages):
    loaded = [
        (name, address)
        for name, text in pages.items()
        for address in re.findall(r'<(?:link|script|img|iframe|source)\b[^>]*\b(?:href|src)="([^"]*)"', text)
        if re.match(r"(?:https?:)?//", address)
    ]
    styles = [
        (path.name, address)
        for path in site.rglob("*.css")
        for address in re.findall(r"url\(['\"]?((?:https?:)?//[^)]+)|@import", path.read_text(encoding="utf-8"))
    ]

    assert len(pages) > 30
    assert loaded + styles == []


def test_options_in_texts_keep_their_dashes(pages):
    assert [name for name, text in pages.items() if re.search("\N{EN DASH}[a-z]", text)] == []


def test_every_link_of_the_built_pages_leads_to_a_file_and_a_place(site, pages):
    """Links to anchors of their own, which Sphinx does not look at, as well."""
    places = {name: {unquote(found) for found in re.findall(r'\bid="([^"]+)"', text)} for name, text in pages.items()}
    broken = []
    for name, text in pages.items():
        for target in set(re.findall(r'<a\b[^>]*\bhref="([^"]+)"', text)):
            path, _, place = target.partition("#")
            if re.match(r"[a-z]+:", target):
                continue
            found = (site / name).parent / path if path else site / name
            page = found.resolve().relative_to(site).as_posix()
            if not found.is_file() or (place and unquote(place) not in places.get(page, {unquote(place)})):
                broken.append((name, target))

    assert broken == []


def test_llms_txt_lists_every_page_with_its_markdown(site, pages):
    text = (site / "llms.txt").read_text(encoding="utf-8")
    linked = re.findall(r"^- \[[^\n]+\]\((\S+)\.md\)(?:: .+)?$", text, re.MULTILINE)
    written = {name.removesuffix(".html") for name in pages} - {"index", "genindex", "search"}

    assert text.startswith("# mockserver\n\n> A mock of the Brevo administration API v3 for tests")
    assert sorted(linked) == sorted(written)
    for name in linked:
        assert (site / f"{name}.md").read_text(encoding="utf-8").startswith("# "), name
        assert f'type="text/markdown" href="{name.rpartition("/")[2]}.md"' in pages[f"{name}.html"]


def test_markdown_of_the_pages_has_nothing_that_only_the_build_reads(site):
    text = "".join(path.read_text(encoding="utf-8") for path in site.rglob("*.md"))

    assert re.findall(r"^<!-- (?:search|generated|example|end)|^```\{\w+\}", text, re.MULTILINE) == []


def test_diagrams_are_drawn_and_no_script_draws_them(pages):
    drawn = [name for name, text in pages.items() if '<svg class="machine"' in text or '<svg class="flowchart"' in text]

    assert {"project/architecture.html", "contract/senders.html"} <= set(drawn)
    assert [name for name, text in pages.items() if "stateDiagram" in text or "flowchart TD" in text] == []
