"""Whatever users write, wherever they write it, the dashboard shows it as text, on every page."""

from __future__ import annotations

import os
from urllib.parse import quote, urljoin

import pytest
from hostile_values import Page, values
from hostile_workspace import fill

from mockserver.dashboard.application import PAGES

pytestmark = pytest.mark.slow

NAMES = [page.name for page in PAGES]
#: How many values one workspace gets, so that every page shows those of its kind.
BATCH = 1_000
#: `HOSTILE_TIMES` multiplies how many there are in all. Chosen: 10,000 take over a minute on two cores.
MANY = 2_000 * int(os.environ.get("HOSTILE_TIMES", "1"))
BATCHES = [values(MANY)[at : at + BATCH] for at in range(0, MANY, BATCH)]
#: The most links that are followed from a page: things of every kind are among them.
FOLLOWED = 8


def views(api, name):
    """A page and things that it links to below itself, as they are served."""
    first = f"/_mock/ui/{name}"
    text = api.get(first).text
    yield first, text
    links = dict.fromkeys(urljoin(first, link).partition("#")[0] for link in links_of(text))
    below = [link for link in links if link.startswith(f"{first}/")]
    for link in below[:: max(1, len(below) // FOLLOWED)]:
        answer = api.get(link)
        assert answer.status_code < 500, link
        if answer.mimetype == "text/html" and "sandbox" not in answer.headers["Content-Security-Policy"]:
            yield link, answer.text


class _Links(Page):
    def __init__(self, text):
        self.links = []
        super().__init__(text)

    def handle_starttag(self, tag, attrs):
        self.links += [value for name, value in attrs if tag == "a" and name == "href"]


def links_of(text):
    return _Links(text).links


@pytest.mark.parametrize("batch", BATCHES, ids=range(len(BATCHES)))
def test_markup_in_user_data_is_escaped_on_every_page(make_api, batch):
    api = make_api()
    fill(api, batch)

    for name in NAMES:
        for address, text in views(api, name):
            assert Page(text).bad == [], address


@pytest.mark.parametrize("value", BATCHES[0][:40])
def test_markup_in_a_page_address_is_escaped(api, value):
    query = "&".join(
        f"{name}={quote(value)}" for name in (quote(value), "text", "status", "operation", "offset", "limit")
    )
    for name in NAMES:
        for path in (f"/_mock/ui/{name}/{quote(value)}", f"/_mock/ui/{name}?{query}"):
            answer = api.get(path)

            assert answer.status_code < 500, path
            assert answer.mimetype != "text/html" or Page(answer.text).bad == [], path
