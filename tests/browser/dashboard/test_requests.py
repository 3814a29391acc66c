"""The page "Timeline" in a browser: lines that come by themselves, filters, and a request that is let go."""

import threading
from contextlib import suppress

import pytest
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.keys import Keys

ROWS = "#requests > [id^=r-]"
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

    reads(browser, ROWS, "did you mean GET /v3/senders")
    assert browser.text("#requests-none") == ""
    assert browser.console() == []


def test_a_filter_is_set_by_keyboard_and_holds_for_what_comes(browser, workspace):
    workspace.call("GET", "/v3/account")
    browser.open(workspace.page("requests"))
    (field,) = browser.see("#filter [name=q]")
    field.send_keys("status:4xx")
    browser.follow("#filter [name=q]", Keys.ENTER)
    assert browser.all(ROWS) == []

    workspace.call("GET", "/v3/account")
    workspace.call("GET", "/v3/nowhere")

    reads(browser, ROWS, "404")
    assert len(browser.all(ROWS)) == 1


def test_a_request_that_hangs_is_answered_by_keyboard(browser, workspace):
    got, client, identifier = hangs(workspace)
    browser.open(workspace.page(f"requests/{identifier}"))
    reads(browser, "#outcome", "the client waits")

    (button,) = browser.see("#outcome form.control .send button")
    button.send_keys(Keys.ENTER)

    reads(browser, "#outcome", "200")
    reads(browser, "#answer", "fields")
    client.join(20)
    assert got[0].status_code == 200
    assert browser.console() == []


def test_a_client_that_leaves_is_told_from_one_that_waits(browser, workspace):
    workspace.control("POST", "/faults", json={"fault": "hang", "ms": 1500})
    client = threading.Thread(target=lambda: gives_up(workspace))
    client.start()
    workspace.control("GET", "/requests?held=true&wait=20")

    browser.open(workspace.page("requests"))

    reads(browser, ROWS, "held")
    reads(browser, ROWS, "no answer")
    client.join(20)


def test_rows_stay_under_the_pointer_and_new_ones_are_counted(browser, workspace):
    for _ in range(3):
        workspace.call("GET", "/v3/account")
    browser.open(workspace.page("requests"))
    row = browser.see(ROWS, count=3)[1]
    place, numbers = row.location, browser.text("#kinds")
    ActionChains(browser.driver).move_to_element(row).move_by_offset(3, 1).perform()

    for name in ("nowhere", "elsewhere"):
        workspace.call("GET", f"/v3/{name}")

    reads(browser, ".pill", "Paused, 2 new")
    assert (len(browser.all(ROWS)), row.location, browser.text("#kinds")) == (3, place, numbers)
    ActionChains(browser.driver).move_to_element(browser.see("h1")[0]).perform()
    browser.see(ROWS, count=5)
    assert browser.all(".pill") == []
    assert browser.console() == []


_FETCHES = "return performance.getEntriesByType('resource').filter(entry => entry.name === location.href).length"


def test_numbers_above_a_list_that_was_read_are_right_again_when_the_pointer_leaves(browser, workspace):
    workspace.call("POST", "/v3/senders", json={"name": "Jo", "email": "jo@acme.test"})
    browser.open(workspace.page("requests?kinds=mail"))
    assert "Control calls 1" in browser.text("#kinds")  # which made the workspace
    (row,) = browser.see("#requests > [id^=m-]")
    ActionChains(browser.driver).move_to_element(row).move_by_offset(3, 1).perform()
    workspace.control("POST", "/faults", json={"fault": "server_error"})
    browser.until(lambda: browser.script(_FETCHES) > 0, "the page is not fetched again")
    assert "Control calls 1" in browser.text("#kinds")

    ActionChains(browser.driver).move_to_element(browser.see("h1")[0]).perform()

    reads(browser, "#kinds", "Control calls 2")


def test_events_of_each_kind_come_by_themselves(browser, make_workspace):
    hook = {"id": 1, "url": "http://127.0.0.1:9/hook", "events": ["delivered"]}
    workspace = make_workspace(
        scenario={"clock": {"start": "2026-01-15T09:00:00Z", "frozen": True}, "webhooks": [hook]}
    )
    browser.open(workspace.page("requests"))
    reads(browser, "#live", "Live")

    workspace.call("POST", "/v3/senders", json={"name": "Jo", "email": "jo@acme.test"})
    workspace.control("POST", "/trigger", json={"event": "delivered"})
    workspace.control("POST", "/clock/advance", json={"by": "PT15M"})

    for kind in "rcmtd":
        browser.see(f"#requests > [id^={kind}-]")
    assert browser.console() == []


