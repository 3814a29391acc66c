"""Web pages of foreign origins cannot use the service; front ends of private names and all programs can."""

from __future__ import annotations

import pytest

CROSS = {"Sec-Fetch-Site": "cross-site"}
TOKEN = "/realms/partner/oauth/token"

FOREIGN = [
    {"Origin": "https://evil.example.com"}, {"Origin": "http://evil.example.com:8003"}, {"Origin": "null"},
    {"Origin": ""}, {"Origin": "https://localhost.evil.example.com"}, {"Origin": "http://evil.example.com@localhost"},
    {"Origin": "http://8.8.8.8"}, {"Origin": "http://[2606:4700::1111]"}, {"Origin": "chrome-extension://abcdef"},
    {"Origin": "http://a.test http://evil.example.com"}, CROSS, {"Sec-Fetch-Site": "something else"},
    {"Origin": "https://evil.example.com", "Sec-Fetch-Site": "same-site"},
    # DNS rebinding: the page's own name leads to this server.
    {"Origin": "http://evil.example.com", "Host": "evil.example.com", "Sec-Fetch-Site": "same-origin"},
]  # fmt: skip
OWN = [
    {}, {"Origin": "http://localhost:5173"}, {"Origin": "http://127.0.0.1:3000"}, {"Origin": "https://app.test"},
    {"Origin": "http://192.168.1.7"}, {"Origin": "http://[::1]:5173"}, {"Origin": "http://frontend:3000"},
    {"Origin": "http://app.test", **CROSS}, {"Sec-Fetch-Site": "same-origin"}, {"Sec-Fetch-Site": "same-site"},
    {"Sec-Fetch-Site": "none"}, {"Host": "mock.example.com"},
]  # fmt: skip


@pytest.mark.parametrize("prefix", ["", "/w/default"])
def test_foreign_page_is_refused_with_the_error_of_the_service(api, prefix):
    for headers in FOREIGN:
        for method, path in (("POST", "/v3/senders"), ("GET", "/v3/webhooks"), ("GET", "/v3/nowhere")):
            answer = api.client.open(f"{prefix}{path}", method=method, headers={"api-key": "any", **headers})
            assert (answer.status_code, answer.json["code"]) == (403, "permission_denied"), headers


def test_preflight_of_a_foreign_page_is_refused(api):
    for path in ("/v3/senders", TOKEN):
        assert api.client.options(path, headers={"Origin": "https://evil.example.com"}).status_code == 403
        assert api.client.options(path, headers={"Origin": "http://localhost:5173"}).status_code == 204


def test_front_ends_of_private_names_and_programs_are_answered(api):
    for headers in OWN:
        assert api.client.get("/v3/senders", headers={"api-key": "any", **headers}).status_code == 200, headers


@pytest.mark.parametrize(
    ("settings", "origin", "host", "status"),
    [
        ({"allowed_host": (".acme.com",)}, "https://app.acme.com", "localhost", 200),
        ({"allowed_host": (".acme.com",)}, "https://evilacme.com", "localhost", 403),
        ({"allowed_host": (".Bücher.example",)}, "https://app.xn--bcher-kva.example", "localhost", 200),
        ({"allowed_host": ("App.Acme.com.:3000",)}, "https://app.acme.com:3000", "localhost", 200),
        ({"allowed_host": ("[2606:4700::1111]:80",)}, "http://[2606:4700::1111]", "localhost", 200),
        ({"allowed_host": ("2606:4700::1111",)}, "http://[2606:4700::1111]", "localhost", 200),
        ({"allowed_host": ("localhost",)}, "capacitor://localhost", "localhost", 200),
        ({"allowed_host": ("*",)}, "https://mock.acme.com", "mock.acme.com", 200),
        ({"allowed_host": ("*",)}, "https://evil.example.com", "mock.acme.com", 403),
        ({"control_token": "sesame"}, "https://mock.acme.com", "mock.acme.com", 200),
        ({"control_token": "sesame"}, "https://evil.example.com", "mock.acme.com", 403),
    ],
)
def test_settings_decide_about_public_names(make_api, settings, origin, host, status):
    headers = {"api-key": "any", "Origin": origin, "Host": host}

    assert make_api(**settings).client.get("/v3/senders", headers=headers).status_code == status


def test_refused_page_is_journaled_with_its_reason_and_changes_nothing(api):
    before = api.get("/v3/senders").json
    body = {"name": "A", "email": "a@acme.test"}
    api.client.post("/v3/senders", json=body, headers={"api-key": "any", "Origin": "https://evil.example.com"})

    (entry,) = api.get("/_mock/requests?status=403").json["items"]
    assert entry["reason"] == (
        "a web page of another origin (https://evil.example.com) sent this request: its name is neither private nor "
        "one of --allowed-host"
    )
    assert api.get("/v3/senders").json == before


def test_foreign_page_cannot_change_tokens_and_may_read_what_oauth_publishes(api):
    for headers in ({"Origin": "https://evil.example.com"}, CROSS):
        refused = api.client.post(TOKEN, data={"grant_type": "client_credentials"}, headers=headers)
        assert (refused.status_code, refused.json["error"]) == (403, "access_denied")
        assert api.client.get("/realms/partner/public-keys", headers=headers).status_code == 200


def test_link_of_an_app_leads_to_the_page_of_consent(api):
    app = {"client_id": "app", "client_secret": "s", "redirect_uris": ["http://app.test/cb"], "scopes": ["all"]}
    api.post("/_mock/oauth/apps", json=app)
    asked = "client_id=app&redirect_uri=http://app.test/cb&scope=account:read&response_type=code"

    answer = api.client.get(f"/realms/partner/oauth/authorize?{asked}", headers={**CROSS, "Sec-Fetch-Mode": "navigate"})

    assert answer.status_code == 200
