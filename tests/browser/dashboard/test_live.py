"""Pages keep up with the workspace: they say what has become of it, lose nothing that was typed, and come back."""

import pytest
from ports import free_port
from selenium.webdriver.common.action_chains import ActionChains

from mockserver import Settings, create_app
from mockserver.app.runtime import Runtime
from mockserver.web.server.server import bind

pytestmark = [pytest.mark.browser, pytest.mark.slow]  # a browser is a program of its own

TYPED = "PT1H23M"
FIELD = "#advance-by input[name=by]"
SAID = "#connection"


def mail_to(workspace, name):
    assert workspace.call("POST", "/v3/senders", json={"name": name, "email": f"{name}@acme.test"}).ok


def says(browser, words):
    return browser.until(lambda: words in browser.text(SAID), f"the page does not say {words!r}")


def is_silent(browser):
    return browser.until(lambda: not browser.text(SAID), "the page goes on to say something")


def type_into(browser, selector, text):
    (field,) = browser.see(selector)
    field.clear()
    field.send_keys(text)
    return field


def subjects(browser):
    return [row.text for row in browser.all("#rows > li")]


def test_page_shows_changes_by_other_users(browser, workspace):
    browser.open(workspace.page("mail"))
    browser.see("h1")
    mail_to(workspace, "first")
    (row,) = browser.see("#rows > li")

    mail_to(workspace, "second")

    browser.see("#rows > li", count=2)
    assert "first@acme.test" in row.text  # the row that was there is the same element still


def test_two_people_in_two_windows_see_what_each_does(browser, workspace):
    workspace.control("PUT", "/clock", json={"frozen": True})
    browser.open(workspace.page("clock"))
    browser.see("#thaw")
    first = browser.driver.current_window_handle
    browser.driver.switch_to.new_window("window")
    try:
        browser.driver.get(workspace.page("clock"))
        browser.click("#thaw .send button")
        browser.see("#freeze")
    finally:
        browser.driver.close()
        browser.driver.switch_to.window(first)

    browser.see("#freeze")


def test_a_reset_while_somebody_types_takes_nothing_away(browser, workspace):
    mail_to(workspace, "first")
    browser.open(workspace.page("clock"))
    type_into(browser, FIELD, TYPED)
    workspace.control("POST", "/reset", json={"scenario": "empty"})
    browser.until(lambda: "timer" not in browser.text("#due-title + #line"), "the timers stay")

    assert browser.see(FIELD)[0].get_attribute("value") == TYPED
    is_silent(browser)


def test_a_workspace_that_is_dropped_is_told_and_comes_back_under_its_name(browser, workspace):
    browser.open(workspace.page("clock"))
    type_into(browser, FIELD, TYPED)

    workspace.drop()
    says(browser, f"nknown workspace '{workspace.name}'")
    assert browser.see(FIELD)[0].get_attribute("value") == TYPED

    workspace.http.post(f"{workspace.server}/_mock/workspaces", json={"name": workspace.name}, timeout=30)
    is_silent(browser)
    assert browser.see(FIELD)[0].get_attribute("value") == TYPED


def test_a_server_that_stops_is_told_and_its_pages_come_back_with_it(browser):
    port = free_port()
    serve_until(lambda root: _open_and_type(browser, root), port)
    says(browser, "The server does not answer.")

    browser.see("#advance-by .send button")[0].click()
    browser.until(lambda: "Nothing that you typed is lost" in browser.text("#advance-by .outcome"))
    assert browser.see(FIELD)[0].get_attribute("value") == TYPED

    serve_until(lambda _: is_silent(browser), port)
    assert browser.see(FIELD)[0].get_attribute("value") == TYPED


def _open_and_type(browser, root):
    browser.open(f"{root}/_mock/ui/clock")
    type_into(browser, FIELD, TYPED)


def serve_until(done, port):
    """Run a server at a port until something is done there."""
    runtime = Runtime(create_app(Settings()), bind("127.0.0.1", port))
    runtime.start()
    try:
        done(runtime.url)
    finally:
        runtime.stop()


#: Makes a page believe that it is hidden, or seen: a browser without a screen never hides one.
_HIDE = """
Object.defineProperty(document, "hidden", {configurable: true, get: () => arguments[0]});
document.dispatchEvent(new Event("visibilitychange"));
"""


def test_a_page_that_is_hidden_lets_go_of_its_stream_and_catches_up_when_it_is_seen(browser, workspace, store):
    watchers = store.get(workspace.name).watchers
    browser.open(workspace.page("mail"))
    browser.until(lambda: len(watchers) == 1, "it does not watch")

    browser.script(_HIDE.replace("arguments[0]", "true"))
    browser.until(lambda: len(watchers) == 0, "it still watches")
    mail_to(workspace, "meanwhile")
    assert subjects(browser) == []

    browser.script(_HIDE.replace("arguments[0]", "false"))
    browser.see("#rows > li")


def test_a_mistake_stands_at_its_field_and_what_was_typed_stays(browser, workspace):
    browser.open(workspace.page("clock"))
    field = type_into(browser, FIELD, "tomorrow")
    browser.click("#advance-by .send button")
    browser.see("#advance-by .mistake")

    described = field.get_attribute("aria-describedby").split()
    assert any("mistake" in name for name in described)
    assert (field.get_attribute("value"), field.get_attribute("aria-invalid")) == ("tomorrow", "true")


def test_a_session_that_has_ended_is_told_with_the_way_to_sign_in(browser):
    runtime = Runtime(create_app(Settings(control_token="sesame")), bind("127.0.0.1", 0))
    runtime.start()
    try:
        browser.open(f"{runtime.url}/_mock/ui/clock")
        browser.see("input[name=token]")[0].send_keys("open\n")
        browser.see("#wrong")
        browser.see("input[name=token]")[0].send_keys("sesame\n")
        type_into(browser, FIELD, TYPED)
        browser.click("#freeze .send button")
        browser.see("#thaw")

        browser.driver.delete_all_cookies()
        browser.click("#thaw .send button")
        browser.until(lambda: "token" in browser.text("#thaw .outcome"))
        assert browser.see(FIELD)[0].get_attribute("value") == TYPED
    finally:
        runtime.stop()


_COUNT_ANSWERS = """
const asked = window.fetch;
window.answers = 0;
window.fetch = (...options) => asked(...options).finally(() => (window.answers += 1));
"""


def test_a_click_reaches_a_button_that_a_fresh_page_replaces_meanwhile(browser, workspace):
    workspace.control("PUT", "/clock", json={"now": "2027-01-15T09:00:00Z"})
    browser.open(workspace.page("clock"))
    (button,) = browser.see("#freeze .send button")
    browser.until(lambda: browser.text("#live") == "Live", "the page does not listen")
    browser.script(_COUNT_ANSWERS)

    ActionChains(browser.driver).click_and_hold(button).perform()
    workspace.control("PUT", "/clock", json={"now": "2027-01-16T09:00:00Z"})  # the words beside the button change
    browser.until(lambda: browser.script("return window.answers"), "the page is not fetched")
    ActionChains(browser.driver).release().perform()

    browser.until(lambda: workspace.control("GET", "/clock").json()["frozen"], "the click is lost")
    browser.until(lambda: "Frozen" in browser.text("#manner"), "the page does not go on")
