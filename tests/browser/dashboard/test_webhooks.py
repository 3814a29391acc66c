"""The page "Webhooks" in a browser: what fails is seen, tried again and triggered, by keyboard."""

import pytest
from selenium.webdriver.common.keys import Keys

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.workspace(scenario="empty")]


@pytest.fixture
def hooked(workspace):
    """A workspace with a webhook that calls the receiver `shop`."""
    workspace.control("PUT", "/clock", json={"frozen": True})
    hook = {"id": 7, "url": f"{workspace.root}/_mock/receiver/shop", "events": ["delivered", "opened", "request"]}
    workspace.control("POST", "/seed", json={"webhooks": [hook]})
    return workspace


def fail(workspace):
    """Let a call fail twice: at once and after ten minutes."""
    workspace.control("PUT", "/receivers/shop", json={"status": 429, "times": 2})
    workspace.control("POST", "/trigger", json={"event": "delivered"})
    workspace.control("POST", "/clock/advance", json={"by": "PT10M"})


def press(browser, selector, *keys):
    """Reach a control by the keyboard alone, and use it."""
    (wanted,) = browser.see(selector)
    for _ in range(200):
        if browser.focused == wanted:
            return browser.press(*keys)
        browser.press(Keys.TAB)
    raise AssertionError(f"{selector} is not reached by the keyboard")


def test_a_failed_call_is_tried_again_by_the_keyboard(browser, hooked):
    fail(hooked)
    browser.open(hooked.page("webhooks"))
    assert "429, 429" in browser.text("#delivery-1")

    press(browser, "#delivery-1 a", Keys.ENTER)
    browser.see("#attempts li", 2)
    press(browser, "#advance .send button", Keys.ENTER)

    browser.see("#attempts li", 3)
    browser.until(lambda: "delivered" in browser.text("#what"))
    assert browser.all("#advance") == []
    assert browser.console() == []


def test_an_attempt_that_fails_again_is_told_as_that(browser, hooked):
    fail(hooked)
    hooked.control("PUT", "/receivers/shop", json={"status": 429})
    browser.open(hooked.page("webhooks/1"))
    browser.click("#redeliver .send button")

    browser.until(lambda: "Attempt 3: 429, next in" in browser.text("#said.warn"), "the effect is not told")


def test_a_new_delivery_comes_by_itself_and_leaves_the_focus(browser, hooked):
    fail(hooked)
    browser.open(hooked.page("webhooks"))
    browser.see("#delivery-1 a")[0].send_keys(Keys.NULL)
    browser.script("document.querySelector('#delivery-1 a').focus()")

    hooked.control("POST", "/trigger", json={"event": "opened"})

    browser.see("#delivery-2")
    assert browser.focused.text == "delivered"


def test_a_triggered_event_leads_to_its_deliveries(browser, hooked):
    browser.open(hooked.page("webhooks/trigger"))

    press(browser, "#trigger-event .send button", Keys.ENTER)

    browser.until(lambda: "It made one delivery:" in browser.text("section:has(#trigger-event) .made"))
    browser.follow(".made a")
    assert browser.text("h1") == "Delivery 1"


def test_an_event_without_a_listener_says_that_nothing_is_sent(browser, hooked):
    browser.open(hooked.page("webhooks/trigger?of=marketing-email"))

    press(browser, "#trigger-event .send button", Keys.ENTER)

    browser.until(lambda: "No webhook listens to that" in browser.text("section:has(#trigger-event) .made"))


def test_text_that_is_no_json_is_a_mistake_of_its_field(browser, hooked):
    browser.open(hooked.page("webhooks/trigger"))
    browser.see("[name=payload]")[0].send_keys("{oops")

    press(browser, "#trigger-event .send button", Keys.ENTER)

    assert "is no JSON" in browser.text(".mistake")
    assert browser.see("[name=payload]")[0].get_attribute("value") == "{oops"


def test_a_receiver_is_told_how_to_answer(browser, hooked):
    browser.open(hooked.page("webhooks/receivers/shop"))
    browser.see("#answer [name=status]")[0].send_keys("503")
    browser.see("#answer [name=times]")[0].send_keys("2")

    press(browser, "#answer .send button", Keys.ENTER)

    browser.until(lambda: "It answers 503 to the next 2 calls." in browser.text("#manner"))


def test_the_list_and_the_next_attempt_are_in_view_on_a_small_screen(browser, hooked):
    fail(hooked)
    with browser.looking(width=320):
        browser.open(hooked.page("webhooks"))
        assert browser.see("#delivery-1")[0].rect["y"] < 500  # of 640
        assert "next in " in browser.text("#delivery-1")
