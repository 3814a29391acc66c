"""The text area of the page "State", as somebody uses it whose workspace is used by others as well."""

import itertools

import pytest
import requests
from axe_core import axe_core
from selenium.webdriver.common.keys import Keys

pytestmark = [pytest.mark.browser, pytest.mark.slow]  # a browser is a program of its own

AREA = "#text"
#: A clock that stands, and a sender.
SCENARIO = {
    "clock": {"start": "2026-01-15T09:00:00Z", "frozen": True},
    "senders": [{"id": 1, "name": "News", "email": "news@acme.test", "state": "verified"}],
}
_NAMES = (f"state-{number}" for number in itertools.count(1))
_JUDGE = (
    "axe.run().then(found => arguments[0](found.violations.map(row => [row.id, row.nodes.map(node => node.html)])))"
)


class Workspace:
    def __init__(self, root, key):
        self.root = root
        self.key = key

    def page(self, path=""):
        return f"{self.root}/_mock/ui/state{path}"

    def state(self):
        return requests.get(f"{self.root}/_mock/state", timeout=10).json()

    def add_sender(self):
        """What somebody else does meanwhile."""
        body = {"name": "Other", "email": "other@acme.test"}
        assert requests.post(f"{self.root}/v3/senders", json=body, headers={"api-key": self.key}, timeout=10).ok


@pytest.fixture(scope="module")
def module_root(module_serve):
    return module_serve("empty")


@pytest.fixture
def state_workspace(module_root):
    body = {"scenario": SCENARIO, "name": next(_NAMES)}
    made = requests.post(f"{module_root}/_mock/workspaces", json=body, timeout=10).json()
    return Workspace(made["url"].removesuffix("/v3"), made["api_key"])


@pytest.fixture
def change(browser, state_workspace):
    """The page where the state is changed, open, and the workspace."""
    browser.open(state_workspace.page("/change"))
    browser.until(lambda: browser.script("return document.querySelector('.edited .numbers').textContent"))
    yield state_workspace
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


def send(browser):
    browser.click("form.document .send button")


def said(browser, part):
    browser.until(lambda: part in browser.text("#outcome"), f"it does not say {part!r}")


def sees_a_change(browser):
    browser.see("#changed:not([hidden])")


def test_a_changed_text_becomes_the_state(browser, change):
    rewrite(browser, "name: News", "name: Letters")
    send(browser)

    said(browser, "Done.")
    assert change.state()["accounts"][0]["senders"][0]["name"] == "Letters"


def test_a_mistake_leads_to_its_line_and_changes_nothing(browser, change):
    before = change.state()
    rewrite(browser, "email: news@acme.test", "emial: news@acme.test")
    send(browser)
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
    assert change.state() == before
    browser.console()  # which tells of the answer 400


def test_tab_leaves_the_text_area(browser, change):
    browser.script("document.querySelector('#text').focus()")

    browser.press(Keys.TAB)

    assert browser.focused.text == "Put it back"


def test_a_text_that_nobody_has_changed_follows_the_state(browser, change):
    change.add_sender()

    browser.until(lambda: "other@acme.test" in text(browser))
    assert not browser.see("#changed")[0].is_displayed()


def test_a_typed_text_stays_when_the_state_changes_and_the_difference_is_shown(browser, change):
    rewrite(browser, "name: News", "name: Letters")
    change.add_sender()
    sees_a_change(browser)

    assert "+     email: other@acme.test" in browser.text("#difference")
    assert "name: Letters" in text(browser)
    assert "other@acme.test" not in text(browser)


def test_a_text_that_is_kept_can_be_put_back_over_what_has_changed(browser, change):
    rewrite(browser, "name: News", "name: Letters")
    change.add_sender()
    sees_a_change(browser)
    browser.click("[data-do=keep]")
    send(browser)

    said(browser, "Done.")
    assert [row["name"] for row in change.state()["accounts"][0]["senders"]] == ["Letters"]


def test_a_text_that_was_replaced_can_be_brought_back(browser, change):
    rewrite(browser, "name: News", "name: Letters")
    change.add_sender()
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
    change.add_sender()
    browser.driver.get(change.page("/change"))

    sees_a_change(browser)
    assert "other@acme.test" in browser.text("#difference")
    assert "name: Letters" in text(browser)


def test_a_typed_text_stays_while_the_server_is_out_of_reach(browser, change):
    rewrite(browser, "name: News", "name: Letters")
    network = {"offline": True, "latency": 0, "downloadThroughput": -1, "uploadThroughput": -1}
    browser.driver.execute_cdp_cmd("Network.enable", {})
    browser.driver.execute_cdp_cmd("Network.emulateNetworkConditions", network)
    send(browser)
    said(browser, "Nothing that you typed is lost")
    browser.driver.execute_cdp_cmd("Network.emulateNetworkConditions", network | {"offline": False})
    assert "name: Letters" in text(browser)

    send(browser)

    said(browser, "Done.")
    assert change.state()["accounts"][0]["senders"][0]["name"] == "Letters"
    browser.console()  # which tells of the lost calls


def test_a_typed_text_stays_when_the_workspace_is_dropped(browser, change):
    rewrite(browser, "name: News", "name: Letters")
    server, name = change.root.split("/w/")
    assert requests.delete(f"{server}/_mock/workspaces/{name}", timeout=10).ok
    send(browser)

    said(browser, "unknown workspace")
    assert "name: Letters" in text(browser)
    browser.console()  # which tells of the answers 404


def test_what_is_added_comes_behind_what_is_there(browser, state_workspace):
    browser.open(state_workspace.page("/add"))
    browser.see(AREA)[0].send_keys("senders:\n- {name: More, email: more@acme.test}")
    send(browser)

    said(browser, "Done.")
    assert [row["name"] for row in state_workspace.state()["accounts"][0]["senders"]] == ["News", "More"]


@pytest.mark.parametrize(("scheme", "width"), [("light", 1400), ("dark", 320), ("light", 320)])
@pytest.mark.parametrize("path", ["", "/change", "/add", "/scenarios", "/scenarios/onboarding"])
def test_a_page_is_for_everybody(browser, state_workspace, path, scheme, width):
    """No rule of axe-core's is broken, and nobody has to scroll sideways."""
    with browser.looking(scheme, width):
        browser.open(state_workspace.page(path))
        browser.script(axe_core())
        assert browser.driver.execute_async_script(_JUDGE) == []
        assert browser.script("return document.documentElement.scrollWidth") <= width
