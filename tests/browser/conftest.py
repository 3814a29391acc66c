"""A real browser, headless, that can reach nothing but loopback."""

import json
import shutil
from urllib.parse import urlsplit

import pytest
from selenium import webdriver
from selenium.webdriver.support.wait import WebDriverWait

_PROGRAMS = {name: shutil.which(name) for name in ("chromium", "chromedriver")}
_FLAGS = (
    "--headless=new",
    "--no-sandbox",  # CI runs as root
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--window-size=1400,1000",
    # Of itself it asks nobody anything.
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-default-apps",
    "--disable-extensions",
    "--disable-quic",
    "--disable-sync",
    "--no-proxy-server",
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
)


class Browser:
    """What the tests need of a browser: to open, to look, to click, and what it has logged and asked for."""

    def __init__(self, driver):
        self.driver = driver

    def open(self, url):
        """Go there, with empty logs."""
        self.driver.get("about:blank")
        self.console(), self.requested()
        self.driver.get(url)

    def all(self, selector):
        return self.driver.find_elements("css selector", selector)

    def see(self, selector, count=1):
        """The elements, as soon as there are at least so many of them."""
        return WebDriverWait(self.driver, 20).until(
            lambda _: found if len(found := self.all(selector)) >= count else None,
            f"{selector} does not appear",
        )

    def click(self, selector):
        (element,) = self.see(selector)
        self.driver.execute_script("arguments[0].scrollIntoView({block: 'center'})", element)
        element.click()

    def console(self):
        """What was written to the console since the last look, errors of the security policy included."""
        return [entry["message"] for entry in self.driver.get_log("browser")]

    def requested(self):
        """The addresses that were asked for since the last look, in their order; data: is no request."""
        messages = [json.loads(entry["message"])["message"] for entry in self.driver.get_log("performance")]
        urls = [row["params"]["request"]["url"] for row in messages if row["method"] == "Network.requestWillBeSent"]
        return [url for url in urls if urlsplit(url).scheme != "data"]


@pytest.fixture(scope="session")
def browser(tmp_path_factory):
    if missing := [name for name, path in _PROGRAMS.items() if path is None]:
        pytest.skip(f"needs {' and '.join(missing)}: Debian's packages chromium and chromium-driver")
    options = webdriver.ChromeOptions()
    options.binary_location = _PROGRAMS["chromium"]
    for flag in (*_FLAGS, f"--user-data-dir={tmp_path_factory.mktemp('profile')}"):
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    driver = webdriver.Chrome(options, webdriver.ChromeService(_PROGRAMS["chromedriver"]))
    try:
        yield Browser(driver)
    finally:
        driver.quit()
