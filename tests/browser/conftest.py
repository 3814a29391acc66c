"""A real browser, headless, that can reach nothing but loopback."""

import json
import shutil
from contextlib import contextmanager
from urllib.parse import urlsplit

import pytest
from selenium import webdriver
from selenium.common.exceptions import TimeoutException, WebDriverException
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.support import expected_conditions
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
    # A page of a public and of a private name, both on loopback.
    "--host-resolver-rules=MAP page.example.com 127.0.0.1, MAP app.test 127.0.0.1, MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
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
        return self.until(
            lambda: found if len(found := self.all(selector)) >= count else None,
            f"{selector} does not appear",
        )

    def until(self, found, complaint="it does not come", seconds=20):
        """What is found, as soon as anything is; while one page makes room for another, looking can fail."""
        wait = WebDriverWait(self.driver, seconds, poll_frequency=0.05, ignored_exceptions=[WebDriverException])
        try:
            return wait.until(lambda _: found())
        except TimeoutException:
            shown = self.script("return document.body.innerText")
            pytest.fail(f"{complaint}; {self.driver.current_url} shows:\n{shown}")

    def click(self, selector):
        (element,) = self.see(selector)
        self.driver.execute_script("arguments[0].scrollIntoView({block: 'center'})", element)
        element.click()

    def follow(self, selector, *keys):
        """Click there, or type that, and wait until the page is gone."""
        (element,) = self.see(selector)
        element.send_keys(*keys) if keys else self.click(selector)
        gone = expected_conditions.staleness_of(element)
        self.until(lambda: gone(self.driver), "the page stays")

    def press(self, *keys):
        """Use the keyboard, wherever the focus is."""
        ActionChains(self.driver).send_keys(*keys).perform()

    @property
    def focused(self):
        return self.driver.switch_to.active_element

    def text(self, selector):
        """What the one element of this kind says."""
        (element,) = self.see(selector)
        return element.text

    def script(self, code, *arguments):
        return self.driver.execute_script(code, *arguments)

    @contextmanager
    def tab(self):
        """Another tab, beside the one that was there."""
        first = self.driver.current_window_handle
        self.driver.switch_to.new_window("tab")
        try:
            yield
        finally:
            self.driver.close()
            self.driver.switch_to.window(first)

    @contextmanager
    def looking(self, scheme="light", width=1400):
        """As somebody sees it who has asked for this colour scheme, and whose window is so many pixels wide."""
        feature = {"name": "prefers-color-scheme", "value": scheme}
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [feature]})
        self.resize(width)
        try:
            yield
        finally:
            self.driver.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
            self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})

    def resize(self, width):
        """Make the window so many pixels wide, within `looking`."""
        size = {"width": width, "height": 800, "deviceScaleFactor": 1, "mobile": False}
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)

    def console(self):
        """What was written to the console since the last look, errors of the security policy included."""
        return [entry["message"] for entry in self.driver.get_log("browser")]

    def requested(self):
        """The addresses that were asked for since the last look, in their order, without those that a policy held back.

        data: is no request. What frames of another origin ask for is not seen here.
        """
        rows = [json.loads(entry["message"])["message"] for entry in self.driver.get_log("performance")]
        held = {row["params"]["requestId"] for row in rows if row["params"].get("blockedReason") == "csp"}
        sent = [row["params"] for row in rows if row["method"] == "Network.requestWillBeSent"]
        urls = [row["request"]["url"] for row in sent if row["requestId"] not in held]
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
