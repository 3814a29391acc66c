"""`/_mock/docs` as a person sees it."""

import json

import pytest

from mockserver.app.control_api import CONTROL_API
from mockserver.control.openapi import operation_id
from mockserver.resources.registry import API_OPERATIONS

CALLS = list(CONTROL_API.calls)

pytestmark = [pytest.mark.browser, pytest.mark.slow]  # a browser is a program of its own


@pytest.fixture
def docs(browser, root):
    """The page, with all operations drawn."""
    browser.open(f"{root}/_mock/docs")
    browser.see(".opblock", count=len(API_OPERATIONS))
    return browser


def test_the_page_shows_every_operation_once(docs):
    shown = {
        (block.find_element("class name", "opblock-summary-method").text, block.get_attribute("id").split("-")[-1])
        for block in docs.all(".opblock")
    }

    assert shown == {(operation.method, operation.id) for operation in API_OPERATIONS.values()}
    assert len(docs.all(".opblock")) == len(API_OPERATIONS)


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
