"""`trace.html`, opened from a disk: readable in every look, alone, and with its links and choices at work."""

import pytest

from .test_views import _LOOKS, judged

pytestmark = [pytest.mark.browser, pytest.mark.slow]  # a browser is a program of its own


@pytest.fixture
def trace_url(story, tmp_path):
    file = tmp_path / "trace.html"
    file.write_text(story.control("GET", "/trace").text, encoding="utf-8")
    return file.as_uri()


def test_trace_opened_from_a_disk_is_accessible_in_each_look_and_quiet(browser, trace_url):
    assert judged(browser, trace_url, "trace", _LOOKS) == []
    assert [url for url in browser.requested() if url != trace_url] == []


def test_trace_whose_events_are_all_open_is_accessible(browser, trace_url, tmp_path):
    text = (tmp_path / "trace.html").read_text(encoding="utf-8")
    (tmp_path / "trace.html").write_text(text.replace("<details>", "<details open>"), encoding="utf-8")

    assert judged(browser, trace_url, "trace-open", _LOOKS) == []
    assert len(browser.all(".trace details[open]")) > 10


def test_a_link_of_a_trace_opens_the_event_to_which_it_leads(browser, trace_url):
    browser.open(trace_url)
    [first] = browser.see(".trace .mail:has(a[href^='#r-']) details")[:1]
    browser.script("arguments[0].open = true", first)
    link = first.find_element("css selector", "a[href^='#r-']")
    [target] = browser.all(f"[id='{link.get_attribute('href').partition('#')[2]}'] > details")
    assert target.get_attribute("open") is None

    link.click()

    browser.until(lambda: target.get_attribute("open"), "the event stays closed")


def test_kinds_of_a_trace_are_hidden_without_a_script(browser, trace_url):
    browser.driver.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": True})
    try:
        browser.open(trace_url)
        browser.click("#show-request")
        shown = [row.is_displayed() for row in browser.see(".trace .request")]
        others = [row.is_displayed() for row in browser.see(".trace .mail")]
    finally:
        browser.driver.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": False})

    assert (any(shown), all(others)) == (False, True)
