"""Where a token is used: the page that says who has signed in where (contract/sso)."""

from __future__ import annotations

import json
from urllib.parse import unquote

import pytest

from mockserver.resources.sso.model import TARGETS, find

KINDS = ("corporate", "sub-account")
UNKNOWN = "There is no such single-sign-on token"
EXPIRED = "This single-sign-on token has expired"
USED = "This single-sign-on token was used already"


def test_an_admin_signs_in_to_the_organization(endpoint, facts):
    answer = endpoint.land(endpoint.token("corporate"), "corporate")

    assert answer.status_code == 200
    assert facts(answer) == {"As": "boss@group.test", "In": "organization Group & <b>Sons</b> (1003001)", "At": "home"}


def test_an_admin_account_signs_its_own_organization_in(endpoint, facts):
    token = endpoint.token("corporate", "key-desk", email="admin@desk.test")

    assert facts(endpoint.land(token, "corporate"))["In"] == "organization desk (1003004)"


@pytest.mark.parametrize(
    ("body", "user"), [({}, "keeper@shop.test"), ({"email": "helper@shop.test"}, "helper@shop.test")]
)
def test_a_user_signs_in_to_a_sub_account(endpoint, facts, body, user):
    found = facts(endpoint.land(endpoint.token(**body)))

    assert (found["As"], found["In"]) == (user, "sub-account Shop (1003002)")


def test_what_a_scenario_says_is_escaped(endpoint):
    page = endpoint.land(endpoint.token("corporate"), "corporate").text

    assert "Group &amp; &lt;b&gt;Sons&lt;/b&gt;" in page
    assert "<b>Sons" not in page


# ---------------------------------------------------------------------- where


@pytest.mark.parametrize("target", TARGETS)
def test_a_user_lands_in_the_area_that_target_names(endpoint, facts, links, target):
    page = endpoint.land(endpoint.token(target=target))

    assert (facts(page)["At"], links(page)) == (target, [])


@pytest.mark.parametrize("more", [{}, {"target": "contacts"}])
@pytest.mark.parametrize("url", ["https://app.test/x?a=1&b=2", "http://app.test"])
def test_a_user_lands_at_url_whatever_the_target(endpoint, facts, links, url, more):
    page = endpoint.land(endpoint.token(url=url, **more))

    assert (facts(page)["At"], links(page)) == (url, [url])
    assert 'rel="noreferrer"' in page.text


@pytest.mark.parametrize("url", ["javascript:alert(1)", "data:text/html,x", "vbscript:x", '"><script>', "JavaScript:x"])
def test_what_is_no_web_address_is_never_a_link(endpoint, facts, links, url):
    """No operation takes one; the page does not trust that."""
    token = endpoint.token()
    _, row = find(endpoint.api.workspace, token)
    row.url = url
    page = endpoint.land(token)

    assert (facts(page)["At"], links(page)) == (url, [])
    assert "<script" not in page.text


@pytest.mark.parametrize("kind", KINDS)
def test_the_page_may_do_nothing_and_is_kept_nowhere(endpoint, kind):
    headers = endpoint.land(endpoint.token(kind), kind).headers

    assert headers["Content-Type"] == "text/html; charset=utf-8"
    assert headers["Cache-Control"] == "no-store"
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert headers["Referrer-Policy"] == "same-origin"
    policy = dict(part.partition(" ")[::2] for part in headers["Content-Security-Policy"].split("; "))
    assert policy["default-src"] == policy["frame-ancestors"] == policy["base-uri"] == "'none'"
    assert "script-src" not in policy
    assert "Set-Cookie" not in headers
    assert "access-control-allow-origin" not in headers


# ---------------------------------------------------------------------- how long, how often


@pytest.mark.parametrize("kind", KINDS)
def test_a_token_works_for_fifteen_days(endpoint, is_page, kind):
    token = endpoint.token(kind)

    endpoint.api.advance("P14DT23H59M59S")
    assert endpoint.land(token, kind).status_code == 200
    endpoint.api.advance("PT1S")
    assert is_page(endpoint.land(token, kind), 410, EXPIRED)
    assert (
        endpoint.reason() == "it was good until 2026-01-30T09:00:00Z; the workspace's clock shows 2026-01-30T09:00:00Z"
    )


