"""Hundreds of hostile values in a real browser: no script runs, nothing is loaded, no page is wider than its window."""

from urllib.parse import urlsplit

import pytest
from hostile_values import values
from hostile_workspace import fill

from .conftest import NAMES, Workspace

pytestmark = [pytest.mark.browser, pytest.mark.slow]  # a browser is a program of its own

#: How many values there are: as many as a page shows of the things that they stand in.
_VALUES = 400


class Filled(Workspace):
    """Called as the application in a process is."""

    def _send(self, method, path, **options):
        options["headers"] = {"api-key": self.key, **options.get("headers", {})}
        if content_type := options.pop("content_type", None):
            options["headers"]["Content-Type"] = content_type
        if path.startswith("/_mock"):
            del options["headers"]["api-key"]
        return self.http.request(method, f"{self.root}{path}", timeout=30, **options)

    def get(self, path, **options):
        return self._send("GET", path, **options)

    def post(self, path, **options):
        return self._send("POST", path, **options)

    def put(self, path, **options):
        return self._send("PUT", path, **options)


@pytest.fixture(scope="module")
def filled(server_url):
    workspace = Filled(server_url, "hostile")
    fill(workspace, values(_VALUES))
    yield workspace
    workspace.http.close()


@pytest.mark.parametrize("name", NAMES)
def test_markup_in_user_data_runs_nothing_and_keeps_page_widths(browser, filled, name):
    size = {"width": 320, "height": 900, "deviceScaleFactor": 1, "mobile": False}
    browser.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    try:
        for address in filled.views(name):
            browser.open(address)
            browser.see("h1")
            across, title = browser.script("return [document.scrollingElement.scrollWidth, document.title]")

            assert across <= 320, address
            assert title.endswith("mock server")
            assert browser.script("return typeof evil") == "undefined"
            assert (
                browser.script("return document.querySelectorAll('evil, base, object, [onclick], [onload]').length")
                == 0
            )
            assert [message for message in browser.console() if not _is_of_a_frame(message)] == [], address
            assert {urlsplit(url).netloc for url in browser.requested()} == {urlsplit(filled.server).netloc}
    finally:
        browser.driver.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


def _is_of_a_frame(message):
    """Whether it tells what the policy of the HTML of an e-mail has held back, which is in a frame of its own."""
    return "/html" in message.split(" ")[0]
