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


def commands(api, path="/", scheme="http"):
    lines = api.client.get(path, base_url=f"{scheme}://localhost").text.splitlines()
    return [line.strip() for line in lines if line.startswith("  curl")]


def test_the_commands_of_a_server_with_tls_trust_its_certificate(api):
    assert all(command.startswith("curl --insecure ") for command in commands(api, scheme="https"))
    assert not any("--insecure" in command for command in commands(api))


def test_control_calls_to_a_server_that_asks_for_a_token_have_it(make_api):
    token = '-H "Authorization: Bearer $MOCKSERVER_CONTROL_TOKEN"'

    found = commands(make_api(control_token="t"))

    assert [token in command for command in found] == ["/_mock/" in command for command in found]


@pytest.mark.parametrize(
    ("settings", "key"),
    [
        ({}, "'api-key: any'"),
        ({"keys": "known"}, "'api-key: xkeysib-acme'"),
        ({"keys": "known", "control_token": "t"}, '"api-key: $BREVO_API_KEY"'),
    ],
    ids=["any", "known", "known and secret"],
)
def test_the_service_is_called_with_a_key_that_it_knows(make_api, settings, key):
    assert all(f" -H {key} " in command for command in commands(make_api(**settings))[:2])


def test_welcome_commands_use_the_address_of_the_workspace(api):
    api.post("/_mock/workspaces", json={"name": "side"})

    assert all("http://localhost/w/side/" in command for command in commands(api, "/w/side/"))