def test_a_scenario_says_how_long(make_door, is_page, words):
    endpoint = make_door(behaviour={"sso_token": {"lifetime": "PT1H"}})
    token = endpoint.token()

    assert "The token works until 2026-01-15T10:00:00Z" in words(endpoint.land(token))
    endpoint.api.advance("PT1H")
    assert is_page(endpoint.land(token), 410, EXPIRED)


@pytest.mark.parametrize("behaviour", [{}, {"sso_token": {"single_use": False}}])
def test_a_token_works_many_times(make_door, words, behaviour):
    endpoint = make_door(behaviour=behaviour)
    token = endpoint.token()

    pages = [endpoint.land(token) for _ in range(3)]
    assert [page.status_code for page in pages] == [200] * 3
    assert not any("once only" in words(page) for page in pages)


@pytest.mark.parametrize("kind", KINDS)
def test_a_token_works_once_where_the_scenario_says_so(make_door, is_page, words, kind):
    endpoint = make_door(behaviour={"sso_token": {"single_use": True}})
    token, other = endpoint.token(kind), endpoint.token(kind)

    assert "worked this once only" in words(endpoint.land(token, kind))
    assert is_page(endpoint.land(token, kind), 410, USED)
    assert endpoint.reason() == "it was used at 2026-01-15T09:00:00Z, and behaviour.sso_token.single_use is set"
    assert endpoint.land(other, kind).status_code == 200


def test_to_be_refused_uses_no_token_up(make_door):
    endpoint = make_door(behaviour={"sso_token": {"single_use": True}})
    token = endpoint.token()

    assert endpoint.land(token, "corporate").status_code == 404
    assert endpoint.land(token, method="POST").status_code == 405
    assert endpoint.land(token).status_code == 200


# ---------------------------------------------------------------------- tokens that open nothing


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("token", ["0" * 34, "made-up", "%3Cscript%3E", "ä" * 300])
def test_an_unknown_token_is_not_found(endpoint, is_page, kind, token):
    answer = endpoint.land(token, kind)

    assert is_page(answer, 404, UNKNOWN)
    assert unquote(token) not in answer.text


@pytest.mark.parametrize(("kind", "other", "what"), [(*KINDS, "an organization"), (*KINDS[::-1], "a sub-account")])
def test_a_token_for_the_other_address_is_not_found(endpoint, is_page, kind, other, what):
    assert is_page(endpoint.land(endpoint.token(kind), other), 404, UNKNOWN)
    assert endpoint.reason() == f"the token opens {what}, at another address"


def test_a_token_goes_with_its_account(endpoint, is_page):
    """A deletion removes the sub-account and all its data (contract/corporate#deleteSubAccount)."""
    token = endpoint.token()
    assert endpoint.api.delete("/v3/corporate/subAccount/1003002", key="key-group").status_code == 204

    assert is_page(endpoint.land(token), 404, UNKNOWN)
    assert endpoint.reason() == "workspace default has made no such token, or its account was deleted"


@pytest.mark.parametrize("path", ["/account/login/corporate/sso", "/account/login/corporate/sso/", "/account/x"])
def test_an_address_without_a_token_leads_nowhere(endpoint, is_page, path):
    assert is_page(endpoint.api.client.get(path), 404, "There is nothing at this address")


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "PATCH"])
def test_a_landing_page_is_only_looked_at(endpoint, is_page, method):
    assert is_page(endpoint.land(endpoint.token(), method=method), 405, f"This address takes GET, not {method}")


def test_head_tells_the_same_without_the_page(endpoint):
    token = endpoint.token()
    page, head = endpoint.land(token), endpoint.land(token, method="HEAD")

    assert (head.status_code, head.data) == (200, b"")
    assert head.headers["Content-Length"] == str(len(page.data))


# ---------------------------------------------------------------------- workspaces


