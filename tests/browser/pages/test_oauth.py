"""An app's users sign in and let it in, or do not."""

from urllib.parse import urlencode

import pytest

pytestmark = [pytest.mark.browser, pytest.mark.slow]  # a browser is a program of its own

BOSS, OUTSIDER = "button[value$=' boss@group.test']", "button[value$=' owner@foreign.test']"
ACCEPT, REFUSE = "button[value=accept]", "button[value=refuse]"


# ---------------------------------------------------------------------- accepting and refusing


def test_accepting_user_returns_to_the_app_with_a_valid_code(browser, asked, app):
    browser.follow(ACCEPT)

    browser.see("#app")
    assert set(app.told) == {"code", "state"}
    assert app.told["state"] == "state & more"
    token = asked.tokens(app.told["code"])["access_token"]
    senders = asked.get("/v3/senders", headers={"Authorization": f"Bearer {token}"})["senders"]
    assert [row["email"] for row in senders] == ["news@group.test"]


def test_an_error_page_leads_to_what_the_journal_tells(browser, asked):
    asked.advance("PT11M")
    browser.follow(ACCEPT)
    browser.see("main a")

    browser.follow("main a")

    assert "no grant awaits a decision" in browser.text("body")


# ---------------------------------------------------------------------- who may not


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
