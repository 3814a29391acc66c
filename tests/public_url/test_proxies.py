"""What a proxy may do with prefix and Host, and whom the server admits by its public host."""

from __future__ import annotations

import re
import socket
import ssl
from urllib.parse import urlsplit

import pytest
from prefix_proxy import PREFIX
from web_page import read

from mockserver import MockServer

PUBLIC = "https://mock.acme.com/brevo"


@pytest.fixture
def make(make_api):
    return lambda **settings: make_api("standard", public_url=PUBLIC, **settings)


@pytest.mark.parametrize("prefix", ["strips", "keeps"])
def test_dashboard_accepts_calls_of_its_pages_where_the_proxy_changes_host(serve, prefix):
    public = serve(prefix=prefix, host=False)
    origin = f"https://{urlsplit(public.url).netloc}"
    headers = {"Origin": origin, "Sec-Fetch-Site": "same-origin"}

    assert (
        public.http.post(f"{public.url}/_mock/clock/advance", json={"by": "PT1H"}, headers=headers).status_code == 200
    )
    assert public.follow(f"{public.url}/").url == f"{public.url}/"


@pytest.mark.parametrize("prefix", ["strips", "keeps"])
def test_sign_in_with_the_control_token_leads_back_to_the_page(serve, prefix):
    public = serve(prefix=prefix, control_token="sesame")
    page = public.follow(f"{public.url}/_mock/ui/mail")
    assert page.url.startswith(f"{public.url}/_mock/ui/sign-in?")

    form = {"to": "/_mock/ui/mail", "token": "sesame"}
    found = public.http.post(page.url, data=form, headers={"Origin": f"https://{urlsplit(public.url).netloc}"})

    assert (found.status_code, found.url) == (200, f"{public.url}/_mock/ui/mail")


@pytest.mark.parametrize("path", ["", "/", "/w/default", "/_mock/ui", "/_mock/ui/", "/w/default/_mock/ui"])
@pytest.mark.parametrize("prefix", ["strips", "keeps"])
def test_browser_is_led_below_the_prefix(serve, prefix, path):
    public = serve(prefix=prefix)
    answer = public.http.get(f"{public.url}{path}", headers={"Accept": "text/html"})

    assert answer.status_code == 200
    assert answer.url.startswith(f"{public.url}/")
    assert "/_mock/ui/" in answer.url


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("/v3/senders", 200), (f"{PREFIX}/v3/senders", 200), (f"{PREFIX}/w/default/v3/senders", 200),
        (f"{PREFIX}/v3/senders/domains/a%2Fb", 404), ("/v3/senders/domains/a%2Fb", 404), (f"{PREFIX}v3/senders", 404),
        (f"{PREFIX}{PREFIX}/v3/senders", 404), (f"/w/default{PREFIX}/v3/senders", 404), (f"{PREFIX}/v3/nowhere", 404),
    ],
)  # fmt: skip
def test_path_is_found_with_and_without_the_prefix(make, path, status):
    api = make()
    answer = api.get(path)

    assert answer.status_code == status
    if path.endswith("b"):  # an encoded slash is no end of a segment, below the prefix, too
        (request,) = api.get("/_mock/requests?limit=1").json["items"]
        assert request["operation"] == "getDomainConfiguration"


@pytest.mark.parametrize("host", ["mock.acme.com", "MOCK.acme.com:443", "localhost:8003", "127.0.0.1:8003"])
def test_control_api_admits_public_and_private_hosts(make, host):
    assert make().get("/_mock/requests", headers={"Host": host}).status_code == 200


@pytest.mark.parametrize("host", ["acme.com", "other.acme.com", "mock.acme.com.evil.com"])
def test_control_api_refuses_other_hosts(make, host):
    assert make().get("/_mock/requests", headers={"Host": host}).status_code == 403


def test_pages_of_the_public_host_may_call_the_service(make):
    api = make()

    assert api.get("/v3/senders", headers={"Origin": "https://mock.acme.com", "Host": "10.0.0.9"}).status_code == 200
    assert api.get("/v3/senders", headers={"Origin": "https://acme.com", "Host": "10.0.0.9"}).status_code == 403


@pytest.mark.parametrize(
    ("origin", "status"),
    [("https://mock.acme.com", 200), ("http://10.0.0.9", 200), ("https://acme.com", 403), ("https://[", 403)],
)
def test_form_of_the_sign_in_page_is_taken_from_the_public_and_the_called_host(make_api, scenario, origin, status):
    client = make_api(scenario, public_url=PUBLIC).client
    asked = {"client_id": "crm", "redirect_uri": "https://app.test/callback", "response_type": "code"}
    url, there = "/brevo/realms/partner/oauth/authorize", {"Host": "10.0.0.9"}
    page = client.get(url, query_string={**asked, "scope": "account:read"}, headers=there)
    assert "Path=/brevo;" in page.headers["Set-Cookie"]
    token = page.headers["Set-Cookie"].partition("=")[2].partition(";")[0]
    person = read(page.text).all("button")[0].attributes["value"]

    answer = client.post(
        url,
        query_string={**asked, "scope": "account:read"},
        data={"csrf": token, "person": person},
        headers={**there, "Origin": origin, "Cookie": page.headers["Set-Cookie"].partition(";")[0]},
    )

    assert (answer.status_code, "Accept" in answer.text) == (status, status == 200)


def test_page_about_an_unknown_workspace_leads_to_the_default_one(make):
    page = make().client.get("/brevo/w/nowhere/account/login/corporate/sso/x")

    assert page.status_code == 404
    assert re.findall(r'href="(/[^"]*)_mock/ui/requests/', page.text) == ["/brevo/"]


def test_certificate_of_the_server_has_the_public_host():
    with MockServer(tls=True, public_url=PUBLIC) as server:
        assert server.tls_url == server.client.url
        assert server.tls_url.startswith("https://127.0.0.1:")
        assert b"mock.acme.com" in _certificate(server)


def _certificate(server):

    parts, context = urlsplit(server.tls_url), ssl.create_default_context(cadata=server.ca)
    with (
        socket.create_connection((parts.hostname, parts.port), 10) as plain,
        context.wrap_socket(plain, server_hostname="mock.acme.com") as secured,
    ):
        return secured.getpeercert(binary_form=True)


def test_addresses_follow_the_host_of_the_request_without_the_setting(make_api):
    headers = {"Host": "mock:8003", "X-Forwarded-Proto": "https", "X-Forwarded-Host": "x.test"}
    found = make_api("standard").get("/_mock/workspaces/default", headers=headers)

    assert found.json["url"] == "http://mock:8003/v3"
