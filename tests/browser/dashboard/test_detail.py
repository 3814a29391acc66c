"""In a wide window, the page of a row stands beside its list."""

from urllib.parse import urlsplit

import pytest
from selenium.webdriver.common.keys import Keys

pytestmark = [pytest.mark.browser, pytest.mark.slow]  # a browser is a program of its own

ROWS = "#requests .row .to"


@pytest.fixture
def opened(browser, workspace):
    for name in ("first", "second"):
        workspace.call("POST", "/v3/senders", json={"name": name, "email": f"{name}@acme.test"})
    browser.open(workspace.page("requests?kinds=request"))
    browser.see(ROWS, count=2)
    return browser


def hashes(browser):
    return urlsplit(browser.driver.current_url).fragment


def detail(browser, words):
    return browser.until(lambda: words in browser.text("#detail"), f"the detail does not show {words!r}")


def test_a_click_shows_the_detail_beside_the_list_and_the_way_back_is_kept(opened):
    second, first = opened.all(ROWS)
    addresses = [urlsplit(row.get_attribute("href")).path.rpartition("/")[2] for row in (second, first)]

    second.click()
    detail(opened, "second@acme.test")
    assert addresses[0] in hashes(opened)
    first.click()
    detail(opened, "first@acme.test")
    opened.driver.back()
    detail(opened, "second@acme.test")
    opened.driver.forward()
    detail(opened, "first@acme.test")
    assert len(opened.all(".row[aria-current]")) == 1

    opened.driver.refresh()
    detail(opened, "first@acme.test")
    opened.press(Keys.ESCAPE)
    opened.until(lambda: not opened.all("#detail"), "it stays")
    assert hashes(opened) == ""


def test_keys_go_from_row_to_row_and_are_listed(opened):
    opened.press("j")
    detail(opened, "second@acme.test")
    opened.press("j")
    detail(opened, "first@acme.test")
    opened.press("k")
    detail(opened, "second@acme.test")
    opened.press("?")
    opened.see("#keys[open]")
    assert "next and previous row" in opened.text("#keys")


def test_a_narrow_window_shows_a_page_of_its_own(opened):
    opened.all(ROWS)[0].click()
    detail(opened, "second@acme.test")
    address = opened.driver.current_url
    with opened.looking(width=1024):
        opened.open(address)
        opened.until(lambda: "/requests/" in urlsplit(opened.driver.current_url).path, "the list stays")
        assert opened.text("main h1")


def test_the_detail_sends_a_request_again_and_its_links_lead_where_they_should(opened, workspace):
    opened.all(ROWS)[0].click()
    detail(opened, "second@acme.test")
    opened.click("#again .send button.main")
    opened.see("#again-answer h2")
    (link,) = opened.all("#again-answer a[href*='/_mock/ui/requests/']")[:1]
    assert link.get_attribute("href").startswith(workspace.page("requests/"))
    opened.see(ROWS, count=3)


def test_the_detail_is_kept_up_to_date(browser, workspace):
    workspace.control("PUT", "/clock", json={"frozen": True})
    workspace.control("PUT", "/receivers/shop", json={"status": 503})
    hook = {"url": f"{workspace.root}/_mock/receiver/shop", "events": ["delivered"]}
    workspace.call("POST", "/v3/webhooks", json=hook)
    workspace.control("POST", "/trigger", json={"event": "delivered", "to": "a@acme.test"})
    browser.open(workspace.page("requests?kinds=delivery"))
    browser.see(ROWS)[0].click()
    browser.see("#detail #attempts > li")

    (delivery,) = workspace.control("GET", "/deliveries").json()["items"]
    workspace.control("POST", f"/deliveries/{delivery['id']}/redeliver")

    browser.see("#detail #attempts > li", count=2)


@pytest.mark.parametrize("path", ["../mailbox/1.html", "/etc", "//elsewhere.test/", "https://elsewhere.test/"])
def test_a_hash_that_is_no_page_of_the_dashboard_shows_nothing(opened, workspace, path):
    opened.open(f"{workspace.page('requests')}#/{path}")
    opened.see(ROWS)
    opened.until(lambda: opened.text("#live") == "Live", "it does not listen")
    assert opened.all("#detail") == []
