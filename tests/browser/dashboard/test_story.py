"""The whole story by keyboard only: a sender is made and validated, a webhook fails twice, half a day goes by."""

import pytest
from selenium.webdriver.common.keys import Keys

pytestmark = [pytest.mark.browser, pytest.mark.slow]  # a browser is a program of its own

#: More than any page has places where the focus stops.
_STOPS = 200


@pytest.fixture
def keys(browser):
    return Keyboard(browser)


class Keyboard:
    """Somebody who has no mouse."""

    def __init__(self, browser):
        self._browser = browser

    def reach(self, words, tag=None):
        """Go on with Tab to what has these words for a name, and give it."""
        for _ in range(_STOPS):
            self._browser.press(Keys.TAB)
            found = self._browser.focused
            if (tag is None or found.tag_name == tag) and words in (found.accessible_name or ""):
                assert self._browser.script(_IS_OUTLINED), f"nobody sees that {words} has the focus"
                return found
        raise AssertionError(f"the keyboard does not reach {words!r} on a page that says {self._browser.text('main')}")

    def follow(self, words):
        """Follow the link of these words."""
        self.reach(words, "a")
        before = self._browser.driver.current_url
        self._browser.press(Keys.ENTER)
        self._browser.until(lambda: self._browser.driver.current_url != before, f"{words} leads nowhere")
        self._browser.see("h1")

    def push(self, words):
        self.reach(words, "button")
        self._browser.press(Keys.ENTER)

    def write(self, words, text):
        """Fill the field of these words; what stands in it is selected when the focus comes by Tab."""
        self.reach(words, "input")
        self._browser.press(text)

    def choose(self, words, beginning):
        """Choose what begins like this out of the list of these words."""
        self.reach(words, "select")
        self._browser.press(beginning)


_IS_OUTLINED = """
const style = getComputedStyle(document.activeElement);
return style.outlineStyle !== "none" && parseFloat(style.outlineWidth) >= 1;
"""


def test_keyboard_user_follows_a_sender_from_creation_to_delivery(browser, workspace, keys):
    workspace.control("PUT", "/clock", json={"frozen": True})
    workspace.control("PUT", "/receivers/shop", json={"status": 429, "times": 2})
    hook = {"id": 7, "url": f"{workspace.root}/_mock/receiver/shop", "events": ["delivered"]}
    workspace.control("POST", "/seed", json={"webhooks": [hook]})
    browser.open(workspace.page())
    browser.see("h1")

    # A sender is made by a program, and its request comes.
    made = workspace.call("POST", "/v3/senders", json={"name": "Jo", "email": "jo@acme.test"}).json()
    browser.see("#requests > [id^=r-]")
    keys.follow("createSender")
    assert "201" in browser.text("main")

    # Its code stands in the mail.
    keys.follow("Mail")
    keys.follow("Verify your sender")
    code = browser.text(".code-of-mail code")
    assert code.isdigit()

    # The transition is seen when the program sends the code.
    keys.follow("Resources")
    keys.follow("Senders")
    workspace.call("PUT", f"/v3/senders/{made['id']}/validate", json={"otp": int(code)})
    browser.until(lambda: "verified" in browser.text(f"#instance-{made['id']}"), "its state stays")

    # The webhook fails twice.
    keys.follow("Webhooks")
    keys.follow("Trigger an event")
    keys.choose("Event", "deliv")
    keys.write("To", "jo@acme.test")
    keys.push("Trigger the event")
    browser.until(lambda: "Done" in browser.text("#trigger-event .outcome"), "nothing is triggered")

    # Half a day later it has come through.
    keys.follow("Clock")
    keys.write("By", "PT12H")
    keys.push("Advance")
    browser.until(lambda: browser.text("#advance-by .outcome") not in ("", "Sent, and waiting for the answer."))
    keys.follow("Webhooks")
    keys.follow("1 delivered")
    browser.until(lambda: browser.text("main").count("429") >= 2, "it has not failed twice")
    browser.until(lambda: browser.all("main .badge.ok"), "it does not come through")

    # What all this has met.
    keys.follow("Coverage")
    assert "%" in browser.text("main")
    assert browser.console() == []
