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


def test_a_wrong_password_is_told_and_the_right_one_goes_on(browser, form):
    browser.open(form.authorize())
    sign_in(browser, "boss@group.test", "wrong horse")

    assert browser.text("[role=alert]") == "The e-mail or the password is wrong."
    assert browser.driver.title.startswith("Error: ")
    assert browser.all("#user")[0].get_attribute("value") == "boss@group.test"
    assert browser.all("#password")[0].get_attribute("value") == ""

    sign_in(browser, "boss@group.test", "right horse")

    assert browser.text("main strong") == "boss@group.test"


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


def test_refusing_needs_no_mouse(browser, asked, app):
    browser.press(Keys.TAB, Keys.TAB)
    assert browser.focused.text == "Refuse"
    browser.press(Keys.SPACE)

    browser.see("#app")
    assert app.told["error"] == "access_denied"


def test_the_form_goes_from_field_to_field_to_button(browser, form):
    browser.open(form.authorize())

    order = []
    for _ in range(3):
        browser.press(Keys.TAB)
        order.append(browser.focused.get_attribute("id") or browser.focused.text)

    assert order == ["user", "password", "Sign in"]


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_focus_is_seen(browser, workspace, scheme):
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


def test_markup_in_a_state_and_in_names_is_text(browser, story, make_workspace, app):
    story["oauth_apps"][0]["name"] = "<img src=x onerror=alert(1)>"
    workspace = make_workspace()
    state = "\"'><script>alert(1)</script>"
    browser.open(workspace.authorize(state=state))
    browser.follow(BOSS)

    assert browser.text("h1") == "<img src=x onerror=alert(1)> asks for access"
    assert browser.all("img") + browser.all("script") == []
    browser.follow(ACCEPT)
    browser.see("#app")
    assert app.told["state"] == state


def test_the_header_says_that_this_is_a_mock_and_which_workspace(browser, workspace):
    browser.open(workspace.authorize())

    name = workspace.root.rpartition("/")[2]
    assert browser.text("header") == f"This is a mock server, workspace {name}. Nothing here is real."
