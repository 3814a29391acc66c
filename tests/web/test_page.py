"""Pages for people: where their forms may lead, and what they say when something is wrong."""

import re

import pytest

from mockserver.web.pages.page import base_style

CALLBACKS = {
    "http://127.0.0.1:9/callback": "'self' http: https:",
    "https://app.test/callback": "'self' http: https:",
    "http://[::1]:9/callback": "'self' http: https:",
    "http://my_app:9/callback": "'self' http: https:",
    "com.example.sync:/callback": "'self' com.example.sync:",
}


pytestmark = pytest.mark.api({"oauth_apps": [{"client_id": "app", "redirect_uris": list(CALLBACKS)}]})


@pytest.mark.parametrize(("callback", "sources"), CALLBACKS.items())
def test_a_form_may_lead_to_the_app_whatever_its_address(api, callback, sources):
    """Some hosts cannot be a source of a Content-Security-Policy, so that it names schemes."""
    query = {"client_id": "app", "redirect_uri": callback, "scope": "contacts:read"}

    rows = api.get("/realms/partner/oauth/authorize", query_string=query).headers["Content-Security-Policy"].split("; ")

    policy = dict(row.partition(" ")[::2] for row in rows)
    assert policy["form-action"] == sources
    assert set(policy) == {"default-src", "base-uri", "frame-ancestors", "style-src", "img-src", "form-action"}


@pytest.mark.parametrize(("root", "name"), [("", "default"), ("/w/blue", "blue")])
def test_a_refusal_names_its_workspace_and_leads_to_the_page_of_its_request(api, root, name):
    api.post("/_mock/workspaces", json={"name": "blue"})

    answer = api.get(f"{root}/shared/nothing")

    (link,) = re.findall(r'href="(/[^"]*)"', answer.text)
    assert link == f"{root}/_mock/ui/requests/{answer.headers['sib-request-id']}"
    assert f"workspace <strong>{name}</strong>" in answer.text


def test_the_page_of_a_refusal_with_an_unnamed_status_shows_the_number(api):
    fault = '{"fault": "error", "code": "unauthorized", "status": 499, "force": true}'

    answer = api.get("/shared/nothing", headers={"X-Mock-Fault": fault})

    assert answer.status_code == 499
    assert "<h1>Status 499</h1>" in answer.text


def test_the_page_of_a_refusal_in_an_unknown_workspace_leads_to_its_request_in_the_default_workspace(api):
    page = api.get("/w/nowhere/shared/x")

    (entry,) = api.get("/_mock/requests").json["items"]
    assert page.status_code == 404
    assert f'href="/_mock/ui/requests/{entry["id"]}"' in page.text


@pytest.mark.parametrize("path", ["/shared/nothing", "/_mock/coverage?format=html", "/_mock/docs/ledger.md"])
def test_pages_have_the_style_that_all_pages_share(api, path):
    assert base_style() in api.get(path).text


def test_the_style_of_the_dashboard_begins_with_what_all_pages_share(api):
    (address,) = re.findall(r'href="\.\./\.\.(/[^"]*/dashboard\.css)"', api.get("/_mock/ui/state").text)

    assert api.get(address).text.startswith(base_style())
