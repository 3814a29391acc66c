"""The search in the header, by keyboard."""

import pytest
from selenium.webdriver.common.keys import Keys

pytestmark = [pytest.mark.browser, pytest.mark.slow]  # a browser is a program of its own


def test_slash_leads_to_the_search_and_tab_to_the_first_result(browser, workspace):
    workspace.call("GET", "/v3/account")
    browser.open(workspace.page("clock"))
    browser.see("#search")

    browser.press("/")
    browser.press("getAccount")
    browser.press(Keys.ENTER)
    browser.see(".hits")

    browser.press(Keys.TAB)
    assert browser.focused.text == "GET getAccount"
    assert browser.script("return scrollY") == 0


def test_slash_stays_a_letter_where_somebody_types(browser, workspace):
    browser.open(workspace.page("requests"))
    (field,) = browser.see("input[name=q][list]")
    field.send_keys("/v3")

    assert field.get_attribute("value") == "/v3"


def test_a_search_needs_no_scripts(browser, workspace):
    workspace.call("GET", "/v3/account")
    browser.driver.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": True})
    try:
        browser.open(workspace.page("mail"))
        browser.follow("#search", "getAccount", Keys.ENTER)
        assert "GET getAccount" in browser.text(".hits")
    finally:
        browser.driver.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": False})
