"""The page "Faults and DNS" in a browser, by keyboard alone."""

import json
import re

import pytest
from selenium.webdriver.common.keys import Keys

pytestmark = [pytest.mark.browser, pytest.mark.slow]  # a browser is a program of its own


@pytest.fixture
def opened(browser, make_workspace):
    """A workspace whose page "Faults and DNS" is open."""
    workspace = make_workspace(scenario={"domains": [{"name": "acme.test", "state": "authenticated"}]})
    browser.open(workspace.page("faults"))
    browser.until(lambda: browser.text("#says"), "the form is not fitted")
    yield workspace
    assert browser.console() == []


def choose(browser, selector, text):
    """Choose an option by typing its name."""
    (field,) = browser.see(selector)
    field.send_keys(text)
    browser.until(lambda: field.get_attribute("value") == text, f"{text} cannot be chosen")


def offered(browser, selector):
    return browser.script(
        "return [...document.querySelector(arguments[0]).options].filter(row => !row.disabled).map(row => row.value)",
        selector,
    )


def visible_fields(browser):
    fields = browser.all("#add-rule fieldset [name]")
    return {field.get_attribute("name") for field in fields if field.is_displayed()}


def test_the_form_offers_what_the_operation_can_give_and_what_the_fault_takes(browser, opened):
    assert "dns_failure" in offered(browser, "#fault")

    choose(browser, "#operation", "validateSenderByOtp")

    assert {"otp_expired", "latency"} <= set(offered(browser, "#fault"))
    assert "dns_failure" not in offered(browser, "#fault")
    assert "OTP code has expired" in offered(browser, "[name=code]")
    assert "not_enough_credits" not in offered(browser, "[name=code]")

    choose(browser, "#fault", "latency")

    assert browser.text("#says") == "The answer comes late."
    assert {"ms", "distribution.type"} <= visible_fields(browser)
    assert not {"code", "message", "reset_s", "distribution.sigma"} & visible_fields(browser)

    choose(browser, "[name='distribution.type']", "lognormal")

    assert {"distribution.median_ms", "distribution.sigma"} <= visible_fields(browser)
    assert "ms" not in visible_fields(browser)


def test_a_fault_that_no_longer_fits_gives_way_to_one_that_does(browser, opened):
    choose(browser, "#fault", "dns_failure")

    choose(browser, "#operation", "getSenders")

    assert browser.script("return document.getElementById('fault').value") == "error"


def test_the_call_is_shown_as_curl_while_it_is_written_and_made_as_shown(browser, opened):
    choose(browser, "#operation", "validateSenderByOtp")
    choose(browser, "#fault", "otp_expired")
    browser.see("#which summary")[0].send_keys(Keys.ENTER)
    browser.see("[name='match.path.senderId']")[0].send_keys("2")
    browser.see("#add-rule details.curl > summary")[0].send_keys(Keys.ENTER)
    body = json.loads(re.search("-d '(.*)'", browser.text("#add-rule details.curl code"))[1])

    browser.see("#add-rule .send button")[0].send_keys(Keys.ENTER)

    browser.see("#rules > li")
    (rule,) = opened.control("GET", "/faults").json()["items"]
    match = {"operation": "validateSenderByOtp", "path": {"senderId": "2"}}
    assert body == {"fault": "otp_expired", "match": match, "times": 1}
    assert body.items() <= rule.items()


def test_hits_are_seen_as_they_come_and_a_rule_is_removed(browser, opened):
    opened.control("POST", "/faults", json={"fault": "server_error", "times": 1})
    opened.call("GET", "/v3/senders")

    browser.until(lambda: "spent" in browser.text("#rules"), "the hit is not seen")
    assert "1 hit" in browser.text("#rules")

    browser.see("#rules .send button")[0].send_keys(Keys.ENTER)
    browser.until(lambda: not browser.all("#rules > li"), "the rule stays")


def test_a_record_is_turned_and_the_domain_follows(browser, opened):
    choose(browser, "#domains [name=dkim_record]", "wrong")
    browser.see("#domains .send button")[0].send_keys(Keys.ENTER)

    browser.until(lambda: "verified at acme" in browser.text("#domains"), "the domain does not follow")
    assert "authenticateDomain would answer 400: dkim_record is wrong." in browser.text("#domains")


def test_success_is_told_with_a_link_to_the_new_rule(browser, workspace):
    browser.open(workspace.page("faults"))
    browser.click("#add-rule .send button.main")
    browser.until(lambda: browser.text("#said").startswith("Rule added: "))

    browser.click("#said a")

    (rule,) = browser.see("#rules > li")
    assert browser.driver.current_url.endswith(f"#{rule.get_attribute('id')}")


def test_a_usual_fault_takes_one_button_and_leaves_the_other_fields_out(browser, workspace):
    browser.open(workspace.page("faults?operation=getAccount"))
    browser.driver.find_element("css selector", "button[value=server_error]").click()
    browser.see("#rules > li")

    (rule,) = workspace.control("GET", "/faults").json()["items"]
    assert (rule["fault"], rule["match"], rule["times"]) == ("server_error", {"operation": "getAccount"}, 1)
