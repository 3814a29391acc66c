"""The whole story by keyboard only: a sender is made and validated, a webhook fails twice, half a day goes by."""

import pytest

from .hands import Keyboard

pytestmark = [pytest.mark.browser, pytest.mark.slow]  # a browser is a program of its own


@pytest.fixture
def keys(browser):
    return Keyboard(browser)


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
    browser.until(lambda: "made" in browser.text("#trigger-event .outcome"), "nothing is triggered")

    # Half a day later it has come through.
    keys.follow("Clock")
    keys.write("By", "PT12H")
    keys.push("Advance")
    browser.until(lambda: browser.text("#advance-by .outcome") not in ("", "Sent, and waiting for the answer."))
    keys.follow("Webhooks")
    keys.follow("delivered")
    browser.until(lambda: browser.text("main").count("429") >= 2, "it has not failed twice")
    browser.until(lambda: browser.all("main .badge.ok"), "it does not come through")

    # What all this has met.
    keys.follow("Coverage")
    assert "%" in browser.text("main")
    assert browser.console() == []