def test_a_toggle_hides_a_kind_without_a_script(browser, workspace):
    workspace.call("POST", "/v3/senders", json={"name": "Jo", "email": "jo@acme.test"})
    browser.driver.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": True})
    try:
        browser.open(workspace.page("requests"))
        browser.see("#requests > [id^=m-]")
        browser.see("#kinds a")[3].click()
        browser.until(lambda: browser.all("#requests > [id^=m-]") == [])
        assert browser.all(ROWS)
    finally:
        browser.driver.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": False})


def test_a_list_that_is_scrolled_goes_on_by_its_button(browser, workspace):
    for number in range(120):
        workspace.call("GET", f"/v3/senders/{number}")
    browser.open(workspace.page("requests"))
    browser.see(ROWS, count=120)
    browser.script("scrollTo(0, 800)")
    row = browser.all(ROWS)[60]
    before = browser.script("return arguments[0].getBoundingClientRect().top", row)

    workspace.call("GET", "/v3/nowhere")

    reads(browser, ".pill", "Paused, 1 new")
    assert browser.script("return arguments[0].getBoundingClientRect().top", row) == before
    browser.see(".pill")[0].click()
    browser.see(ROWS, count=121)
    assert browser.script("return scrollY") == 0


def test_eighteen_requests_fit_on_a_screen(browser, workspace):
    for _ in range(40):
        workspace.call("GET", "/v3/account")
    browser.driver.execute_cdp_cmd(
        "Emulation.setDeviceMetricsOverride", {"width": 1366, "height": 850, "deviceScaleFactor": 1, "mobile": False}
    )
    try:
        browser.open(workspace.page("requests"))
        bottoms = [row.rect["y"] + row.rect["height"] for row in browser.see(ROWS, count=40)]
    finally:
        browser.driver.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
    assert sum(bottom <= 850 for bottom in bottoms) >= 18


def test_first_request_is_in_view_on_a_small_screen(browser, workspace):
    workspace.call("GET", "/v3/account")
    with browser.looking(width=320):
        browser.open(workspace.page("requests"))
        assert browser.see(ROWS)[0].rect["y"] < 400  # of 640


def test_header_advances_the_clock(browser, make_workspace):
    workspace = make_workspace(scenario={"clock": {"start": "2026-01-15T09:00:00Z", "frozen": True}})
    browser.open(workspace.page("requests"))
    reads(browser, "#hour", "2026-01-15 09:00:00 UTC, frozen")
    reads(browser, "#live", "Live")

    browser.click("[data-advance]")

    reads(browser, "#hour", "2026-01-15 09:15:00 UTC, frozen")


def test_switcher_finds_another_workspace(browser, make_workspace):
    make_workspace("shop-staging")
    browser.open(make_workspace("here").page("clock"))
    browser.click("#switcher summary")
    browser.until(lambda: browser.focused.tag_name == "input", "the field is not focused")
    browser.focused.send_keys("SHOP")
    browser.until(lambda: [row.text for row in browser.all("#switcher li")] == ["shop-staging"])

    browser.follow("#switcher li a")

    assert browser.driver.current_url.endswith("/w/shop-staging/_mock/ui/clock")


def test_switcher_shows_how_tests_ended(browser, make_workspace):
    for name, outcome in (("w-red", "failed"), ("w-green", "passed")):
        workspace = make_workspace(name)
        workspace.http.patch(f"{workspace.server}/_mock/workspaces/{name}", json={"outcome": outcome}, timeout=10)
    browser.open(make_workspace().page("requests"))
    browser.click("#switcher summary")
    browser.until(lambda: browser.focused.get_attribute("name") == "name", "the field has no focus")
    browser.press("failed")
    browser.until(lambda: [row.text for row in browser.all("#switcher li")] == ["w-red failed"])


def test_switcher_finds_a_workspace_by_its_label(browser, make_workspace):
    make_workspace("w-f2a1", label="tests/test_shop.py::test_order_is_mailed")
    browser.open(make_workspace().page("requests"))
    browser.click("#switcher summary")
    browser.until(lambda: browser.focused.get_attribute("name") == "name", "the field has no focus")
    browser.press("order_is_mailed")
    browser.until(lambda: [row.text.split()[0] for row in browser.all("#switcher li")] == ["w-f2a1"])
