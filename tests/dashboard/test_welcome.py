"""The root of the server: browsers are led to the dashboard, and everybody else reads what to try."""

from urllib.parse import urljoin

import pytest

BROWSER = "text/html,application/xhtml+xml,application/xml;q=0.9,image/webp,*/*;q=0.8"


@pytest.mark.parametrize("prefix", ["", "/behind/a/proxy"])
@pytest.mark.parametrize(
    ("path", "leads_to"),
    [
        ("/", "/_mock/ui/"),
        ("/?a=b/c", "/_mock/ui/"),
        ("/w/default/", "/w/default/_mock/ui/"),
        ("/w/default", "/w/default/_mock/ui/"),
        ("/w/a:b", "/w/a:b/_mock/ui/"),
    ],
)
def test_a_browser_is_led_to_the_dashboard_of_the_workspace(api, path, leads_to, prefix):
    answer = api.client.get(path, headers={"Accept": BROWSER})

    assert answer.status_code == 302
    assert urljoin(f"{prefix}{path}", answer.location) == f"{prefix}{leads_to}"


@pytest.mark.parametrize(
    "accept", [None, "*/*", "text/plain", "text/*", "application/json", "text/html;q=0.5, text/plain"]
)
def test_everybody_else_gets_a_text_that_names_it(api, accept):
    answer = api.client.get("/", headers={} if accept is None else {"Accept": accept})

    assert (answer.status_code, answer.mimetype) == (200, "text/plain")
    assert "http://localhost/_mock/ui/ " in answer.text
