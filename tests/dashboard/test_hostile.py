"""Whatever users write, wherever they write it, the dashboard shows it as text, on every page."""

from __future__ import annotations

from urllib.parse import quote

import pytest
from examples import rounds
from hostile_values import Page, values
from hostile_workspace import fill
from web_page import links

from mockserver.dashboard.application import PAGES

pytestmark = pytest.mark.slow

NAMES = [page.name for page in PAGES]
#: How many values one workspace gets, so that every page shows those of its kind.
BATCH = 1_000
#: How many values there are in all. Chosen: 10,000 take over a minute on two cores.
MANY = rounds(8_000)
BATCHES = [values(MANY)[at : at + BATCH] for at in range(0, MANY, BATCH)]
#: The most links that are followed from a page: things of every kind are among them.
FOLLOWED = 8


def views(api, name):
    """A page and things that it links to below itself, as they are served."""
    first = f"/_mock/ui/{name}"
    text = api.get(first).text
    yield first, text
    addresses = dict.fromkeys(link.partition("#")[0] for link in links(text, first, "a"))
    below = [link for link in addresses if link.startswith(f"{first}/")]
    for link in below[:: max(1, len(below) // FOLLOWED)]:
        answer = api.get(link)
        assert answer.status_code < 500, link
        if answer.mimetype == "text/html" and "sandbox" not in answer.headers["Content-Security-Policy"]:
            yield link, answer.text


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
