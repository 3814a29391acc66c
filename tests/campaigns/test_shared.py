"""Shared templates: their address, the page that opens there, and what is in its frame (contract/campaigns)."""

from __future__ import annotations

import re
from html import unescape
from urllib.parse import urljoin, urlsplit

import pytest

HTML = "<h1 onclick=\"alert(1)\">Héllo</h1><script>alert('x')</script><form action='/_mock/reset' method='post'>"
WORKSPACE = {
    "clock": {"start": "2026-01-15T09:00:00Z", "frozen": True},
    "accounts": [
        {
            "name": "group",
            "role": "master",
            "api_keys": ["key-group"],
            "campaigns": [
                {"id": 11, "name": "June & <b>July</b>", "html": HTML},
                {"id": 12, "name": "Welcome", "kind": "email_template"},
                {"id": 13, "name": "Text", "kind": "sms_campaign"},
                {"id": 14, "name": "Chat", "kind": "whatsapp_campaign"},
                {"id": 15, "name": "Open", "html": "<p>open</p>", "share": "an-old.link_~"},
            ],
        },
        {
            "name": "shop", "id": 1003002, "role": "sub_account", "of": "group", "api_keys": ["key-shop"],
            "campaigns": [{"id": 21, "name": "Shop"}],
        },
    ],
}  # fmt: skip


pytestmark = pytest.mark.api(WORKSPACE, key="key-group")


def shared(api, number=11, root="", **options):
    """The shared address of a campaign."""
    answer = api.get(f"{root}/v3/emailCampaigns/{number}/sharedUrl", **options)
    assert answer.status_code == 200, answer.text
    return answer.json["sharedUrl"]


def visit(api, url, method="GET"):
    """Open an address as a browser does: without a key."""
    return api.client.open(urlsplit(url).path, method=method)


def frame(url, page):
    """Where the page's frame leads to."""
    (source,) = re.findall(r'<iframe [^>]*src="(.*?)"', page.text)
    return urljoin(url, unescape(source))


# ---------------------------------------------------------------------- the address


def test_the_address_is_the_mocks_own_and_has_the_form_of_the_contract(api):
    assert re.fullmatch(r"http://localhost/shared/[A-Za-z0-9_-]{58}-", shared(api))


def test_the_address_has_the_host_under_which_the_mock_was_found(api):
    url = shared(api, base_url="https://mock.acme.test:8443")

    assert url.startswith("https://mock.acme.test:8443/shared/")


def test_a_scenario_may_say_the_address(api):
    assert visit(api, "/shared/an-old.link_~").status_code == 200
    assert shared(api, 15) == "http://localhost/shared/an-old.link_~"


@pytest.mark.parametrize("number", [13, 14])
def test_a_campaign_that_is_no_email_cannot_be_shared(api, number):
    answer = api.get(f"/v3/emailCampaigns/{number}/sharedUrl")

    assert (answer.status_code, answer.json["code"]) == (405, "method_not_allowed")


# ---------------------------------------------------------------------- the page


def test_the_page_names_the_template_and_frames_its_content(api):
    url = shared(api)
    page = visit(api, url)

    assert (page.status_code, page.content_type) == (200, "text/html; charset=utf-8")
    assert "<h1>June &amp; &lt;b&gt;July&lt;/b&gt;</h1>" in page.text
    assert frame(url, page) == f"{url}/content"
    assert "onclick" not in page.text


def policy(answer):
    rows = (part.partition(" ")[::2] for part in answer.headers["Content-Security-Policy"].split("; "))
    return dict(rows)


def test_the_page_may_show_its_frame_and_nothing_else(api):
    page = visit(api, shared(api))
    found = policy(page)

    style = found.pop("style-src")
    assert re.fullmatch(r"'sha256-[A-Za-z0-9+/]{43}='", style)
    assert found == {
        "default-src": "'none'", "base-uri": "'none'", "frame-ancestors": "'none'", "img-src": "data:",
        "form-action": "'none'", "frame-src": "'self'",
    }  # fmt: skip
    (tag,) = re.findall(r"<iframe [^>]*>", page.text)
    assert re.search(r" sandbox(=\"\")?[ >]", tag), "without a word behind it, nothing is allowed"
    assert 'referrerpolicy="no-referrer"' in tag


# ---------------------------------------------------------------------- the content


def test_the_content_is_the_scenarios_html_as_it_stands(api):
    answer = visit(api, f"{shared(api)}/content")

    assert (answer.status_code, answer.content_type) == (200, "text/html; charset=utf-8")
    assert answer.data == HTML.encode()


