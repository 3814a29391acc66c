"""All pages at the widths of real windows: nothing runs out of the window, and every text can be read."""

import re
from collections import Counter
from urllib.parse import urlencode, urlsplit

import pytest
import requests
from web_page import links

from .conftest import Workspace, live

pytestmark = [pytest.mark.browser, pytest.mark.slow]  # a browser is a program of its own

#: What there is not, neither as an app nor as a page.
NOBODY = "nobody"
WIDTHS = (320, 768, 1024, 1280, 1366, 1440, 1920)
LONG = "Regional office of the western and southern districts, third floor"
NAME = "the-team-of-the-western-region-and-its-checkout-of-large-orders"
TEST = "tests/orders/test_checkout.py::TestCheckoutOfLargeOrders::test_the_customer_hears_of_it"
SHARED_URL = "/v3/emailCampaigns/11/sharedUrl"
#: How many pages of a folder are looked at, if these are many of one kind.
MOST_ALIKE = 3
APP = {"client_id": "app", "name": LONG, "redirect_uris": ["http://127.0.0.1:9/"], "scopes": ["all"]}
#: What a person sees: a document that is wider than its window, text that stands one letter per line, and text of
#: which hidden overflow leaves less than six letters. What scrolls by itself can be read.
_MEASURE = r"""
const root = document.documentElement, seen = new Set(), range = document.createRange(), hiding = new Map();
// The frames that hide what overflows them, from an element outwards.
const frames = element => {
  if (element === document.body) return [];
  if (hiding.has(element)) return hiding.get(element);
  const style = getComputedStyle(element), frame = element.getBoundingClientRect();
  const overflow = style.overflowX + style.overflowY;
  const isNone = /auto|scroll/.test(overflow) || (style.position === "absolute" && frame.width <= 2);
  const outer = isNone ? [] : frames(element.parentElement);
  const found = /hidden|clip/.test(overflow) && !isNone ? [[frame, style.textOverflow], ...outer] : outer;
  hiding.set(element, found);
  return found;
};
const over = root.scrollWidth - root.clientWidth;
if (over > 0) seen.add(`${over} px wider than the window`);
const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
for (let node; (node = walker.nextNode());) {
  const text = node.data.trim(), parent = node.parentElement;
  if (!text || parent.closest("script, style, noscript, svg, select, textarea")) continue;
  range.selectNodeContents(node);
  const box = range.getBoundingClientRect();
  if (!box.width || !parent.checkVisibility({visibilityProperty: true})) continue;
  const em = parseFloat(getComputedStyle(parent).fontSize);
  const longest = Math.max(...text.split(/\s+/).map(word => word.length));
  if (text.length > 8 && longest > 4 && box.width < 2.2 * em && box.height > 4.6 * em)
    seen.add(`one letter per line: ${text}`);
  for (const [frame, end] of frames(parent)) {
    const left = end === "ellipsis" ? frame.width : Math.min(frame.right, box.right) - Math.max(frame.left, box.left);
    if (left < Math.min(box.width - 2, 6 * em)) seen.add(`cut to ${Math.round(left)} px: ${text}`);
  }
}
return [...seen];
"""


@pytest.fixture(scope="module")
def world(module_serve):
    """A workspace with long names in everything, among workspaces with labels and outcomes as the plugin makes them."""
    server = module_serve("standard")
    found = Workspace(server, NAME, scenario={"extends": ["enterprise", "oauth"], "oauth_apps": [APP]}, label=TEST)
    live(found)
    for domain in ("gmail.com", "a-long-name-of-a-domain.of-the-western-region.example"):
        found.call("POST", "/v3/senders/domains", json={"name": domain})
    found.control("PUT", "/receivers/shop-9", json={"status": 503})
    hook = {"url": f"{found.root}/_mock/receiver/shop-9", "description": LONG, "events": ["delivered", "hardBounce"]}
    found.call("POST", "/v3/webhooks", json=hook)
    mail = {"sender": {"email": "jo@acme.test"}, "to": [{"email": f"{NAME}@example.test"}], "subject": LONG}
    found.call("POST", "/v3/smtp/email", json={**mail, "htmlContent": f"<p>{LONG}</p>"})
    fault = {"fault": "rate_limited", "match": {"operation": "getDomainConfiguration"}, "times": 1}
    found.control("POST", "/faults", json=fault)
    found.call("GET", "/v3/senders/domains/a-long-name-of-a-domain.of-the-western-region.example")
    found.control("POST", "/trigger", json={"event": "hardBounce", "to": f"{NAME}@example.test"})
    found.control("POST", "/clock/advance", json={"by": "P1DT3H"})
    found.call("POST", "/v3/senders", json={"name": LONG, "email": "late@acme.test"})
    found.call("POST", "/v3/senders", json={"name": "Jo", "email": "jo2@acme.test", "displayname": "Jo"})
    for number in range(12):
        outcome = ("failed", "passed")[number % 2]
        test = Workspace(server, f"test-{number:02}-gw0", label=f"{TEST}[{number}-eu]")
        test.call("GET", "/v3/senders")
        requests.patch(f"{server}/_mock/workspaces/{test.name}", json={"outcome": outcome}, timeout=10)
        test.http.close()
    yield found
    found.http.close()


