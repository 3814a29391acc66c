"""The page "Clock" in a browser, by keyboard alone."""

from contextlib import closing

import pytest
from selenium.webdriver.common.keys import Keys
from webhook_receiver import WebhookReceiver

pytestmark = [pytest.mark.browser, pytest.mark.slow]  # a browser is a program of its own

SCENARIO = {
    "clock": {"start": "2026-01-15T09:00:00Z", "frozen": True},
    "senders": [
        {"id": 1, "name": "A", "email": "a@acme.test", "state": "awaiting_verification", "otp_expires_at": "PT15M"},
        {"id": 2, "name": "B", "email": "b@acme.test", "state": "awaiting_verification", "otp_expires_at": "PT2H"},
    ],
}


@pytest.fixture
def opened(browser, make_workspace):
    """A workspace whose page "Clock" is open."""
    workspace = make_workspace(scenario=SCENARIO)
    browser.open(workspace.page("clock"))
    browser.see("#due > li", count=2)
    yield workspace
    assert browser.console() == []


@pytest.fixture
def receiver():
    with closing(WebhookReceiver()) as found:
        yield found


def press(browser, selector):
    (button,) = browser.see(selector)
    button.send_keys(Keys.ENTER)


def shows(browser, selector, text):
    browser.until(lambda: text in browser.text(selector), f"{selector} does not say {text!r}")


def test_the_clock_is_moved_to_the_next_timer_and_what_happened_is_told(browser, opened):
    press(browser, "#advance-next .send button")

    shows(browser, "#now", "2026-01-15 09:15:00")
    shows(browser, "#moved", "One thing was due on the way.")
    assert "expire_otp of sender 1" in browser.text("#moved")
    browser.until(lambda: len(browser.all("#due > li")) == 1)


def test_the_clock_is_moved_to_a_timer_of_the_list(browser, opened):
    second = browser.all("#due > li")[1].find_element("css selector", ".send button")
    second.send_keys(Keys.ENTER)

    shows(browser, "#now", "2026-01-15 11:00:00")
    shows(browser, "#moved", "2 things were due on the way.")
    browser.until(lambda: not browser.all("#due > li"))


def test_button_unfreezes_the_clock(browser, opened):
    press(browser, "#thaw .send button")

    shows(browser, "#manner", "Running")
    assert not opened.control("GET", "/clock").json()["frozen"]


def test_a_running_clock_goes_on_without_asking_the_server(browser, make_workspace):
    workspace = make_workspace(scenario={"clock": {"start": "2026-01-15T09:00:00Z"}})
    browser.open(workspace.page("clock"))
    browser.until(lambda: any("/_mock/stream" in url for url in browser.requested()), "the page does not listen")
    before = browser.text("#now")

    browser.until(lambda: browser.text("#now") != before, "the clock stands")

    assert browser.requested() == []


def test_while_a_move_waits_for_an_answer_the_page_says_so(browser, opened, receiver):
    receiver.answers = ["hold"]
    opened.control("POST", "/seed", json={"webhooks": [{"url": receiver.url, "events": ["delivered"]}]})
    opened.control("POST", "/trigger", json={"event": "delivered", "to": "jo@acme.test"})

    press(browser, "#advance-PT1M .send button")

    shows(browser, "#under-way", "1 call under way")
    receiver.lets_go.set()
    shows(browser, "#moved", "The clock shows 2026-01-15 09:01:00. Nothing was due on the way.")
    browser.until(lambda: browser.text("#under-way") == "")


def test_what_is_due_is_the_first_thing_in_view(browser, opened):
    for width in (1366, 320):
        with browser.looking(width=width):
            assert browser.see("#due > li", count=2)[0].rect["y"] < 450


def test_a_typed_length_is_previewed_and_may_have_spaces(browser, opened):
    (field,) = browser.see("#advance-by input[name=by]")
    field.clear()
    field.send_keys("1h 59m")
    shows(browser, "#preview", "1 timer is due by 2026-01-15 10:59:00")

    field.send_keys(Keys.ENTER)

    shows(browser, "#now", "2026-01-15 10:59:00")


def test_the_button_in_the_header_tells_how_many_timers_it_has_fired(browser, opened):
    browser.open(opened.page("mail"))
    browser.click("[data-advance]")
    shows(browser, "#said", "2026-01-15 09:15:00: 1 timer fired")
