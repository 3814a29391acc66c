"""An app's users sign in and let it in, or do not."""

import base64
import hashlib
from urllib.parse import parse_qsl, urlencode, urlsplit

import pytest
import requests

pytestmark = [pytest.mark.browser, pytest.mark.slow]  # a browser is a program of its own

BOSS, OUTSIDER = "button[value$=' boss@group.test']", "button[value$=' owner@foreign.test']"
ACCEPT, REFUSE = "button[value=accept]", "button[value=refuse]"


# ---------------------------------------------------------------------- accepting and refusing


def test_whoever_accepts_comes_to_the_app_with_a_code_that_opens_the_account(browser, asked, app):
    browser.follow(ACCEPT)

    browser.see("#app")
    assert set(app.told) == {"code", "state"}
    assert app.told["state"] == "state & more"
    token = asked.tokens(app.told["code"])["access_token"]
    senders = asked.get("/v3/senders", headers={"Authorization": f"Bearer {token}"})["senders"]
    assert [row["email"] for row in senders] == ["news@group.test"]


def test_whoever_refuses_comes_to_the_app_without_one(browser, asked, app):
    browser.follow(REFUSE)

    browser.see("#app")
    assert "code" not in app.told
    assert (app.told["error"], app.told["state"]) == ("access_denied", "state & more")


def test_the_flow_is_the_same_where_no_workspace_is_named(browser, make_root_workspace, app):
    workspace = make_root_workspace()
    browser.open(workspace.authorize())
    browser.follow(BOSS)
    browser.follow(ACCEPT)

    browser.see("#app")
    assert workspace.tokens(app.told["code"])["token_type"].lower() == "bearer"


@pytest.fixture
def make_root_workspace(serve, story, workspace):
    """The story as a server's own."""
    return lambda: type(workspace)(serve(story), {}, workspace.app)


def test_the_question_names_the_app_the_user_the_scopes_and_the_way_back(browser, asked, app):
    page = browser.text("main")

    assert browser.text("h1") == "Contact Sync asks for access"
    assert "boss@group.test" in page
    assert [row.text.splitlines() for row in browser.all("li")] == [
        ["See your account, senders and domains", "account:read"],
        ["See your contacts, their lists and attributes", "contacts:read"],
        ["Add, change and delete your contacts, their lists and attributes", "contacts:write"],
    ]
    assert urlsplit(app.root).netloc in page


def test_a_question_does_not_wait_for_ever(browser, asked, app):
    asked.advance("PT11M")

    browser.follow(ACCEPT)

    assert browser.text("h1") == "Gone"
    assert "Start again from the app" in browser.text("main")
    assert any("410 (Gone)" in message for message in browser.console())
    assert app.came == []


def test_an_error_page_leads_to_what_the_journal_tells(browser, asked):
    asked.advance("PT11M")
    browser.follow(ACCEPT)
    browser.see("main a")

    browser.follow("main a")

    assert "no grant awaits a decision" in browser.text("body")


def test_two_questions_can_be_open_at_the_same_time(browser, asked, app):
    """Pages of one browser share their protection against other sites' forms."""
    with browser.tab():
        browser.driver.get(asked.authorize(state="second"))

    browser.follow(ACCEPT)

    browser.see("#app")
    assert app.told["state"] == "state & more"


def test_the_journal_knows_the_steps(browser, asked, app):
    browser.follow(ACCEPT)
    browser.see("#app")

    rows = asked.get("/_mock/requests")["items"]
    assert [(row["operation"], row["status"]) for row in rows if row["operation"]] == [
        ("oauthConsent", 302),
        ("oauthSignIn", 200),
        ("oauthAuthorize", 200),
    ]
    assert app.told["code"] not in requests.get(f"{asked.root}/_mock/requests", timeout=10).text


# ---------------------------------------------------------------------- who may not


def test_somebody_from_outside_is_sent_back_without_a_question(browser, workspace, app):
    browser.open(workspace.authorize())
    browser.follow(OUTSIDER)

    browser.see("#app")
    assert (app.told["error"], app.told["state"]) == ("access_denied", "state & more")


@pytest.mark.parametrize("changed", [{"client_id": "nobody"}, {"redirect_uri": "http://127.0.0.1:9/callback"}])
def test_an_unknown_app_or_way_back_is_told_on_a_page(browser, workspace, app, changed):
    url = workspace.authorize(**changed)
    browser.open(url)

    assert browser.text("h1") == "Bad Request"
    assert browser.driver.current_url == url
    assert browser.requested() == [url]
    assert app.came == []


