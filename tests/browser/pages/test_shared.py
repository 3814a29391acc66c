"""Shared templates: somebody's HTML, which is shown and can do nothing."""

import pytest

pytestmark = [pytest.mark.browser, pytest.mark.slow]  # a browser is a program of its own

#: What the browser says of what the template tries, by a word of each.
HELD_BACK = ("script execution", "/pixel.png", "/paper.png", "http-equiv='refresh'")


@pytest.fixture
def shared(browser, workspace):
    """The address of a template that tries what it can; the browser is there."""
    url = workspace.shared(11)
    browser.open(url)
    browser.see("iframe")
    return url


@pytest.fixture
def inside(browser, shared):
    """The browser within the frame; what is asked of it is asked of the template."""
    (frame,) = browser.see("iframe")
    browser.driver.switch_to.frame(frame)
    yield browser
    browser.driver.switch_to.default_content()


def test_the_template_is_shown_as_it_is_and_runs_nothing(inside):
    """Its script and the handler of its image would change it."""
    assert inside.text("h1") == "Summer is here"
    assert inside.all("h1")[0].value_of_css_property("color") == "rgba(0, 51, 102, 1)"
    assert "Changed" not in inside.text("body")


def test_a_link_of_the_template_leads_nowhere(inside, shared, app):
    inside.click("a")

    assert inside.text("h1") == "Summer is here"
    assert inside.requested() == [shared, f"{shared}/content"]
    assert app.came == []


def test_shared_template_opened_directly_is_sandboxed(browser, workspace, app):
    """The browser says what it holds back: all that the template tries."""
    url = f"{workspace.shared(11)}/content"
    browser.open(url)
    said = []

    def complaints():
        said.extend(browser.console())
        return all(any(tried in message for message in said) for tried in HELD_BACK)

    browser.until(complaints, f"not all of it is held back: {said}")
    assert browser.text("h1") == "Summer is here"
    assert browser.requested() == [url]
    assert app.came == []


def test_the_frame_can_be_read_without_a_mouse(browser, shared):
    """The focus goes into it, from where the keys of a keyboard scroll."""
    browser.press("\ue004")

    assert browser.focused.tag_name == "iframe"
