"""Whether everybody can use the pages: axe-core judges each, in every state, colour scheme and width."""

import pytest
from axe_core import axe_core

from mockserver.resources.oauth.discovery import CATALOGUE

pytestmark = [pytest.mark.browser, pytest.mark.slow]  # a browser is a program of its own

#: A report of coverage has many sections that are alike; of those where nothing was met, the first is looked at.
_ALIKE = "section:not(:has(.met)) ~ section:not(:has(.met)), li:nth-child(n+10)"
_JUDGE = """
const [alike, done] = arguments;
axe.run({exclude: [alike]}, {iframes: false, resultTypes: ["violations"]}).then(
  found => done({passed: found.passes.length, violations: found.violations.map(row => [row.id, row.nodes])}),
  error => done({error: String(error)}));
"""
_LOOKS = [("light", 1400), ("dark", 320)]
#: Two users of the first account; the second has a long address.
_BOSS, _CLERK = "button[value$=' boss@group.test']", "button[value^='1003001 somebody']"
_ACCEPT = "button[value=accept]"


def _opened(address):
    return lambda browser, workspace: browser.open(address(workspace))


def _opened_twice(address):
    def go(browser, workspace):
        found = address(workspace)
        browser.open(found)
        browser.open(found)

    return go


def _asked(person, **query):
    def go(browser, workspace):
        browser.open(workspace.authorize(**query))
        browser.follow(person)
        browser.see(_ACCEPT)

    return go


def _mistaken(browser, workspace):
    browser.open(workspace.authorize())
    browser.see("#user")[0].send_keys("boss@group.test")
    browser.follow("#password", "wrong horse\n")
    browser.see("[role=alert]")


def _late(browser, workspace):
    _asked(_BOSS)(browser, workspace)
    workspace.advance("PT11M")
    browser.follow(_ACCEPT)


def _forged(browser, workspace):
    browser.open(workspace.authorize())
    browser.driver.delete_all_cookies()
    browser.follow(_BOSS)


def _content(browser, workspace):
    """In the sandbox of its policy nothing runs, axe-core neither."""
    browser.driver.execute_cdp_cmd("Page.setBypassCSP", {"enabled": True})
    browser.open(f"{workspace.shared(12)}/content")
    browser.driver.execute_cdp_cmd("Page.setBypassCSP", {"enabled": False})


def _measured(browser, workspace):
    workspace.get("/v3/senders", headers=workspace.keys["group"])
    browser.open(f"{workspace.root}/_mock/coverage?format=html")


def _mailed(browser, workspace):
    body = {"name": "News", "email": "fresh@group.test"}
    workspace.post("/v3/senders", headers=workspace.keys["group"], json=body)
    (mail,) = workspace.get("/_mock/mailbox?limit=1")["items"]
    browser.open(f"{workspace.root}/_mock/mailbox/{mail['id']}.html")


_SIGN_IN, _CONSENT = "Sign in to go on to Contact Sync", "Contact Sync asks for access"
_FORM = {"behaviour": {"oauth_login": "form"}}
_ONE_USE = {"behaviour": {"sso_token": {"single_use": True}}}
#: A page: its heading, how one gets there, and what is changed in the story before.
PAGES = {
    "sign in by choice": (_SIGN_IN, _opened(lambda workspace: workspace.authorize()), {}),
    "sign in where nobody is": (
        _SIGN_IN,
        _opened(lambda workspace: workspace.authorize()),
        {"accounts": [{"name": "group", "users": []}]},
    ),
    "sign in by password": (_SIGN_IN, _opened(lambda workspace: workspace.authorize()), _FORM),
    "a wrong password": (_SIGN_IN, _mistaken, _FORM),
    "consent": (_CONSENT, _asked(_BOSS), {}),
    "consent to all scopes": (_CONSENT, _asked(_CLERK, scope=" ".join(CATALOGUE)), {}),
    "unknown app": ("Bad Request", _opened(lambda workspace: workspace.authorize(client_id="nobody")), {}),
    "unknown way back": (
        "Bad Request",
        _opened(lambda workspace: workspace.authorize(redirect_uri="http://x.test/")),
        {},
    ),
    "a form from elsewhere": ("Forbidden", _forged, {}),
    "a question that waited for too long": ("Gone", _late, {}),
    "landing in an organization": ("Signed in", _opened(lambda workspace: workspace.admin_landing()), {}),
    "landing in an area": ("Signed in", _opened(lambda workspace: workspace.landing(target="email_transactional")), {}),
    "landing at an address": (
        "Signed in",
        _opened(lambda workspace: workspace.landing(url=f"{workspace.app.root}/{'a-long-way-' * 20}")),
        _ONE_USE,
    ),
    "landing a second time": ("Gone", _opened_twice(lambda workspace: workspace.landing()), _ONE_USE),
    "landing with an unknown token": ("Not Found", _opened(lambda workspace: f"{workspace.admin_landing()}0"), {}),
    "a shared template": ("June", _opened(lambda workspace: workspace.shared(11)), {}),
    "a shared campaign without content": ("July", _opened(lambda workspace: workspace.shared(12)), {}),
    "what stands for no content": ("July", _content, {}),
    "nothing shared": ("Not Found", _opened(lambda workspace: f"{workspace.root}/shared/nothing"), {}),
    "coverage": (None, _measured, {}),
    "a document": ("Senders", _opened(lambda workspace: f"{workspace.root}/_mock/docs/contract/senders.md"), {}),
    "the ledger": (None, _opened(lambda workspace: f"{workspace.root}/_mock/docs/ledger.md"), {}),
    "an e-mail": (None, _mailed, {}),
}


@pytest.mark.parametrize("name", PAGES)
def test_oauth_sso_and_document_pages_are_accessible(browser, make_workspace, name):
    """No rule of axe-core's is broken, and nobody has to scroll sideways."""
    heading, go, changes = PAGES[name]
    go(browser, make_workspace(**changes))
    assert heading is None or browser.text("h1") == heading

    browser.script(axe_core())
    for scheme, width in _LOOKS:
        with browser.looking(scheme, width):
            found = browser.driver.execute_async_script(_JUDGE, _ALIKE)
            across = browser.script("return document.documentElement.scrollWidth")

        assert found["violations"] == [], (scheme, width)
        assert found["passed"] > 5
        assert across <= width
