"""`/_mock/docs` as a person sees it."""

import json

import pytest
import requests
from axe_core import axe_core

from mockserver.app.control_api import CONTROL_API
from mockserver.control.openapi import operation_id
from mockserver.evidence.openapi import document
from mockserver.resources.registry import API_OPERATIONS

CALLS = list(CONTROL_API.calls)
WEBHOOKS = document()["webhooks"]

pytestmark = [pytest.mark.browser, pytest.mark.slow]  # a browser is a program of its own


@pytest.fixture
def docs(browser, root):
    """The page, with all operations and webhooks drawn."""
    browser.open(f"{root}/_mock/docs")
    browser.see(".opblock", count=len(API_OPERATIONS) + len(WEBHOOKS))
    return browser


def test_the_page_shows_every_operation_and_every_webhook_once(docs):
    shown = {
        (block.find_element("class name", "opblock-summary-method").text, block.get_attribute("id").split("-")[-1])
        for block in docs.all(".opblock")
    }

    operations = {(operation.method, operation.id) for operation in API_OPERATIONS.values()}
    assert shown == operations | {("POST", name) for name in WEBHOOKS}
    assert len(docs.all(".opblock")) == len(shown)


def test_nothing_goes_wrong_in_the_console(docs):
    assert docs.console() == []


def test_api_documentation_loads_files_only_from_the_server(docs, root):
    requested = docs.requested()

    assert f"{root}/_mock/docs/openapi.json" in requested
    assert [url for url in requested if not url.startswith(f"{root}/_mock/")] == []


def test_another_host_is_out_of_reach_for_the_page(docs):
    """The policy of the page refuses it, whatever a script of it tries."""
    outcome = docs.driver.execute_async_script(
        "const done = arguments[arguments.length - 1];"
        "document.addEventListener('securitypolicyviolation', event => done(event.effectiveDirective));"
        "fetch('http://127.0.0.1:9/').then(() => done('reached'), () => {});"
    )

    assert outcome == "connect-src"


def test_documentation_page_sends_an_operation_with_preset_key(docs, root):
    """A key is set already."""
    docs.click("#operations-senders-getSenders .opblock-summary-control")
    docs.requested()

    docs.click("#operations-senders-getSenders .execute")

    (status,) = docs.see("#operations-senders-getSenders .live-responses-table .response .response-col_status")
    (body,) = docs.see("#operations-senders-getSenders .live-responses-table .response .highlight-code code")
    assert status.text.split()[0] == "200"
    assert [sender["id"] for sender in json.loads(body.text)["senders"]] == [1, 2, 3, 4, 5]
    assert docs.requested() == [f"{root}/v3/senders"]


@pytest.fixture
def control(browser, root):
    """The page of the control API, reached by a click."""
    browser.open(f"{root}/_mock/docs")
    browser.click("nav a[href$=control]")
    browser.see(".opblock", count=len(CALLS))
    return browser


def test_the_control_api_has_a_page_with_every_call(control):
    shown = [block.get_attribute("id").split("-")[-1] for block in control.all(".opblock")]

    assert sorted(shown) == sorted(operation_id(call) for call in CALLS)
    assert control.console() == []


def test_a_call_of_the_control_api_can_be_tried_out(control):
    control.click("#operations-clock-getClock .opblock-summary-control")

    control.click("#operations-clock-getClock .execute")

    (status,) = control.see("#operations-clock-getClock .live-responses-table .response .response-col_status")
    assert status.text.split()[0] == "200"


#: Calls of both pages, and of each method that has colours of its own, opened by a deep link.
DEEP_LINKS = {
    "docs#/senders/createSender": "createSender",
    "docs#/senders/updateSender": "updateSender",
    "docs#/senders/deleteSender": "deleteSender",
    "docs#/senders/getSenders": "getSenders",
    "docs/control#/clock/postClockAdvance": "postClockAdvance",
}


@pytest.mark.parametrize("link", DEEP_LINKS)
def test_deep_link_opens_its_operation(browser, root, link):
    browser.open(f"{root}/_mock/{link}")

    assert browser.see(f"[id$='-{DEEP_LINKS[link]}'].is-open .execute")


@pytest.mark.parametrize("look", [("light", 1400), ("dark", 320)])
@pytest.mark.parametrize("link", DEEP_LINKS)
def test_documentation_page_has_no_axe_violation(browser, root, link, look):
    with browser.looking(*look):
        browser.open(f"{root}/_mock/{link}")
        browser.see(f"[id$='-{DEEP_LINKS[link]}'].is-open .execute")
        browser.script(axe_core())
        found = browser.driver.execute_async_script(
            "const done = arguments[0];"
            "axe.run().then(found => done(found.violations.map(row => [row.id, row.nodes.map(node => node.html)])));"
        )

    assert found == []


@pytest.mark.parametrize(
    ("page", "operation", "path"),
    [("docs", "getAccount", "/v3/account"), ("docs/control", "getClock", "/_mock/clock")],
)
def test_execute_acts_on_the_workspace_of_the_page_only(browser, root, page, operation, path):
    name = f"side-{operation.lower()}"
    requests.post(f"{root}/_mock/workspaces", json={"name": name}, timeout=10).raise_for_status()
    browser.open(f"{root}/w/{name}/_mock/{page}")
    browser.click(f"[id$='-{operation}'] .opblock-summary-control")
    browser.see(f"[id$='-{operation}'] .execute")
    browser.requested()

    browser.click(f"[id$='-{operation}'] .execute")

    (status,) = browser.see(f"[id$='-{operation}'] .live-responses-table .response-col_status")[-1:]
    assert status.text.split()[0] == "200"
    assert browser.requested() == [f"{root}/w/{name}{path}"]


#: The pages, and how many operations they have.
PAGES = {"docs": len(API_OPERATIONS) + len(WEBHOOKS), "docs/control": len(CALLS)}


@pytest.mark.parametrize("page", PAGES)
def test_closed_operation_takes_one_line(browser, root, page):
    with browser.looking(width=1024):
        browser.open(f"{root}/_mock/{page}")
        blocks = browser.see(".opblock", count=PAGES[page])
        heights = {block.get_attribute("id"): block.size["height"] for block in blocks}

    assert {name: height for name, height in heights.items() if height > 60} == {}
