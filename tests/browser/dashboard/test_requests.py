"""The page "Requests" in a browser: lines that come by themselves, filters, and a request that is let go."""

import threading
from contextlib import suppress

import pytest
from selenium.webdriver.common.keys import Keys

pytestmark = [pytest.mark.browser, pytest.mark.slow]  # a browser is a program of its own


def reads(browser, selector, words):
    browser.until(lambda: words in browser.text(selector), f"{selector} does not say {words!r}")


def hangs(workspace):
    """A request that hangs: who sends it, its thread, and its id."""
    got = []
    client = threading.Thread(
        target=lambda: got.append(
            workspace.http.get(
                f"{workspace.root}/v3/account", headers={"api-key": workspace.key, "X-Mock-Fault": "hang"}, timeout=30
            )
        )
    )
    client.start()
    (held,) = workspace.control("GET", "/requests?held=true&wait=20").json()["items"]
    return got, client, held["id"]


def gives_up(workspace):
    """A request that ends without an answer."""
    with suppress(OSError):
        workspace.call("GET", "/v3/account")


def test_the_first_request_comes_in_the_place_of_how_to_send_one(browser, workspace):
    browser.open(workspace.page("requests"))
    reads(browser, "#requests-none", "No request yet")

    workspace.call("GET", "/v3/sendrs")

    reads(browser, "#requests > li", "did you mean GET /v3/senders")
    assert browser.text("#requests-none") == ""
    assert browser.console() == []


def test_a_filter_is_set_by_keyboard_and_holds_for_what_comes(browser, workspace):
    workspace.call("GET", "/v3/account")
    browser.open(workspace.page("requests"))
    (field,) = browser.see("[name=status]")
    field.send_keys("4xx")
    browser.follow("[name=status]", Keys.ENTER)
    assert browser.all("#requests > li") == []

    workspace.call("GET", "/v3/account")
    workspace.call("GET", "/v3/nowhere")

    reads(browser, "#requests > li", "404")
    assert len(browser.all("#requests > li")) == 1


def test_a_request_that_hangs_is_answered_by_keyboard(browser, workspace):
    got, client, identifier = hangs(workspace)
    browser.open(workspace.page(f"requests/{identifier}"))
    reads(browser, "#outcome", "the client waits")

    (button,) = browser.see("#outcome form.control .send button")
    button.send_keys(Keys.ENTER)

    reads(browser, "#outcome", "200")
    reads(browser, "#answer", "members")
    client.join(20)
    assert got[0].status_code == 200
    assert browser.console() == []


def test_a_client_that_leaves_is_told_from_one_that_waits(browser, workspace):
    workspace.control("POST", "/faults", json={"fault": "hang", "ms": 1500})
    client = threading.Thread(target=lambda: gives_up(workspace))
    client.start()
    workspace.control("GET", "/requests?held=true&wait=20")

    browser.open(workspace.page("requests"))

    reads(browser, "#requests > li", "held")
    reads(browser, "#requests > li", "no answer")
    client.join(20)
