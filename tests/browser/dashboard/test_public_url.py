"""The dashboard of a server with a public address, through nginx with TLS and a prefix, and directly."""

import pytest
import requests
from prefix_proxy import PrefixProxy

from mockserver import MockServer

pytestmark = [pytest.mark.browser, pytest.mark.slow]  # a browser is a program of its own


@pytest.fixture(scope="module", params=["strips", "keeps"])
def public(request, tmp_path_factory):
    """A server with a public address; the proxy does not pass its Host on."""
    proxy = PrefixProxy(tmp_path_factory.mktemp("proxy"), "page.example.com")
    with MockServer(public_url=proxy.url) as server:
        proxy.start(server.client.url, request.param, host=False)
        yield server
        proxy.stop()


@pytest.fixture
def workspace(public, browser):
    browser.driver.execute_cdp_cmd("Security.setIgnoreCertificateErrors", {"ignore": True})
    with public.workspace() as found:
        yield found
    browser.driver.get("about:blank")
    browser.driver.execute_cdp_cmd("Security.setIgnoreCertificateErrors", {"ignore": False})


@pytest.fixture(params=["public", "direct"])
def page(request, public, workspace):
    """The address of the dashboard as a browser opens it."""
    if request.param == "public":
        return workspace.dashboard_url
    return workspace.dashboard_url.replace(public.url, public.client.url)


def curls(browser):
    """All commands of curl on the page."""
    codes = browser.script("return [...document.querySelectorAll('pre code')].map(each => each.textContent)")
    return [code for code in codes if code.startswith("curl")]


def call(public, workspace, path):
    """A call of the service without the proxy."""
    url = f"{public.client.url}/w/{workspace.name}{path}"
    assert requests.get(url, headers={"api-key": workspace.api_key}, timeout=10).status_code == 200


@pytest.mark.parametrize("name", ["clock", "faults", "machines/sender/2", "webhooks/receivers", "state", "requests"])
def test_commands_of_pages_have_the_public_address(browser, workspace, page, name):
    browser.open(f"{page}{name}")
    root = workspace.url.removesuffix("/v3")
    found = browser.until(lambda: curls(browser) if all(curls(browser)) else None)

    assert [code for code in found if f"{root}/" not in code] == []
    assert browser.console() == []


def test_buttons_and_events_work(browser, public, workspace, page):
    browser.open(f"{page}requests")
    before = workspace.clock.now
    browser.click("[data-advance]")
    browser.until(lambda: (workspace.clock.now - before).total_seconds() >= 900, "the clock stays")
    call(public, workspace, "/v3/senders")

    browser.until(lambda: "/v3/senders" in browser.text("main"), "the request does not appear")
    assert browser.console() == []


def test_code_of_a_request_has_the_public_address(browser, public, workspace, page):
    call(public, workspace, "/v3/account")
    (row,) = workspace.requests.all()
    browser.open(f"{page}requests/{row.id}")
    browser.click("#as-fetch summary")

    browser.until(lambda: f"{workspace.url}/account" in browser.text("#as-fetch"), "the address is not said")
    assert browser.console() == []


def test_documents_call_the_server_of_their_page(browser, workspace, page):
    browser.open(f"{page.removesuffix('ui/')}docs#/senders/getSenders")
    browser.see("[id$='-getSenders'] .execute")
    browser.click("[id$='-getSenders'] .execute")

    browser.until(lambda: len(workspace.requests.all(operation="getSenders", status=200)) == 1, "nothing is called")
    assert browser.console() == []