def pages(world):
    """The address of one page of each kind that links lead to, from the pages of the workspace and of the server."""
    (mail, *_), shared = world.control("GET", "/mailbox").json()["items"], world.call("GET", SHARED_URL).json()
    paths = (
        "/_mock/ui/",
        "/_mock/ui/search?q=acme",
        f"/_mock/mailbox/{mail['id']}.html",
        "/_mock/coverage?format=html",
    )
    left = [f"{world.server}/", *(f"{world.root}{path}" for path in paths), shared["sharedUrl"]]
    found, folders = {}, Counter()
    while left:
        address = left.pop(0)
        name = kind(address)
        if name in found or folders[name[:-1]] >= MOST_ALIKE or not address.startswith(f"{world.server}/"):
            continue
        answer = world.http.get(address, timeout=30)
        is_page = answer.headers["Content-Type"].startswith("text/html")
        if is_page and "Content-Disposition" not in answer.headers:
            found[name] = address
            folders[name[:-1]] += name[-2] not in ("ui", "machines")
            left += [link.partition("#")[0] for link in links(answer.text, address, "a")]
    return list(found.values())


def kind(address):
    """The path of an address, without what differs between pages of a kind: workspaces, and names of things."""
    parts = urlsplit(address)
    path = re.sub(r"^/w/[^/]+", "", parts.path).split("/")
    tab = re.findall(r"tab=\w+", parts.query)
    return (*("*" if re.search(r"[^A-Za-z_-]", part.removesuffix(".md")) else part for part in path), *tab)


def authorize(world, **query):
    """The address where an app asks for access."""
    asked = {"client_id": "app", "redirect_uri": APP["redirect_uris"][0], "scope": "account:read", "state": "s"}
    return f"{world.root}/realms/partner/oauth/authorize?{urlencode(asked | query)}"


@pytest.fixture(scope="module")
def ways(world, module_serve, tmp_path_factory):
    """How to get to each page, by its address."""
    trace = tmp_path_factory.mktemp("trace") / "trace.html"
    trace.write_text(world.control("GET", "/trace").text, encoding="utf-8")
    closed = f"{module_serve('empty', control_token='sesame')}/_mock/ui/sign-in"
    found = dict.fromkeys((*pages(world), trace.as_uri(), closed, authorize(world)), open_page)
    refused = dict.fromkeys((authorize(world, client_id=NOBODY), world.page(NOBODY)), open_page)
    return found | refused | {f"{authorize(world)}&consent": ask_for_consent}


def open_page(browser, address):
    browser.open(address)
    # Swagger UI draws its page after loading it.
    browser.see(".opblock" if re.search(r"/docs(/control)?$", address) else "h1")


def ask_for_consent(browser, address):
    browser.open(address)
    browser.follow("button[value$=' owner@acme.test']")
    browser.see("button[value=accept]")


#: Parts of the pages, by their addresses.
PARTS = {
    "resources": r"/_mock/ui/machines",
    "dashboard": r"/_mock/ui/(?!machines)",
    "documents": r"/_mock/docs",
    "others": r"^(?!.*/_mock/(ui|docs))",
}


@pytest.mark.timeout(300)  # a browser lays out dozens of pages in each width
@pytest.mark.parametrize("part", PARTS)
def test_pages_fit_windows_of_all_widths_and_can_be_read(browser, ways, part):
    """Nobody has to scroll sideways, no text stands one letter per line, and the console is quiet."""
    addresses = [address for address in ways if re.search(PARTS[part], address)]
    wrong = []
    for address in addresses:
        with browser.looking():
            ways[address](browser, address)
            for width in WIDTHS:
                browser.resize(width)
                wrong += [(address, width, each) for each in browser.script(_MEASURE)]
            if NOBODY not in address:  # a refusal is an error in the console
                wrong += [(address, each) for each in browser.console()]

    assert wrong == []
    assert len(addresses) >= 7
