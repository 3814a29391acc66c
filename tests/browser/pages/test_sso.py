"""Where the tokens of single sign-on lead."""

import pytest

pytestmark = [pytest.mark.browser, pytest.mark.slow]  # a browser is a program of its own


def test_an_address_of_ones_own_is_a_link_that_tells_nothing_of_the_token(browser, workspace, app):
    url = workspace.landing(url=f"{app.root}/reports?month=1", target="contacts")
    browser.open(url)
    browser.follow("dd a")

    assert app.came == [("/reports", {"month": "1"})]
    assert browser.script("return document.referrer") == ""


def test_only_the_mock_is_asked_and_nothing_goes_wrong(browser, workspace):
    url = workspace.landing(target="senders")
    browser.open(url)

    assert browser.requested() == [url]
    assert browser.console() == []
