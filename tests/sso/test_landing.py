"""Where a token is used: the page that says who has signed in where (contract/sso)."""

from __future__ import annotations

import json
from urllib.parse import unquote

import pytest
from web_page import plain

from mockserver.resources.sso.model import TARGETS, find

KINDS = ("corporate", "sub-account")
UNKNOWN = "There is no such single-sign-on token"
EXPIRED = "This single-sign-on token has expired"
USED = "This single-sign-on token was used already"


def test_an_admin_signs_in_to_the_organization(workspace, details):
    answer = workspace.land(workspace.token("corporate"), "corporate")

    assert answer.status_code == 200
    assert details(answer) == {
        "As": "boss@group.test", "In": "organization Group & <b>Sons</b> (1003001)", "At": "home",
    }  # fmt: skip


def test_a_user_signs_in_to_a_sub_account(workspace, details):
    for body, user in [({}, "keeper@shop.test"), ({"email": "helper@shop.test"}, "helper@shop.test")]:
        found = details(workspace.land(workspace.token(**body)))

        assert (found["As"], found["In"]) == (user, "sub-account Shop (1003002)")


def test_a_user_lands_in_the_area_that_target_names(workspace, details, links):
    for target in TARGETS:
        page = workspace.land(workspace.token(target=target))

        assert (details(page)["At"], links(page)) == (target, [])
        assert "Set-Cookie" not in page.headers


def test_a_user_lands_at_url_whatever_the_target(workspace, details, links):
    for more in ({}, {"target": "contacts"}):
        for url in ("https://app.test/x?a=1&b=2", "http://app.test"):
            page = workspace.land(workspace.token(url=url, **more))

            assert (details(page)["At"], links(page)) == (url, [url])
            assert 'rel="noreferrer"' in page.text


def test_landing_page_links_web_addresses_only(workspace, details, links):
    """No operation takes an address of another scheme; the page checks it nevertheless."""
    for url in ("javascript:alert(1)", "data:text/html,x", "vbscript:x", '"><script>', "JavaScript:x"):
        token = workspace.token()
        _, row = find(workspace.api.workspace, token)
        row.url = url
        page = workspace.land(token)

        assert (details(page)["At"], links(page)) == (url, [])
        assert "<script" not in page.text


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    ("behaviour", "until", "time"),
    [({}, "P14DT23H59M59S", "2026-01-30T09:00:00Z"), ({"lifetime": "PT1H"}, "PT59M59S", "2026-01-15T10:00:00Z")],
)
def test_a_token_works_for_fifteen_days_or_as_a_scenario_says(make_workspace, is_page, kind, behaviour, until, time):
    workspace = make_workspace(behaviour={"sso_token": behaviour})
    token = workspace.token(kind)

    workspace.api.advance(until)
    assert f"The token works until {time}" in plain(workspace.land(token, kind).text)
    workspace.api.advance("PT1S")
    assert is_page(workspace.land(token, kind), 410, EXPIRED)
    assert workspace.reason() == f"the token expired at {time}; the workspace's clock shows {time}"


@pytest.mark.parametrize("behaviour", [{}, {"sso_token": {"single_use": False}}])
def test_a_token_works_many_times(make_workspace, behaviour):
    workspace = make_workspace(behaviour=behaviour)
    token = workspace.token()

    pages = [workspace.land(token) for _ in range(3)]
    assert [page.status_code for page in pages] == [200] * 3
    assert not any("once only" in plain(page.text) for page in pages)


@pytest.mark.parametrize("kind", KINDS)
def test_a_token_works_once_where_the_scenario_says_so(make_workspace, is_page, kind):
    workspace = make_workspace(behaviour={"sso_token": {"single_use": True}})
    token, other = workspace.token(kind), workspace.token(kind)

    assert "worked this once only" in plain(workspace.land(token, kind).text)
    assert is_page(workspace.land(token, kind), 410, USED)
    assert workspace.reason() == "the token was used at 2026-01-15T09:00:00Z (behaviour.sso_token.single_use is true)"
    assert workspace.land(other, kind).status_code == 200


def test_a_refusal_uses_no_token_up(make_workspace):
    workspace = make_workspace(behaviour={"sso_token": {"single_use": True}})
    token = workspace.token()

    assert workspace.land(token, "corporate").status_code == 404
    assert workspace.land(token, method="POST").status_code == 405
    assert workspace.land(token).status_code == 200


def test_an_unknown_token_is_not_found(workspace, is_page):
    for kind in KINDS:
        for token in ("0" * 34, "made-up", "%3Cscript%3E", "ä" * 300):
            answer = workspace.land(token, kind)

            assert is_page(answer, 404, UNKNOWN)
            assert unquote(token) not in answer.text


def test_a_token_for_the_other_address_is_not_found(workspace, is_page):
    for kind, other, what in [(*KINDS, "an organization"), (*KINDS[::-1], "a sub-account")]:
        assert is_page(workspace.land(workspace.token(kind), other), 404, UNKNOWN)
        assert workspace.reason() == f"wrong address: the token signs in to {what}"


