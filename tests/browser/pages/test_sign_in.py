"""The pages to sign in and to consent, as somebody uses them with a keyboard, a password, and eyes."""

from urllib.parse import urlsplit

import pytest
from selenium.webdriver.common.keys import Keys

pytestmark = [pytest.mark.browser, pytest.mark.slow]  # a browser is a program of its own

BOSS, ACCEPT = "button[value$=' boss@group.test']", "button[value=accept]"


@pytest.fixture
def form(make_workspace):
    """A workspace that asks for passwords."""
    return make_workspace(behaviour={"oauth_login": "form"})


def sign_in(browser, email, password):
    """Fill in the form, and send it with Enter."""
    (user,) = browser.see("#user")
    user.clear()
    user.send_keys(email)
    browser.follow("#password", password, Keys.ENTER)


# ---------------------------------------------------------------------- passwords


def test_the_page_asks_for_both_before_it_sends_anything(browser, form):
    browser.open(form.authorize())
    browser.requested()

    browser.click("button")

    assert browser.focused.get_attribute("id") == "user"
    assert browser.requested() == []


def test_the_password_stays_with_the_mock(browser, form, app):
    browser.open(form.authorize())
    sign_in(browser, "boss@group.test", "right horse")
    browser.follow(ACCEPT)
    browser.see("#app")

    assert [url for url in browser.requested() if "horse" in url] == []
    assert set(app.told) == {"code", "state"}


# ---------------------------------------------------------------------- the keyboard


def test_picking_and_accepting_need_no_mouse(browser, workspace, app):
    browser.open(workspace.authorize())
    browser.press(Keys.TAB)
    assert browser.focused.text.startswith("boss@group.test")
    browser.press(Keys.ENTER)
    browser.see(ACCEPT)
    browser.press(Keys.TAB)
    assert browser.focused.text == "Accept"
    browser.press(Keys.ENTER)

    browser.see("#app")
    assert "code" in app.told


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_focused_button_has_a_visible_outline(browser, workspace, scheme):
    browser.open(workspace.authorize())
    with browser.looking(scheme):
        browser.press(Keys.TAB)
        style, width = browser.script(
            "const found = getComputedStyle(document.activeElement); return [found.outlineStyle, found.outlineWidth]"
        )

    assert (style, width) == ("solid", "3px")


# ---------------------------------------------------------------------- the pages' manners


def test_nobody_but_the_mock_and_the_app_is_asked_for_anything(browser, workspace, app):
    browser.open(workspace.authorize())
    browser.follow(BOSS)
    browser.follow(ACCEPT)
    browser.see("#app")

    origins = {f"{parts.scheme}://{parts.netloc}" for parts in map(urlsplit, browser.requested())}
    assert origins == {app.root, workspace.root.partition("/w/")[0]}
    assert browser.console() == []
