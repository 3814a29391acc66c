"""The page "Webhooks" in a browser: what fails is seen, tried again and triggered, by keyboard."""

import itertools

import pytest
import requests
from axe_core import axe_core
from selenium.webdriver.common.keys import Keys

pytestmark = [pytest.mark.browser, pytest.mark.slow]  # a browser is a program of its own

_NAMES = (f"webhooks-{number}" for number in itertools.count(1))
_JUDGE = (
    "axe.run().then(found => arguments[0](found.violations.map(row => [row.id, row.nodes.map(node => node.html)])))"
)


class Workspace:
    """A workspace with a webhook that calls the receiver `shop`."""

    def __init__(self, root, made):
        self.root, self.key = made["url"].removesuffix("/v3"), made["api_key"]
        self.control("PUT", "/clock", {"frozen": True})
        hook = {"id": 7, "url": f"{self.root}/_mock/receiver/shop", "events": ["delivered", "opened", "request"]}
        self.control("POST", "/seed", {"webhooks": [hook]})

    def page(self, path=""):
        return f"{self.root}/_mock/ui/webhooks{path}"

    def control(self, method, path, body=None):
        answer = requests.request(method, f"{self.root}/_mock{path}", json=body, timeout=10)
        assert answer.ok, answer.text
        return answer.json()

    def fail(self):
        """Let a call fail twice, at once and after ten minutes."""
        self.control("PUT", "/receivers/shop", {"status": 429, "times": 2})
        self.control("POST", "/trigger", {"event": "delivered"})
        self.control("POST", "/clock/advance", {"by": "PT10M"})


@pytest.fixture(scope="module")
def module_root(module_serve):
    return module_serve("empty")


@pytest.fixture
def webhooks_workspace(module_root):
    made = requests.post(f"{module_root}/_mock/workspaces", json={"name": next(_NAMES)}, timeout=10).json()
    return Workspace(module_root, made)


def press(browser, selector, *keys):
    """Reach a control by the keyboard alone, and use it."""
    (wanted,) = browser.see(selector)
    for _ in range(200):
        if browser.focused == wanted:
            return browser.press(*keys)
        browser.press(Keys.TAB)
    raise AssertionError(f"{selector} is not reached by the keyboard")


def test_a_failed_call_is_tried_again_by_the_keyboard(browser, webhooks_workspace):
    webhooks_workspace.fail()
    browser.open(webhooks_workspace.page())
    assert "429, 429" in browser.text("#delivery-1")

    press(browser, "#delivery-1 a", Keys.ENTER)
    browser.see("#attempts li", 2)
    press(browser, "#advance .send button", Keys.ENTER)

    browser.see("#attempts li", 3)
    browser.until(lambda: "delivered" in browser.text("#what"))
    assert browser.all("#advance") == []
    assert browser.console() == []


def test_a_new_delivery_comes_by_itself_and_leaves_the_focus(browser, webhooks_workspace):
    webhooks_workspace.fail()
    browser.open(webhooks_workspace.page())
    browser.see("#delivery-1 a")[0].send_keys(Keys.NULL)
    browser.script("document.querySelector('#delivery-1 a').focus()")

    webhooks_workspace.control("POST", "/trigger", {"event": "opened"})

    browser.see("#delivery-2")
    assert browser.focused.text == "1 delivered"


def test_a_triggered_event_leads_to_its_deliveries(browser, webhooks_workspace):
    browser.open(webhooks_workspace.page("/trigger"))

    press(browser, "#trigger-event .send button", Keys.ENTER)

    browser.until(lambda: "It made one delivery:" in browser.text("section:has(#trigger-event) .made"))
    browser.follow(".made a")
    assert browser.text("h1") == "Delivery 1"


def test_an_event_without_a_listener_says_that_nothing_is_sent(browser, webhooks_workspace):
    browser.open(webhooks_workspace.page("/trigger?of=marketing-email"))

    press(browser, "#trigger-event .send button", Keys.ENTER)

    browser.until(lambda: "No webhook listens to that" in browser.text("section:has(#trigger-event) .made"))


def test_a_story_tells_when_its_calls_are_made(browser, webhooks_workspace):
    browser.open(webhooks_workspace.page("/trigger"))
    browser.see("[name=story]")[0].send_keys("delivered_opened")

    press(browser, "#trigger-story .send button", Keys.ENTER)

    browser.until(lambda: "It made 3 deliveries" in browser.text("section:has(#trigger-story) .made"))


def test_text_that_is_no_json_is_a_mistake_of_its_field(browser, webhooks_workspace):
    browser.open(webhooks_workspace.page("/trigger"))
    browser.see("[name=payload]")[0].send_keys("{oops")

    press(browser, "#trigger-event .send button", Keys.ENTER)

    assert "is no JSON" in browser.text(".mistake")
    assert browser.see("[name=payload]")[0].get_attribute("value") == "{oops"


def test_a_receiver_is_told_how_to_answer(browser, webhooks_workspace):
    browser.open(webhooks_workspace.page("/receivers/shop"))
    browser.see("#answer [name=status]")[0].send_keys("503")
    browser.see("#answer [name=times]")[0].send_keys("2")

    press(browser, "#answer .send button", Keys.ENTER)

    browser.until(lambda: "It answers 503 to the next 2 calls." in browser.text("#manner"))


@pytest.mark.parametrize(("scheme", "width"), [("light", 1400), ("dark", 1400), ("light", 320), ("dark", 320)])
@pytest.mark.parametrize("path", ["", "/1", "/list", "/trigger", "/receivers", "/receivers/shop"])
def test_everybody_can_use_the_page(browser, webhooks_workspace, path, scheme, width):
    webhooks_workspace.fail()
    with browser.looking(scheme, width):
        browser.open(webhooks_workspace.page(path))
        browser.see("h1")
        browser.script(axe_core())
        assert browser.driver.execute_async_script(_JUDGE) == []
        assert browser.script("return document.documentElement.scrollWidth <= document.documentElement.clientWidth")
    assert browser.console() == []