def test_a_token_goes_with_its_account(workspace, is_page):
    """A deletion removes the sub-account and all its data (contract/corporate#deleteSubAccount)."""
    token = workspace.token()
    assert workspace.api.delete("/v3/corporate/subAccount/1003002", key="key-group").status_code == 204

    assert is_page(workspace.land(token), 404, UNKNOWN)
    assert workspace.reason() == "unknown token: workspace default never issued it, or its account was deleted"


def test_an_address_without_a_token_leads_nowhere(workspace, is_page):
    for path in ("/account/login/corporate/sso", "/account/login/corporate/sso/", "/account/x"):
        assert is_page(workspace.api.client.get(path), 404, "There is nothing at this address")


def test_a_landing_page_is_only_looked_at(workspace, is_page):
    for method in ("POST", "PUT", "DELETE", "PATCH"):
        assert is_page(workspace.land(workspace.token(), method=method), 405, f"This address takes GET, not {method}")


@pytest.fixture
def other(workspace, workspace_of, document):
    """Another workspace of the same scenario, at its own address."""
    assert workspace.api.post("/_mock/workspaces", json={"scenario": document, "name": "other"}).status_code == 201
    key = workspace.api.get("/_mock/workspaces/other").json["accounts"][0]["api_key"]
    found = workspace_of(workspace.api, "/w/other")
    found.key = key
    return found


def test_a_token_is_used_below_the_address_of_its_workspace(workspace, other, is_page):
    token = other.token(key=other.key)

    page = other.land(token)
    assert page.status_code == 200
    assert "workspace other" in plain(page.text)
    assert is_page(workspace.land(token), 404, UNKNOWN)
    assert workspace.reason() == "unknown token: workspace default never issued it, or its account was deleted"


def test_unknown_workspace_gets_a_refusal_page(workspace, workspace_of, is_page):
    assert is_page(workspace_of(workspace.api, "/w/nowhere").land("x"), 404, "There is no workspace nowhere")


def test_a_browser_needs_no_control_token(make_api, workspace_of, document, tmp_path):
    (tmp_path / "workspace.yaml").write_text(json.dumps(document), encoding="utf-8")
    workspace = workspace_of(make_api(str(tmp_path / "workspace.yaml"), control_token="s3cret"))

    assert workspace.api.get("/_mock/state").status_code == 401
    assert workspace.land(workspace.token()).status_code == 200


def logs(workspace, key):
    return workspace.api.get("/v3/organization/activities", key=key).json["logs"]


@pytest.mark.parametrize(
    ("kind", "body", "key", "user"),
    [
        ("corporate", {}, "key-group", "boss@group.test"),
        ("sub-account", {}, "key-shop", "keeper@shop.test"),
        ("sub-account", {"email": "helper@shop.test"}, "key-shop", "helper@shop.test"),
    ],
)
def test_the_activity_log_tells_who_signed_in(workspace, kind, body, key, user):
    workspace.land(
        workspace.token(kind, **body), kind, headers={"User-Agent": "Lynx"}, environ_base={"REMOTE_ADDR": "192.0.2.7"}
    )

    assert logs(workspace, key) == [
        {
            "date": "2026-01-15T09:00:00+00:00", "action": "login-success", "user_email": user, "user_ip": "192.0.2.7",
            "user_agent": "Lynx",
        }
    ]  # fmt: skip


def test_a_refused_token_is_no_sign_in(make_workspace):
    workspace = make_workspace(behaviour={"sso_token": {"single_use": True}})
    token = workspace.token()
    workspace.land(token)
    for _ in range(3):
        workspace.land(token)
        workspace.land("unknown")

    assert len(logs(workspace, "key-shop")) == 1


def test_the_journal_names_the_operation_and_hides_the_token(workspace):
    for kind, operation in [("corporate", "ssoCorporateLogin"), ("sub-account", "ssoSubAccountLogin")]:
        token = workspace.token(kind)
        workspace.land(token, kind)
        entry = workspace.api.get("/_mock/requests").json["items"][0]

        assert (entry["operation"], entry["status"], entry["account"]) == (operation, 200, None)
        assert entry["path"] == f"/account/login/{kind}/sso/***"
        assert token not in json.dumps(workspace.api.get("/_mock/requests").json)


@pytest.mark.parametrize("kind", KINDS)
def test_head_does_not_use_up_a_token_that_works_once(make_workspace, kind):
    workspace = make_workspace(behaviour={"sso_token": {"single_use": True}})
    token = workspace.token(kind)
    before = workspace.api.get("/_mock/state").json

    assert [workspace.land(token, kind, "HEAD").status_code for _ in range(2)] == [200, 200]
    assert workspace.api.get("/_mock/state").json["accounts"] == before["accounts"]
    assert [workspace.land(token, kind, method).status_code for method in ("GET", "HEAD", "GET")] == [200, 410, 410]