def test_a_template_without_html_says_how_to_give_one_html(api):
    answer = visit(api, f"{shared(api, 12)}/content")

    assert "<h1" in answer.text
    assert "Welcome" in answer.text
    assert "<code>html</code>" in answer.text


def test_the_name_is_escaped_where_it_stands_for_the_content(make_api):
    api = make_api({"campaigns": [{"id": 1, "name": "<script>alert(1)</script>"}]})
    text = visit(api, f"{shared(api, 1)}/content").text

    assert "&lt;script&gt;" in text
    assert "<script" not in text


@pytest.mark.parametrize("number", [11, 12])
def test_nothing_runs_in_the_content_and_nothing_is_loaded(api, number):
    assert policy(visit(api, f"{shared(api, number)}/content")) == {
        "sandbox": "", "default-src": "'none'", "style-src": "'unsafe-inline'", "img-src": "data:",
        "frame-ancestors": "'self'",
    }  # fmt: skip


@pytest.mark.parametrize("part", ["", "/content"])
def test_a_shared_template_is_neither_cached_nor_read_across_origins(api, part):
    headers = visit(api, shared(api) + part).headers

    assert headers["X-Content-Type-Options"] == "nosniff"
    assert headers["Cache-Control"] == "no-store"
    assert "access-control-allow-origin" not in headers
    assert "Set-Cookie" not in headers


# ---------------------------------------------------------------------- who gets to see it


@pytest.mark.parametrize("path", ["/shared/unknown", "/shared/unknown/content", "/shared/%3Cscript%3E"])
def test_an_address_that_nobody_was_given_is_not_found(api, path):
    answer = visit(api, path)

    assert (answer.status_code, answer.content_type) == (404, "text/html; charset=utf-8")
    assert "There is no shared template at this address" in answer.text
    assert "<script>" not in answer.text
    reason = api.get("/_mock/requests").json["items"][0]["reason"]
    assert reason == "no campaign or template of workspace default has this shared address"


@pytest.mark.parametrize("path", ["/shared", "/shared/", "/shared/x/other", "/shared/x/content/more"])
def test_unknown_page_below_shared_is_404_and_shared_itself_is_401(api, path):
    assert visit(api, path).status_code == (401 if path == "/shared" else 404)


def test_a_template_is_not_shown_before_it_is_shared(make_api, api):
    url = shared(make_api(WORKSPACE, key="key-group"))

    assert visit(api, url).status_code == 404
    assert shared(api) == url
    assert visit(api, url).status_code == 200


def test_the_template_of_a_deleted_account_is_gone(api):
    url = shared(api, 21, key="key-shop")
    assert visit(api, url).status_code == 200
    assert api.delete("/v3/corporate/subAccount/1003002").status_code == 204

    assert visit(api, url).status_code == 404


# ---------------------------------------------------------------------- workspaces


@pytest.fixture
def other(api):
    """The key of another workspace of the same scenario."""
    made = api.post("/_mock/workspaces", json={"scenario": WORKSPACE, "name": "other"})
    assert made.status_code == 201
    return made.json["accounts"][0]["api_key"]


@pytest.mark.parametrize("root", ["", "/w/other"])
def test_the_address_in_another_workspace_leads_there_without_a_key(api, other, root):
    url = shared(api, root=root, key=other)

    assert url.startswith("http://localhost/w/other/shared/")
    page = visit(api, url)
    assert "workspace other" in re.sub(r"<[^>]*>", "", page.text)
    assert visit(api, frame(url, page)).data == HTML.encode()


# ---------------------------------------------------------------------- state


def test_state_holds_the_html_and_the_address(api):
    url = shared(api)
    state = api.get("/_mock/state").json
    campaigns = {row["id"]: row for row in state["accounts"][0]["campaigns"]}

    assert campaigns[11] == {
        "id": 11,
        "name": "June & <b>July</b>",
        "kind": "email_campaign",
        "html": HTML,
        "share": url.rpartition("/")[2],
    }
    assert campaigns[12] == {"id": 12, "name": "Welcome", "kind": "email_template"}
    assert api.put("/_mock/state", json=state).status_code == 200
    assert api.get("/_mock/state").json == state
    assert (shared(api), visit(api, f"{url}/content").data) == (url, HTML.encode())


def test_an_address_twice_is_a_mistake(api):
    campaigns = [{"id": number, "name": "x", "share": "twice"} for number in (1, 2)]
    answer = api.post("/_mock/reset", json={"scenario": {"campaigns": campaigns}})

    assert answer.status_code == 400
    assert [row["path"] for row in answer.json["errors"]] == ["/campaigns/1/share"]
