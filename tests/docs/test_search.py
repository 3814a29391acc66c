"""The search of the site answers, from the disk as well: no server, no network."""

import shutil
from importlib.util import find_spec

import pytest
from selenium import webdriver
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.wait import WebDriverWait

pytestmark = [
    pytest.mark.slow,
    pytest.mark.browser,
    pytest.mark.skipif(find_spec("sphinx") is None, reason="needs the extra `docs`"),
    pytest.mark.skipif(
        shutil.which("chromium") is None or shutil.which("chromedriver") is None,
        reason="needs chromium and chromedriver",
    ),
]

#: What somebody types, and the page that has the answer.
_QUESTIONS = {
    "expire code": "howto/one-time-codes.html",
    "webhook never comes": "trouble.html",
    "coverage fail": "howto/coverage.html",
    "clock frozen": "trouble.html",
    "docker localhost webhook": "trouble.html",
    "parallel tests": "howto/parallel-tests.html",
    "proxy": "trouble.html",
    "django": "guides/django.html",
    "vitest": "guides/node.html",
    "upgrade": "support.html",
    "outage": "howto/faults.html",
    "retry webhook 429": "howto/webhooks.html",
}
#: So many results are seen without scrolling.
_SEEN = 8


@pytest.fixture(scope="module")
def driver():
    options = webdriver.ChromeOptions()
    options.binary_location = shutil.which("chromium")
    for flag in ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-proxy-server",
                 "--window-size=1400,1000",  # a narrow window hides the field behind a button
                 "--host-resolver-rules=MAP * ~NOTFOUND"):  # fmt: skip
        options.add_argument(flag)
    driver = webdriver.Chrome(options=options, service=webdriver.ChromeService(shutil.which("chromedriver")))
    yield driver
    driver.quit()


@pytest.mark.parametrize(("question", "page"), _QUESTIONS.items())
def test_a_question_is_answered_two_clicks_away(question, page, site, driver):
    driver.get((site / "index.html").as_uri())
    field = driver.find_element("css selector", ".sidebar-search")
    field.send_keys(question, Keys.ENTER)
    WebDriverWait(driver, 20, poll_frequency=0.05).until(
        lambda _: any("found" in found.text for found in driver.find_elements("css selector", ".search-summary"))
    )

    results = [found.get_attribute("href") for found in driver.find_elements("css selector", "#search-results li > a")]

    assert [result for result in results[:_SEEN] if f"/{page}" in result], results[:_SEEN]
