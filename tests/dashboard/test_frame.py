"""What all pages of the dashboard have: addresses, links, headers, problems, files."""

import gzip
import re
import sys
from urllib.parse import urljoin

import pytest
from tables import tables
from web_page import links, plain

from mockserver.dashboard.application import PAGES

#: The tables of the tests by name.
CASES = tables(__file__)
NAMES = [page.name for page in PAGES]


def test_each_page_leads_to_every_other_one_in_its_workspace(api):
    listed = {page.name for page in PAGES if page.is_listed}
    for prefix in ("", "/w/default"):
        for name in NAMES:
            path = f"{prefix}/_mock/ui/{name}"
            found = links(api.get(path).text, path)
            assert {f"{prefix}/_mock/ui/{other}" for other in listed} <= set(found), path


@pytest.mark.parametrize("preset", ["documented", "recorded"])
def test_the_header_names_the_preset_of_behaviour_if_it_is_not_the_default(make_api, preset):
    api = make_api({"behaviour": preset})

    shown = [name for name in NAMES if "Behaviour: recorded" in plain(api.get(f"/_mock/ui/{name}").text)]

    assert shown == (NAMES if preset == "recorded" else [])


def test_the_links_of_a_page_work_behind_a_prefix_that_the_server_is_not_told(api):
    for name in NAMES:
        outside = links(api.get(f"/_mock/ui/{name}").text, f"/behind/a/proxy/_mock/ui/{name}")
        assert outside, name
        assert all(link.startswith("/behind/a/proxy/_mock/") for link in outside if not link.startswith("http")), name


def test_a_page_names_only_files_that_are_there_and_has_no_inline_script_or_style(api):
    for name in NAMES:
        path = f"/_mock/ui/{name}"
        text = api.get(path).text
        files = [link for link in links(text, path) if "/static/" in link]
        assert len(files) >= 2, name
        assert [api.get(file).status_code for file in files] == [200] * len(files)
        assert not re.search(r"<style|\sstyle=|\son\w+=|<script(?![^>]* src=)", text), name


@pytest.mark.parametrize("path", ["/_mock/ui", "/_mock/ui/"])
def test_the_front_leads_to_the_requests_of_the_only_workspace(api, path):
    answer = api.get(path)
    assert (answer.status_code, urljoin(path, answer.location)) == (302, "/_mock/ui/requests")


def test_the_front_leads_to_the_workspaces_where_there_are_several(api):
    api.post("/_mock/workspaces", json={"name": "other"})
    assert urljoin("/_mock/ui/", api.get("/_mock/ui/").location) == "/_mock/ui/workspaces"
    assert urljoin("/w/other/_mock/ui/", api.get("/w/other/_mock/ui/").location) == "/w/other/_mock/ui/requests"


@pytest.mark.parametrize(
    ("method", "path", "status", "sentence"),
    [
        ("GET", "/_mock/ui/nowhere", 404, "There is no page at /_mock/ui/nowhere."),
        ("GET", "/w/gone/_mock/ui/clock", 404, "Unknown workspace &#39;gone&#39;; GET /_mock/workspaces lists all."),
        ("POST", "/_mock/ui/clock", 405, "/_mock/ui/clock can only be read."),
        ("GET", "/_mock/ui/static/1/nothing.js", 404, "The dashboard has no file &#39;nothing.js&#39;."),
    ],
)
def test_errors_are_answered_with_html_pages(api, method, path, status, sentence):
    answer = api.request(method, path)
    assert (answer.status_code, answer.mimetype) == (status, "text/html")
    assert f'<p id="problem">{sentence}</p>' in answer.text


#: Addresses of single things, and the sentence about a missing thing.
MISSING = CASES["missing"]


def test_missing_things_are_answered_with_404_pages(api):
    for path, sentence in MISSING.items():
        for identifier in ("gone", "%3Cb%3E", "9" * 5000, "%00"):
            answer = api.get(f"/_mock/ui/{path.format(identifier)}")
            assert (answer.status_code, answer.mimetype) == (404, "text/html"), path
            assert sentence in plain(answer.text).lower()
            assert "<b>" not in answer.text


#: What a query is to have a number for, by the sentence about another value.
NUMBERS = {
    "clock?offset": "The list begins at its start: offset is no number.",
    "faults?rules": "The list begins at its start: rules is no number.",
    "machines/sender?offset": "The list begins at its start: offset is no number.",
    "webhooks?webhook": "A webhook goes by its number, so this filter is left out.",
    "workspaces?page": "There is no page",
}


def test_a_query_that_is_no_number_is_told_and_left_out(api):
    for name, sentence in NUMBERS.items():
        lines = api.get(f"/_mock/ui/{name.partition('?')[0]}").text.count("<li id=")
        for value in ("-1", "x", "1e3", "9" * 5000, "%F0%9F%99%82", "\u0661", "%C2%B2", "%00", "<script>"):
            text = api.get(f"/_mock/ui/{name}={value}").text
            assert sentence in plain(text), (name, value)
            assert (text.count("<li id="), "<script>" in text) == (lines, False), (name, value)


#: Pages of an empty workspace: a sentence, and a command that fills the page.
EMPTY = CASES["empty"]


def test_pages_of_an_empty_workspace_explain_how_to_fill_them(make_api):
    api = make_api("empty")
    for path, (sentence, command) in EMPTY.items():
        text = plain(api.get(f"/_mock/ui/{path}").text)
        assert sentence in text, path
        assert command in text, path


def test_a_page_lets_a_browser_do_nothing_else(api):
    headers = api.get("/_mock/ui/clock").headers
    assert headers["Content-Security-Policy"] == (
        "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; "
        "frame-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    )
    assert headers["Cache-Control"] == "no-store"


def test_each_page_has_an_icon_for_its_tab(api):
    (icon,) = [link for link in links(api.get("/_mock/ui/clock").text, "/_mock/ui/clock") if "favicon" in link]
    answer = api.get(icon)
    assert (answer.mimetype, answer.data[:4]) == ("image/svg+xml", b"<svg")


def test_a_moment_says_that_it_is_utc(make_api):
    api = make_api({"clock": {"start": "2026-01-15T09:00:00Z", "frozen": True}})
    api.post("/v3/senders", json={"name": "A", "email": "a@acme.test"})

    assert 'title="2026-01-15 09:00:00 UTC"' in api.get("/_mock/ui/mail").text


def test_files_are_kept_by_browsers_and_change_their_addresses(api):
    (style,) = [
        link for link in links(api.get("/_mock/ui/clock").text, "/_mock/ui/clock") if link.endswith("/dashboard.css")
    ]
    answer = api.get(style)
    assert (answer.mimetype, answer.headers["Cache-Control"]) == ("text/css", "max-age=31536000, immutable")
    assert re.search("/static/[0-9a-f]{12}/", style)


def test_the_files_of_a_page_are_compressed(api):
    (style,) = [
        link for link in links(api.get("/_mock/ui/clock").text, "/_mock/ui/clock") if link.endswith("/dashboard.css")
    ]
    whole, short = api.get(style), api.get(style, headers={"Accept-Encoding": "gzip"})

    assert gzip.decompress(short.data) == whole.data
    assert len(short.data) < len(whole.data) / 2


def test_control_calls_import_nothing_of_the_dashboard(pytester):
    program = """
        import sys
        from mockserver import create_app
        create_app().test_client().get("/_mock")
        assert not [name for name in sys.modules if name.startswith("mockserver.dashboard")]
    """
    assert pytester.run(sys.executable, pytester.makepyfile(program)).ret == 0
