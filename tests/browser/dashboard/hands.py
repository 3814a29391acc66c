"""Somebody at a page: with the keyboard only, or with a mouse."""

from selenium.webdriver.common.keys import Keys

#: More than any page has places where the focus stops.
_STOPS = 200
_IS_OUTLINED = """
// The link of a row has the outline of its row.
return [document.activeElement, document.activeElement.closest(".row")].some((each) => {
  const style = each && getComputedStyle(each);
  return style && style.outlineStyle !== "none" && parseFloat(style.outlineWidth) >= 1;
});
"""
#: The first visible element of a tag that has these words in its name; a whole name goes before a part of one.
_NAMED = """
const [words, tag] = arguments;
const name = each => (each.ariaLabel ?? (each.labels?.length ? each.labels[0] : each).textContent).trim();
const found = [...document.querySelectorAll(tag)].filter(each => each.checkVisibility() && name(each).includes(words));
return found.find(each => name(each) === words) ?? found[0] ?? null;
"""


class _Person:
    """Somebody who uses what has certain words for a name, `most` times at most."""

    def __init__(self, browser, most=None):
        self.browser, self._most, self._clicks = browser, most, 0

    def reach(self, words, tag):
        """Give the focus to what has these words for a name."""
        raise NotImplementedError

    def use(self, words, tag):
        self._count(words)
        self._use(words, tag)

    def _use(self, words, tag):
        raise NotImplementedError

    def _count(self, words):
        self._clicks += 1
        assert self._most is None or self._clicks <= self._most, f"{words!r} is click {self._clicks}"

    def follow(self, words):
        """Follow the link of these words."""
        self.leave(lambda: self.use(words, "a"))

    def push(self, words):
        self.use(words, "button")

    def unfold(self, words):
        self.use(words, "summary")

    def write(self, words, text):
        """Fill the field of these words."""
        self._count(words)
        self.reach(words, "input")
        self.browser.press(text)

    def choose(self, words, beginning):
        """Choose what begins like this out of the list of these words."""
        self._count(words)
        self.reach(words, "select").send_keys(beginning)

    def search(self, text):
        """Search for a text from the header."""
        self.write("Search", text)
        self.leave(lambda: self.browser.press(Keys.ENTER))

    def leave(self, act):
        """Do what leads to another page, and wait for it."""
        before = self.browser.driver.current_url
        act()
        self.browser.until(lambda: self.browser.driver.current_url != before, f"nothing leads away from {before}")
        self.browser.see("h1")


class Keyboard(_Person):
    """Somebody who has no mouse."""

    def reach(self, words, tag=None):
        """Go on with Tab to what has these words for a name, and give it."""
        for _ in range(_STOPS):
            self.browser.press(Keys.TAB)
            found = self.browser.focused
            if (tag is None or found.tag_name == tag) and words in (found.accessible_name or ""):
                assert self.browser.script(_IS_OUTLINED), f"nobody sees that {words} has the focus"
                return found
        raise AssertionError(f"the keyboard does not reach {words!r} on a page that says {self.browser.text('main')}")

    def _use(self, words, tag):
        self.reach(words, tag)
        self.browser.press(Keys.ENTER)

    def search(self, text):
        self.browser.press("/")
        self.browser.press(text)
        self.leave(lambda: self.browser.press(Keys.ENTER))


class Mouse(_Person):
    """Somebody who clicks, and types only into fields."""

    def reach(self, words, tag):
        found = self.browser.until(lambda: self.browser.script(_NAMED, words, tag), f"there is no {tag} {words!r}")
        self.browser.script("arguments[0].scrollIntoView({block: 'center'})", found)
        found.click()
        return found

    def _use(self, words, tag):
        self.reach(words, tag)
