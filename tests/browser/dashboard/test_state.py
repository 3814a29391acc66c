"""The text area of the page "State", as somebody uses it whose workspace is used by others as well."""

import pytest
from selenium.webdriver.common.keys import Keys

AREA = "#text"
#: A clock that stands, and a sender.
SCENARIO = {
    "clock": {"start": "2026-01-15T09:00:00Z", "frozen": True},
    "senders": [{"id": 1, "name": "News", "email": "news@acme.test", "state": "verified"}],
}
pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.workspace(scenario=SCENARIO)]


def add_sender(workspace):
    """Change the state as another user."""
    assert workspace.call("POST", "/v3/senders", json={"name": "Other", "email": "other@acme.test"}).ok


def state(workspace):
    return workspace.control("GET", "/state").json()


def senders(workspace):
    return [row["name"] for row in state(workspace)["accounts"][0]["senders"]]


@pytest.fixture
def change(browser, workspace):
    """The workspace, with its state open in the text area."""
    browser.open(workspace.page("state/change"))
    browser.until(lambda: browser.script("return document.querySelector('.edited .numbers').textContent"))
    yield workspace
    assert browser.console() == []
    browser.script("sessionStorage.clear()")


def text(browser):
    return browser.script("return document.querySelector('#text').value")


def rewrite(browser, old, new):
    """Change the text as typing does."""
    code = """
        const area = document.querySelector("#text");
        const at = area.value.indexOf(arguments[0]);
        area.focus();
        area.setSelectionRange(at, at + arguments[0].length);
        document.execCommand("insertText", false, arguments[1]);
    """
    assert old in text(browser)
    browser.script(code, old, new)


def said(browser, part):
    browser.until(lambda: part in browser.text("#outcome"), f"it does not say {part!r}")


def sees_a_change(browser):
    browser.see("#changed:not([hidden])")


def test_a_changed_text_becomes_the_state(browser, change):
    rewrite(browser, "name: News", "name: Letters")
    browser.click("form.document .send button")

    said(browser, "Done.")
    assert senders(change) == ["Letters"]


def test_a_mistake_leads_to_its_line_and_changes_nothing(browser, change):
    before = state(change)
    rewrite(browser, "email: news@acme.test", "emial: news@acme.test")
    browser.click("form.document .send button")
    said(browser, "Nothing has changed")
    (link,) = (row for row in browser.see("#mistakes li") if "unknown key" in row.text)
    link.find_element("css selector", "a").send_keys(Keys.ENTER)

    assert browser.focused.get_attribute("id") == "text"
    chosen = browser.script(
        "const a = document.querySelector('#text'); return a.value.slice(a.selectionStart, a.selectionEnd)"
    )
    assert "emial" in chosen
    number = 1 + text(browser).split("\n").index(chosen)
    assert f"▸ {number}\n" in browser.script("return document.querySelector('.edited .numbers').textContent")
    assert state(change) == before
    browser.console()  # which tells of the answer 400


def test_tab_leaves_the_text_area(browser, change):
    browser.script("document.querySelector('#text').focus()")

    browser.press(Keys.TAB)

    assert browser.focused.text == "Save and apply"


def test_a_text_that_nobody_has_changed_follows_the_state(browser, change):
    add_sender(change)

    browser.until(lambda: "other@acme.test" in text(browser))
    assert not browser.see("#changed")[0].is_displayed()


def test_a_typed_text_stays_when_the_state_changes_and_the_difference_is_shown(browser, change):
    rewrite(browser, "name: News", "name: Letters")
    add_sender(change)
    sees_a_change(browser)

    assert "+     email: other@acme.test" in browser.text("#difference")
    assert "name: Letters" in text(browser)
    assert "other@acme.test" not in text(browser)


def test_a_text_that_is_kept_can_be_put_back_over_what_has_changed(browser, change):
    rewrite(browser, "name: News", "name: Letters")
    add_sender(change)
    sees_a_change(browser)
    browser.click("[data-do=keep]")
    browser.click("form.document .send button")

    said(browser, "Done.")
    assert senders(change) == ["Letters"]


def test_a_text_that_was_replaced_can_be_brought_back(browser, change):
    rewrite(browser, "name: News", "name: Letters")
    add_sender(change)
    sees_a_change(browser)
    browser.click("[data-do=take]")
    assert "other@acme.test" in text(browser)
    assert "name: Letters" not in text(browser)

    browser.click("[data-do=back]")

    assert "name: Letters" in text(browser)


def test_a_typed_text_outlives_a_reload(browser, change):
    rewrite(browser, "name: News", "name: Letters")
    browser.driver.refresh()

    browser.until(lambda: "name: Letters" in text(browser))
    browser.click("[data-do=discard]")
    assert "name: News" in text(browser)


def test_after_a_reload_the_page_says_that_the_state_has_changed(browser, change):
    rewrite(browser, "name: News", "name: Letters")
    browser.driver.get("about:blank")
    add_sender(change)
    browser.driver.get(change.page("state/change"))

    sees_a_change(browser)
    assert "other@acme.test" in browser.text("#difference")
    assert "name: Letters" in text(browser)


def test_a_typed_text_stays_while_the_server_is_out_of_reach(browser, change):
    rewrite(browser, "name: News", "name: Letters")
    network = {"offline": True, "latency": 0, "downloadThroughput": -1, "uploadThroughput": -1}
    browser.driver.execute_cdp_cmd("Network.enable", {})
    browser.driver.execute_cdp_cmd("Network.emulateNetworkConditions", network)
    browser.click("form.document .send button")
    said(browser, "Nothing that you typed is lost")
    browser.driver.execute_cdp_cmd("Network.emulateNetworkConditions", network | {"offline": False})
    assert "name: Letters" in text(browser)

    browser.click("form.document .send button")

    said(browser, "Done.")
    assert senders(change) == ["Letters"]
    browser.console()  # which tells of the lost calls


def test_a_typed_text_stays_when_the_workspace_is_dropped(browser, change):
    rewrite(browser, "name: News", "name: Letters")
    change.drop()
    browser.click("form.document .send button")

    said(browser, "unknown workspace")
    assert "name: Letters" in text(browser)
    browser.console()  # which tells of the answers 404


def test_added_senders_follow_existing_senders(browser, workspace):
    browser.open(workspace.page("state/add"))
    browser.see(AREA)[0].send_keys("senders:\n- {name: More, email: more@acme.test}")
    browser.click("form.document .send button")

    said(browser, "Done.")
    assert senders(workspace) == ["News", "More"]


def test_text_of_a_chosen_file_replaces_the_text_until_it_is_sent(browser, workspace, tmp_path):
    file = tmp_path / "state.yaml"
    file.write_text("senders:\n- {name: From a file, email: file@acme.test, state: verified}\n", encoding="utf-8")
    browser.open(workspace.page("state/change"))
    browser.see("#file")[0].send_keys(str(file))
    browser.until(lambda: "From a file" in browser.script("return document.querySelector('#text').value"))
    assert [row["name"] for row in state(workspace)["accounts"][0]["senders"]] == ["News"]

    browser.click("#document .send button")

    browser.until(lambda: browser.text("#outcome") == "Done.")
    assert [row["name"] for row in state(workspace)["accounts"][0]["senders"]] == ["From a file"]
    assert browser.console() == []
