"""The page "Machines" in a browser: drawings that follow what happens, and events by keyboard."""

import pytest
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.keys import Keys

pytestmark = [pytest.mark.browser, pytest.mark.slow]  # a browser is a program of its own


@pytest.fixture
def sender(workspace):
    """A sender that waits for its code: the number and the address of its page."""
    made = workspace.call("POST", "/v3/senders", json={"name": "Jo", "email": "jo@acme.test"}).json()
    return made["id"], workspace.page(f"machines/sender/{made['id']}")


def press(browser, selector):
    """Use a button by the keyboard."""
    (button,) = browser.see(selector)
    button.send_keys(Keys.ENTER)


def reads(browser, selector, words):
    browser.until(lambda: words in browser.text(selector), f"{selector} does not say {words!r}")


def test_a_transition_lights_up_on_all_machines(browser, workspace, sender):
    key, _ = sender
    browser.open(workspace.page("machines?tab=machine"))
    reads(browser, "#machine-sender .lit .event", "create")

    workspace.control("POST", f"/machines/sender/{key}/verify")

    reads(browser, "#machine-sender .lit .event", "verify")
    reads(browser, "#machine-sender p", f"Last: verify of {key}")


def test_an_instance_comes_into_the_list(browser, workspace):
    browser.open(workspace.page("machines/sender"))
    before = len(browser.see("#instances > [id^=instance-]"))

    workspace.call("POST", "/v3/senders", json={"name": "Jo", "email": "jo@acme.test"})

    browser.see("#instances > [id^=instance-]", count=before + 1)
    assert "jo@acme.test" in browser.text("#instances-titles + .row")


def test_an_event_is_fired_by_keyboard_and_the_focus_stays_there(browser, sender):
    _, page = sender
    browser.open(page)

    press(browser, "#fire-verify .send button")

    reads(browser, "#state", "It is verified")
    reads(browser, "#history > :first-child", "awaiting_verification → verified")
    reads(browser, "#event-verify", "does not apply in this state")
    assert browser.focused.text == "verify"
    assert browser.console() == []


def test_an_instance_is_deleted_only_when_that_is_confirmed(browser, workspace, sender):
    key, page = sender
    browser.open(page)
    press(browser, "#fire-delete .send button")
    browser.driver.switch_to.alert.dismiss()
    press(browser, "#fire-delete .send button")
    assert workspace.control("GET", f"/machines/sender/{key}").ok

    browser.driver.switch_to.alert.accept()

    reads(browser, "#state", "It is gone")
    reads(browser, "#history > :first-child", "gone")


def test_the_arrow_is_not_moved_where_motion_is_not_wanted(browser, sender):
    _, page = sender
    browser.open(f"{page}?tab=machine")
    browser.see(".lit")
    ask = "return getComputedStyle(document.querySelector('.lit')).animationName"
    wanted = browser.script(ask)
    media = browser.driver.execute_cdp_cmd
    media("Emulation.setEmulatedMedia", {"features": [{"name": "prefers-reduced-motion", "value": "reduce"}]})
    try:
        assert (wanted, browser.script(ask)) == ("lit", "none")
    finally:
        media("Emulation.setEmulatedMedia", {"features": []})


_BROKEN = """
return [...document.querySelectorAll("td")].filter((cell) => {
  const words = document.createRange();
  words.selectNodeContents(cell);
  return !cell.textContent.includes(" ") && new Set([...words.getClientRects()].map((line) => line.top)).size > 1;
}).map((cell) => cell.textContent);
"""


def test_a_table_breaks_no_word(browser, sender):
    _, page = sender
    with browser.looking(width=700):
        browser.open(f"{page}?tab=machine")
        browser.see("td")

        assert browser.script(_BROKEN) == []


def test_a_moment_says_how_long_ago_it_was_when_it_is_pointed_at(browser, make_workspace):
    workspace = make_workspace()
    workspace.control("PUT", "/clock", json={"frozen": True})
    workspace.call("POST", "/v3/senders", json={"name": "A", "email": "a@acme.test"})
    workspace.control("POST", "/clock/advance", json={"by": "PT3H"})
    browser.open(workspace.page("mail"))
    (moment,) = browser.see("#rows time")

    ActionChains(browser.driver).move_to_element(moment).perform()

    browser.until(lambda: moment.get_attribute("title").endswith(" UTC · 3 h ago"), "the title stays")
