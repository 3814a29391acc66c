"""Requests are sent again from their pages, as they were and edited, each to its own workspace."""

import pytest

pytestmark = [pytest.mark.browser, pytest.mark.slow]  # a browser is a program of its own

ANSWER = "#again-answer"
SENDER = {"name": "Jo", "email": "jo@acme.test"}


def journal(workspace):
    """The requests of a workspace, newest first: status and body."""
    return [(row["status"], row["request"]["body"]) for row in workspace.control("GET", "/requests").json()["items"]]


@pytest.fixture
def opened(browser, make_workspace):
    """Two workspaces with the same request, whose pages are open side by side; the page of the first is in front."""
    one, other = make_workspace(), make_workspace()
    addresses = []
    for workspace in (one, other):
        workspace.call("POST", "/v3/senders", json=SENDER)
        (row,) = workspace.control("GET", "/requests").json()["items"]
        addresses.append(workspace.page(f"requests/{row['id']}"))
    with browser.tab():
        browser.open(addresses[1])
        second = browser.driver.current_window_handle
        browser.driver.switch_to.new_window("tab")
        browser.open(addresses[0])
        yield one, other
        browser.driver.close()
        browser.driver.switch_to.window(second)


def fill(browser, name, text):
    (field,) = browser.see(f"#again [name={name}]")
    field.clear()
    field.send_keys(text)


def edit_and_send(browser, **fields):
    browser.click("#again-edit summary")
    for name, text in fields.items():
        fill(browser, name, text)
    browser.click("#again-edit .send button")


def reads(browser, words, selector=ANSWER):
    browser.until(lambda: words in browser.text(selector), f"{selector} does not say {words!r}")


def test_request_is_sent_again_to_its_own_workspace_only(browser, opened):
    one, other = opened

    browser.click("#again > .send button")

    reads(browser, "Request 2 of this workspace, sent again from request 1")
    reads(browser, "400")
    assert journal(one) == [(400, SENDER), (201, SENDER)]
    assert journal(other) == [(201, SENDER)]
    assert [row for row in browser.console() if "status of 400" not in row] == []


def test_edited_request_is_answered_on_the_page_and_linked(browser, opened):
    one, other = opened

    edit_and_send(browser, body='{"name": "Ada", "email": "ada@acme.test"}')

    reads(browser, "201")
    reads(browser, " create: created as awaiting_verification")
    browser.follow(f"{ANSWER} > p:first-child > a")
    assert "sent again from request 1" in browser.text("#number")
    assert journal(one)[0] == (201, {"name": "Ada", "email": "ada@acme.test"})
    assert len(journal(other)) == 1


@pytest.mark.parametrize("target", ["/../{other}/v3/senders", "/_mock/requests", "/%5Fmock/requests", "/w/{other}/v3"])
def test_edited_target_cannot_lead_out_of_the_workspace(browser, opened, target):
    _, other = opened

    edit_and_send(browser, target=target.format(other=other.name))

    reads(browser, "leads out of this workspace", "#again > .outcome")
    assert [len(journal(workspace)) for workspace in opened] == [1, 1]


def test_send_again_leaves_out_what_was_edited(browser, opened):
    one, _ = opened
    browser.click("#again-edit summary")
    fill(browser, "body", "{}")

    browser.click("#again > .send button")

    reads(browser, "Request 2 of this workspace")
    assert journal(one)[0] == (400, SENDER)


def test_request_without_answer_is_shown_all_the_same(browser, opened):
    one, _ = opened
    one.control("POST", "/faults", json={"fault": "empty_response"})

    browser.click("#again > .send button")

    reads(browser, "no answer")


def test_what_a_request_changes_in_the_state_is_shown(browser, opened):
    browser.click("#again [name=keeps]")

    edit_and_send(browser, body='{"name": "Ada", "email": "ada@acme.test"}')

    reads(browser, "What it has changed in the state")
    browser.follow(f"{ANSWER} > a")
    reads(browser, "(Ada)", "#differences")
    assert browser.text("#differences").startswith("1 difference.")
