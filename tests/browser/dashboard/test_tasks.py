"""Ten tasks of users, each from the front of the mock in at most three clicks, by mouse and by keyboard only."""

import pytest
from selenium.webdriver.common.keys import Keys

from .hands import Keyboard, Mouse

pytestmark = [pytest.mark.browser, pytest.mark.slow]  # a browser is a program of its own

#: The most links, buttons and fields that a task may take.
MOST = 3


@pytest.fixture(params=[Mouse, Keyboard], ids=["mouse", "keyboard"])
def hands(browser, request):
    yield request.param(browser, MOST)
    assert browser.console() == []


@pytest.fixture
def front(browser, workspace):
    """A workspace whose front is opened, once something has happened there."""
    workspace.control("PUT", "/clock", json={"frozen": True})

    def open_front(path=None):
        browser.open(path or f"{workspace.root}/")
        browser.see("h1")
        return workspace

    workspace.open_front = open_front
    return workspace


def shows(browser, selector, *texts):
    """Wait until an element says all of these texts."""
    browser.until(lambda: all(text in browser.text(selector) for text in texts), f"{selector} does not say {texts}")


SENDER = {"name": "Jo", "email": "jo@acme.test"}


def test_why_a_request_was_refused(browser, front, hands):
    front.call("POST", "/v3/senders", json={"name": "Jo", "email": "jo"})
    front.open_front()

    shows(browser, "#requests", "400", "createSender", "invalid field `email` in the body")


def test_the_code_of_the_mail_to_somebody(browser, front, hands):
    number = front.call("POST", "/v3/senders", json=SENDER).json()["id"]
    code = front.control("GET", f"/machines/sender/{number}").json()["otp"]
    front.open_front()

    hands.follow("Mail")

    shows(browser, "#rows > :first-child", "jo@acme.test", f"code {code}")


@pytest.fixture
def failed(front):
    """A workspace with a webhook call that has failed, and is made again later."""
    front.control("PUT", "/receivers/shop", json={"status": 429, "times": 1})
    hook = {"url": f"{front.root}/_mock/receiver/shop", "events": ["delivered"], "description": "Orders"}
    front.control("POST", "/seed", json={"webhooks": [hook]})
    front.control("POST", "/trigger", json={"event": "delivered", "to": "jo@acme.test"})
    front.control("POST", "/clock/advance", json={"by": "PT1S"})  # waits for the answer of the receiver
    (delivery,) = front.control("GET", "/deliveries").json()["items"]
    front.next_at = delivery["next_at"].replace("T", " ")[:19]
    return front


def test_which_webhook_failed_and_when_it_is_called_next(browser, failed, hands):
    failed.open_front()

    hands.follow("Webhooks")

    shows(browser, "#rows", "retrying", "Orders", "429", "next in ")


def test_advance_to_the_next_attempt(browser, failed, hands):
    failed.open_front()

    hands.follow("Webhooks")
    hands.follow("delivered")
    hands.push("Advance to the next attempt")

    shows(browser, "#said", f"{failed.next_at}: 1 timer fired")
    shows(browser, "#what", "delivered", "200")


def test_the_next_request_of_an_operation_fails_with_429(browser, front, hands):
    front.open_front()

    hands.follow("Faults and DNS")
    hands.choose("Operation", "createSender")
    hands.push("429 rate limited")

    shows(browser, "#rules", "rate_limited", "createSender, once")
    assert front.call("POST", "/v3/senders", json=SENDER).status_code == 429
    assert front.call("POST", "/v3/senders", json=SENDER).status_code == 201


def test_what_would_verify_a_domain(browser, front, hands):
    front.call("POST", "/v3/senders/domains", json={"name": "new.test"})
    front.open_front()

    hands.search("new.test")
    hands.follow("new.test")

    shows(browser, "main", "brevo_code", "missing", "authenticateDomain")


def test_what_caused_a_mail(browser, front, hands):
    front.call("POST", "/v3/senders", json=SENDER)
    front.open_front()

    hands.follow("Mail")
    hands.follow("Verify your sender")

    shows(browser, "#detail", "createSender 201")


def test_the_requests_of_a_test(browser, server_url, make_workspace, front, hands):
    other = make_workspace("w-5d3f", label="tests/test_shop.py::test_order_is_mailed")
    other.call("GET", "/v3/account")
    front.open_front(f"{server_url}/")

    hands.search("test_order_is_mailed")
    hands.follow("w-5d3f")

    shows(browser, "#requests", "getAccount")


@pytest.fixture
def drop_in_the_end(store):
    """Drops workspaces when the console has been read: a page of a workspace that is gone says so there."""
    names = []
    yield names.append
    for name in names:
        store.drop(store.get(name))


def test_the_world_into_another_workspace(browser, front, drop_in_the_end, hands):
    front.call("POST", "/v3/senders", json=SENDER)
    front.open_front()

    hands.unfold("Workspace")
    hands.follow("Keys and actions")
    hands.leave(lambda: hands.push("Duplicate workspace"))

    name = browser.driver.current_url.rpartition("/")[2]
    assert name != front.name
    drop_in_the_end(name)
    senders = front.http.get(f"{front.server}/w/{name}/_mock/machines/sender", timeout=30).json()["items"]
    assert "jo@acme.test" in [row["email"] for row in senders]


def test_a_request_is_sent_again_with_another_body(browser, front, hands):
    front.call("POST", "/v3/senders", json={"name": "Jo", "email": "jo"})
    front.open_front()

    hands.follow("createSender")
    hands.unfold("Edit and send")
    browser.until(lambda: browser.focused.get_attribute("name") == "body", "the body is not ready to be edited")
    browser.focused.send_keys(Keys.CONTROL, "a")
    browser.press('{"name": "Jo", "email": "jo@acme.test"}')
    hands.push("Send")

    shows(browser, "#again-answer", "201")
