"""With a control token the dashboard asks for a sign-in, whose cookie lets its pages, and nobody else's, act."""

from urllib.parse import quote, urljoin

import pytest

TOKEN = "s3cret-tökén"
SIGN_IN = "/_mock/ui/sign-in"
OWN = {"Sec-Fetch-Site": "same-origin"}
LINK = {"Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document"}


pytestmark = pytest.mark.api(control_token=TOKEN)


def sign_in(api, token=TOKEN, to="", **headers):
    return api.client.post(SIGN_IN, data={"token": token, "to": to}, headers={**OWN, **headers})


def leads_to(answer, path):
    assert answer.status_code == 303
    return urljoin(path, answer.location)


@pytest.mark.parametrize(
    "path",
    ["/_mock/ui", "/_mock/ui/", "/_mock/ui/clock",
     "/w/default/_mock/ui/requests/a%2Fb?status=400&text=%C3%A4", "/w/gone/_mock/ui/nowhere"],
)  # fmt: skip
def test_a_page_leads_to_the_sign_in_and_that_leads_back(api, path):
    form = leads_to(api.client.get(path), path)
    assert form == f"{SIGN_IN}?to={quote(path, safe='')}"
    assert f'value="{path.replace("&", "&amp;")}"' in api.client.get(form).text

    assert leads_to(sign_in(api, to=path), SIGN_IN) == path


def test_session_opens_pages_and_control_calls(api):
    sign_in(api)

    assert api.client.get("/_mock/ui/clock").status_code == 200
    assert api.client.get("/w/default/_mock/clock", headers=OWN).status_code == 200
    assert api.client.post("/_mock/reset", headers=OWN).status_code == 200
    assert api.client.post("/_mock/reset", headers={"Origin": "http://localhost"}).status_code == 200


@pytest.mark.parametrize("token", ["", "wrong", TOKEN.upper(), f"{TOKEN}x", "ÿ" * 10_000])
def test_a_wrong_token_is_told_and_opens_nothing(api, token):
    answer = sign_in(api, token=token)

    assert (answer.status_code, "That is not the token of this server." in answer.text) == (403, True)
    assert "Set-Cookie" not in answer.headers
    assert TOKEN not in answer.text


def test_the_token_may_have_spaces_around_it_as_it_was_copied(api):
    assert sign_in(api, token=f" {TOKEN}\n").status_code == 303


def cookie(answer):
    name_and_value, *attributes = answer.headers["Set-Cookie"].split("; ")
    return name_and_value, {attribute for attribute in attributes if not attribute.startswith("Expires")}


def test_the_cookie_is_out_of_reach_of_scripts_and_other_sites_and_keeps_to_https_where_it_is_used(api):
    assert cookie(sign_in(api))[1] == {"HttpOnly", "Path=/", "SameSite=Strict", "Max-Age=43200"}
    assert "Secure" in cookie(sign_in(api, Origin="https://localhost"))[1]


def test_signing_out_ends_the_session_and_not_only_the_cookie(api):
    value = cookie(sign_in(api))[0]
    assert leads_to(api.client.post("/_mock/ui/sign-out", headers=OWN), "/_mock/ui/sign-out") == SIGN_IN

    assert api.client.get("/_mock/ui/clock").status_code == 303
    assert api.client.get("/_mock/ui/clock", headers={"Cookie": value}).status_code == 303


def test_another_server_does_not_know_the_cookie(api, make_api):
    value = cookie(sign_in(api))[0]

    assert make_api(control_token=TOKEN).client.get("/_mock/ui/clock", headers={"Cookie": value}).status_code == 303


@pytest.mark.parametrize(
    ("method", "headers", "status"),
    [
        ("POST", {}, 401),  # no browser of today
        ("POST", {"Sec-Fetch-Site": "same-site"}, 401),
        ("POST", {"Sec-Fetch-Site": "none"}, 401),
        ("POST", {"Sec-Fetch-Site": "cross-site"}, 403),
        ("POST", {"Origin": "http://localhost:3000"}, 403),
        ("POST", {"Sec-Fetch-Site": "same-site", "Origin": "http://localhost"}, 401),
        ("GET", {"Sec-Fetch-Site": "same-site"}, 401),
        ("GET", {"Sec-Fetch-Site": "same-site", **LINK}, 401),
        ("GET", {"Sec-Fetch-Site": "cross-site", **LINK}, 403),
        ("GET", {"Sec-Fetch-Site": "none"}, 200),
        ("GET", {}, 200),
    ],
)
def test_the_cookie_counts_only_for_requests_that_come_from_here(api, method, headers, status):
    sign_in(api)
    path = "/_mock/reset" if method == "POST" else "/_mock/clock"

    assert api.client.open(path, method=method, headers=headers).status_code == status


