"""Where the tokens of single sign-on lead."""

import pytest
import requests

pytestmark = [pytest.mark.browser, pytest.mark.slow]  # a browser is a program of its own


def facts(browser):
    """What the page tells: who, in which account, at which place."""
    names, values = browser.see("dt"), browser.all("dd")
    return dict(zip([row.text for row in names], [row.text for row in values], strict=True))


def test_an_admin_lands_in_the_organization(browser, workspace):
    browser.open(workspace.admin_landing())

    assert browser.text("h1") == "Signed in"
    assert facts(browser) == {"As": "boss@group.test", "In": "organization Group (1003001)", "At": "home"}


def test_a_user_lands_in_the_area_that_the_token_names(browser, workspace):
    browser.open(workspace.landing(target="contacts"))

    assert facts(browser) == {"As": "keeper@shop.test", "In": "sub-account Shop (1003002)", "At": "contacts"}


def test_an_address_of_ones_own_is_a_link_that_tells_nothing_of_the_token(browser, workspace, app):
    url = workspace.landing(url=f"{app.root}/reports?month=1", target="contacts")
    browser.open(url)
    assert facts(browser)["At"] == f"{app.root}/reports?month=1"

    browser.follow("dd a")

    assert app.came == [("/reports", {"month": "1"})]
    assert browser.script("return document.referrer") == ""


def test_a_token_works_many_times(browser, workspace):
    url = workspace.landing()
    for _ in range(2):
        browser.open(url)
        assert browser.text("h1") == "Signed in"


def test_a_token_for_one_use_is_gone_after_it(browser, make_workspace):
    url = make_workspace(behaviour={"sso_token": {"single_use": True}}).landing()
    browser.open(url)
    assert "worked this once only" in browser.text("main")

    browser.open(url)

    assert browser.text("h1") == "Gone"
    assert "used already" in browser.text("main")
    assert requests.get(url, timeout=10).status_code == 410


def test_a_token_runs_out(browser, workspace):
    url = workspace.admin_landing()
    workspace.advance("P15D")

    browser.open(url)

    assert (browser.text("h1"), requests.get(url, timeout=10).status_code) == ("Gone", 410)


@pytest.mark.parametrize("address", ["corporate", "sub-account"])
def test_an_unknown_token_leads_nowhere(browser, workspace, address):
    browser.open(f"{workspace.root}/account/login/{address}/sso/0123456789")

    assert browser.text("h1") == "Not Found"
    assert any("404 (Not Found)" in message for message in browser.console())


def test_a_token_of_another_workspace_leads_nowhere(browser, workspace, make_workspace):
    path = workspace.admin_landing().removeprefix(workspace.root)
    other = make_workspace()

    browser.open(f"{other.root}{path}")

    assert browser.text("h1") == "Not Found"
    assert other.root.rpartition("/")[2] in browser.text("header")


def test_only_the_mock_is_asked_and_nothing_goes_wrong(browser, workspace):
    url = workspace.landing(target="senders")
    browser.open(url)

    assert browser.requested() == [url]
    assert browser.console() == []