@pytest.fixture
def other(endpoint, door_of, story):
    """Another workspace of the same story, at its own address."""
    assert endpoint.api.post("/_mock/workspaces", json={"scenario": story, "name": "other"}).status_code == 201
    key = endpoint.api.get("/_mock/workspaces/other").json["accounts"][0]["api_key"]
    found = door_of(endpoint.api, "/w/other")
    found.key = key
    return found


def test_a_token_is_used_below_the_address_of_its_workspace(endpoint, other, is_page, words):
    token = other.token(key=other.key)

    page = other.land(token)
    assert page.status_code == 200
    assert "workspace other" in words(page)
    assert is_page(endpoint.land(token), 404, UNKNOWN)
    assert endpoint.reason() == "workspace default has made no such token, or its account was deleted"


def test_the_first_workspace_is_found_by_name_too(endpoint, door_of):
    assert door_of(endpoint.api, "/w/default").land(endpoint.token()).status_code == 200


def test_a_workspace_that_is_not_there_has_a_page_as_well(endpoint, door_of, is_page):
    assert is_page(door_of(endpoint.api, "/w/nowhere").land("x"), 404, "There is no workspace nowhere")


def test_two_workspaces_of_one_story_share_no_token(endpoint, other):
    assert endpoint.token() != other.token(key=other.key)


def test_a_browser_needs_no_control_token(make_api, door_of, story, tmp_path):
    (tmp_path / "workspace.yaml").write_text(json.dumps(story), encoding="utf-8")
    endpoint = door_of(make_api(str(tmp_path / "workspace.yaml"), control_token="s3cret"))

    assert endpoint.api.get("/_mock/state").status_code == 401
    assert endpoint.land(endpoint.token()).status_code == 200


# ---------------------------------------------------------------------- what is written down


def logs(endpoint, key):
    return endpoint.api.get("/v3/organization/activities", key=key).json["logs"]


@pytest.mark.parametrize(
    ("kind", "body", "key", "user"),
    [
        ("corporate", {}, "key-group", "boss@group.test"),
        ("sub-account", {}, "key-shop", "keeper@shop.test"),
        ("sub-account", {"email": "helper@shop.test"}, "key-shop", "helper@shop.test"),
    ],
)
def test_the_activity_log_tells_who_signed_in(endpoint, kind, body, key, user):
    endpoint.land(
        endpoint.token(kind, **body), kind, headers={"User-Agent": "Lynx"}, environ_base={"REMOTE_ADDR": "192.0.2.7"}
    )

    assert logs(endpoint, key) == [
        {
            "date": "2026-01-15T09:00:00+00:00",
            "action": "login-success",
            "user_email": user,
            "user_ip": "192.0.2.7",
            "user_agent": "Lynx",
        }
    ]


def test_a_sign_in_is_written_down_where_it_leads_to_and_nowhere_else(endpoint):
    endpoint.land(endpoint.token())

    assert (len(logs(endpoint, "key-shop")), logs(endpoint, "key-group"), logs(endpoint, "key-desk")) == (1, [], [])


def test_what_is_refused_is_no_sign_in(make_door):
    endpoint = make_door(behaviour={"sso_token": {"single_use": True}})
    token = endpoint.token()
    endpoint.land(token)
    for _ in range(3):
        endpoint.land(token)
        endpoint.land("unknown")

    assert len(logs(endpoint, "key-shop")) == 1


@pytest.mark.parametrize(
    ("kind", "operation"), [("corporate", "ssoCorporateLogin"), ("sub-account", "ssoSubAccountLogin")]
)
def test_the_journal_names_the_operation_and_hides_the_token(endpoint, kind, operation):
    token = endpoint.token(kind)
    endpoint.land(token, kind)
    entry = endpoint.api.get("/_mock/requests").json["items"][0]

    assert (entry["operation"], entry["status"], entry["account"]) == (operation, 200, None)
    assert entry["path"] == f"/account/login/{kind}/sso/***"
    assert token not in json.dumps(endpoint.api.get("/_mock/requests").json)