@pytest.mark.parametrize("site", ["same-site", "none", "same-origin"])
def test_a_link_on_this_host_leads_to_a_page(api, site):
    sign_in(api)

    assert api.client.get("/_mock/ui/clock", headers={"Sec-Fetch-Site": site, **LINK}).status_code == 200


def test_a_link_from_another_site_leads_to_a_page_although_the_browser_leaves_out_the_cookie(api):
    link = {"Sec-Fetch-Site": "cross-site", **LINK}
    form = leads_to(api.client.get("/_mock/ui/clock", headers=link), "/_mock/ui/clock")
    assert '<meta http-equiv="refresh" content="0">' in api.client.get(form, headers=link).text

    sign_in(api)
    assert leads_to(api.client.get(form, headers={**OWN, **LINK}), SIGN_IN) == "/_mock/ui/clock"


@pytest.mark.parametrize("headers", [{"Sec-Fetch-Site": "cross-site"}, {"Origin": "http://evil.test"}])
@pytest.mark.parametrize("path", [SIGN_IN, "/_mock/ui/sign-out"])
def test_sign_in_and_sign_out_refuse_forms_from_other_sites(api, path, headers):
    sign_in(api)

    assert api.client.post(path, data={"token": TOKEN}, headers=headers).status_code == 403
    assert api.client.get("/_mock/ui/clock").status_code == 200


def test_sign_in_redirects_only_to_dashboard_pages(api):
    for to in (
        "", "http://evil.test/_mock/ui/", "//evil.test/_mock/ui/", "/\\evil.test/_mock/ui/", "/_mock/state",
        "/_mock/uix", "/_mock/ui/../state", "/_mock/ui/%2e%2E/state", "/w/x/../../_mock/ui/..",
        "javascript:alert(1)//_mock/ui/", "/_mock/ui/\n", "/_mock/ui/\xe4", "/_mock/ui/a b", "/_mock/ui/" + "x" * 2_000,
        "_mock/ui/",
    ):  # fmt: skip
        assert leads_to(sign_in(api, to=to), SIGN_IN) == "/_mock/ui/", to


def test_the_token_in_a_header_opens_pages_as_well(api):
    bearer = f"Bearer {TOKEN}".encode().decode("latin-1")

    answer = api.client.get("/_mock/ui/clock", headers={"Authorization": bearer})

    assert (answer.status_code, "Sign out" in answer.text) == (200, False)


def test_the_sign_in_shows_nothing_of_the_server_and_loads_only_files(api):
    text = api.client.get(SIGN_IN).text

    assert "default" not in text
    assert "<script" not in text
    style = text.partition('rel="stylesheet" href="')[2].partition('"')[0]
    assert api.client.get(urljoin(SIGN_IN, style)).status_code == 200


def test_sign_in_redirects_on_servers_without_control_token(make_api):
    api = make_api()

    assert "Sign out" not in api.client.get("/_mock/ui/clock").text
    assert leads_to(api.client.get(f"{SIGN_IN}?to=/_mock/ui/clock"), SIGN_IN) == "/_mock/ui/clock"
    assert leads_to(sign_in(api, token="any"), SIGN_IN) == "/_mock/ui/"


def test_a_host_that_may_be_somebody_elses_sees_a_page_that_says_so(make_api):
    answer = make_api().client.get("/_mock/ui/clock", headers={"Host": "evil.example.com"})

    assert (answer.status_code, answer.mimetype) == (403, "text/html")
    assert "--allowed-host" in answer.text


@pytest.mark.parametrize(
    "headers", [{}, {"Sec-Fetch-Mode": "cors"}, {"Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "iframe"}]
)
def test_other_sites_can_link_to_a_page_and_do_nothing_else_with_it(make_api, headers):
    api = make_api()
    cross = {"Sec-Fetch-Site": "cross-site"}

    assert api.client.get("/_mock/ui/clock", headers={**cross, **LINK}).status_code == 200
    assert api.client.get("/_mock/ui/clock", headers={**cross, **headers}).status_code == 403


def test_links_keep_to_where_a_wsgi_server_mounts_the_application(api):
    mounted = {"environ_overrides": {"SCRIPT_NAME": "/mock", "REQUEST_URI": "/mock/w/default/_mock/ui/clock?x=1"}}
    answer = api.client.get("/w/default/_mock/ui/clock?x=1", **mounted)

    form = f"/mock{SIGN_IN}?to=%2Fw%2Fdefault%2F_mock%2Fui%2Fclock%3Fx%3D1"
    assert leads_to(answer, "/mock/w/default/_mock/ui/clock") == form