def test_another_sites_form_is_refused(browser, asked, app, other_host):
    """Somebody who has seen the ticket cannot answer in the user's place."""
    values = {row.get_attribute("name"): row.get_attribute("value") for row in browser.all("input[type=hidden]")}
    browser.open(f"{other_host.root}/evil")
    browser.script(
        "const form = document.body.appendChild(document.createElement('form'));"
        "form.method = 'post'; form.action = arguments[0];"
        "for (const [name, value] of Object.entries(arguments[1])) {"
        "  const input = form.appendChild(document.createElement('input')); input.name = name; input.value = value; }"
        "form.submit();",
        f"{asked.root}/realms/partner/oauth/consent",
        {**values, "decision": "accept"},
    )

    assert browser.text("main h1") == "Forbidden"
    assert app.came == []


# ---------------------------------------------------------------------- the way on


def test_the_app_may_send_its_users_on_to_another_origin(browser, story, make_workspace, app, other_host):
    """A backend takes the code, and its frontend is elsewhere; a browser holds a form's policy against both."""
    callback = f"{app.root}/callback?{urlencode({'onward': f'{other_host.root}/home'})}"
    story["oauth_apps"][0]["redirect_uris"] = [callback]
    browser.open(make_workspace().authorize(redirect_uri=callback))
    browser.follow(BOSS)
    browser.follow(ACCEPT)

    browser.see("#app")
    assert browser.driver.current_url == f"{other_host.root}/home"
    assert "code" in app.told
    assert browser.console() == []


@pytest.mark.parametrize("callback", ["http://[::1]:9/callback", "http://my_app:9/callback"])
def test_a_host_that_a_policy_cannot_name_is_reached_all_the_same(browser, story, make_workspace, callback):
    """Nobody listens there; the browser goes there nevertheless."""
    story["oauth_apps"][0]["redirect_uris"] = [callback]
    browser.open(make_workspace().authorize(redirect_uri=callback))
    browser.follow(BOSS)
    browser.follow(ACCEPT)

    browser.until(lambda: browser.driver.current_url.startswith(f"{callback}?code="))
    assert [message for message in browser.console() if "Security Policy" in message] == []


def test_a_scheme_of_an_apps_own_is_not_held_back(browser, workspace):
    """Nothing on this machine opens it; that it was tried is in the log."""
    callback = "com.example.sync:/callback"
    with browser.tab():
        browser.open(workspace.authorize(redirect_uri=callback))
        browser.follow(BOSS)
        browser.click(ACCEPT)

        browser.until(lambda: any(url.startswith(f"{callback}?code=") for url in browser.requested()))
        assert [message for message in browser.console() if "Security Policy" in message] == []


def test_a_public_app_proves_itself_with_its_verifier(browser, story, make_workspace, app):
    story["behaviour"] = {**story.get("behaviour", {}), "oauth_public_apps": True}
    story["oauth_apps"][0] |= {"public": True, "client_secret": None}
    verifier = "a-verifier-of-at-least-forty-three-characters-in-all"
    challenge = base64.urlsafe_b64encode(hashlib.sha256(verifier.encode()).digest()).rstrip(b"=").decode()
    workspace = make_workspace()
    browser.open(workspace.authorize(code_challenge=challenge, code_challenge_method="S256"))
    browser.follow(OUTSIDER)
    browser.follow(ACCEPT)
    browser.see("#app")

    tokens = workspace.post(
        "/realms/partner/oauth/token",
        data={"client_id": "app", "code": app.told["code"], "code_verifier": verifier},
    )

    assert tokens["scope"].split() == ["account:read", "contacts:read", "contacts:write"]


def test_the_way_back_keeps_its_own_query(browser, story, make_workspace, app):
    callback = f"{app.root}/callback?keep=1"
    story["oauth_apps"][0]["redirect_uris"] = [callback]
    browser.open(make_workspace().authorize(redirect_uri=callback))
    browser.follow(BOSS)
    browser.follow(ACCEPT)
    browser.see("#app")

    query = dict(parse_qsl(urlsplit(browser.driver.current_url).query))
    assert (query["keep"], query["code"]) == ("1", app.told["code"])
