"""The pages Workspaces and Coverage, as somebody uses them while others use the server as well."""

import itertools
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest
import requests
from background_server import in_background
from selenium.webdriver.common.keys import Keys

pytestmark = [pytest.mark.browser, pytest.mark.slow]  # a browser is a program of its own

_NAMES = (f"shown-{number}" for number in itertools.count(1))


@pytest.fixture
def name(server_url):
    """A name for a workspace, which is dropped in the end if there is one."""
    chosen = next(_NAMES)
    yield chosen
    requests.delete(f"{server_url}/_mock/workspaces/{chosen}", timeout=10)


@pytest.fixture
def make(server_url):
    def made(name, scenario="empty"):
        answer = requests.post(f"{server_url}/_mock/workspaces", json={"name": name, "scenario": scenario}, timeout=10)
        assert answer.status_code == 201
        return answer.json()

    return made


def page(server, name, path=None):
    return f"{server}/w/{name}/_mock/ui/{path or f'workspaces/{name}'}"


def open_form(browser, server):
    """Open the list of workspaces, and unfold the form for a new one."""
    browser.open(f"{server}/_mock/ui/workspaces")
    browser.click("#new-workspace > summary")


def type_into(browser, selector, text):
    (field,) = browser.see(selector)
    field.send_keys(text)
    return field


def value(browser, selector):
    return browser.script("return document.querySelector(arguments[0]).value", selector)


# ---------------------------------------------------------------------- the list


def test_a_workspace_is_made_by_the_keyboard_and_its_page_opens(browser, server_url, name):
    open_form(browser, server_url)
    type_into(browser, "#new [name=name]", name)
    type_into(browser, "#new [name=seed]", "42")

    browser.follow("#new [name=seed]", Keys.ENTER)

    assert browser.text("h1") == name
    assert f"{server_url}/w/{name}/v3" in browser.text("#connect")
    assert browser.driver.current_url == page(server_url, name)
    assert browser.console() == []


def test_eighteen_workspaces_fit_on_a_screen_with_what_failed_in_sight(browser, server_url, name, make):
    make(name, "corporate-v2")
    label = "tests/orders/test_checkout.py::test_the_customer_hears_of_it"
    requests.patch(
        f"{server_url}/_mock/workspaces/{name}", json={"label": label, "outcome": "failed"}, timeout=10
    ).raise_for_status()
    with browser.looking(width=1366):
        browser.open(f"{server_url}/_mock/ui/workspaces")
        [row] = browser.see(f"#workspace-{name}")
        [list_] = browser.see("#workspaces")

    assert list_.rect["y"] < 300
    assert row.rect["height"] <= (850 - list_.rect["y"]) / 19
    assert "failed\ntest_the_customer_hears_of_it" in row.text


@pytest.mark.parametrize("width", [320, 1366, 1920])
def test_the_scenario_of_a_workspace_stands_on_one_line(browser, server_url, name, make, width):
    make(name, "corporate-v2")
    with browser.looking(width=width):
        browser.open(f"{server_url}/_mock/ui/workspaces")
        (scenario,) = browser.see(f"#workspace-{name} .c-scenario bdi")
        lines = browser.script("return arguments[0].getClientRects().length", scenario)

    assert (scenario.text, lines) == ("corporate-v2", 1)


def test_the_list_takes_in_what_others_make_and_keeps_what_is_typed(browser, server_url, name, make):
    open_form(browser, server_url)
    field = type_into(browser, "#new [name=name]", "half a na")

    make(name)
    browser.see(f"#workspace-{name}")
    requests.delete(f"{server_url}/_mock/workspaces/{name}", timeout=10)
    browser.until(lambda: not browser.all(f"#workspace-{name}"), "the row stays")

    assert value(browser, "#new [name=name]") == "half a na"
    assert browser.focused == field


@pytest.fixture
def file(tmp_path):
    """A downloaded state with one sender."""
    found = tmp_path / "state.yaml"
    found.write_text("senders:\n- {name: From a file, email: file@acme.test, state: verified}\n", encoding="utf-8")
    return found


def senders(server, name):
    """The names of the senders of a workspace."""
    account = requests.get(f"{server}/w/{name}/_mock/state", timeout=10).json()["accounts"][0]
    return [row["name"] for row in account["senders"]]


def test_workspace_is_made_of_a_chosen_file(browser, server_url, name, file):
    open_form(browser, server_url)
    type_into(browser, "#new [name=name]", name)
    type_into(browser, "#new [name=yaml]", str(file))
    browser.until(lambda: "From a file" in browser.see("#new-curl code")[0].get_attribute("textContent"))

    browser.follow("#new .send button")

    assert browser.text("h1") == name
    assert senders(server_url, name) == ["From a file"]


def test_mistakes_of_a_chosen_file_are_told_with_their_lines(browser, server_url, name, file):
    file.write_text("senders:\n- {name: News, emai: news@acme.test}\n", encoding="utf-8")
    open_form(browser, server_url)
    type_into(browser, "#new [name=name]", name)
    type_into(browser, "#new [name=yaml]", str(file))
    browser.until(lambda: "News" in browser.see("#new-curl code")[0].get_attribute("textContent"))

    browser.click("#new .send button")

    outcome = "/senders/0/emai: unknown key; did you mean email? (line 2 of the file)"
    browser.until(lambda: outcome in browser.text("#new .outcome"), "the mistake is not told")


# ---------------------------------------------------------------------- one of them


def test_workspace_is_reset_to_a_chosen_file(browser, server_url, name, make, file):
    make(name)
    browser.open(page(server_url, name, "state"))
    type_into(browser, "#reset [name=yaml]", str(file))
    browser.until(lambda: "From a file" in browser.see("#reset-curl code")[0].get_attribute("textContent"))

    browser.click("#reset .send button")
    browser.driver.switch_to.alert.accept()

    browser.until(lambda: browser.text("#reset .outcome").startswith(f"Workspace {name} reset"))
    assert senders(server_url, name) == ["From a file"]
    assert browser.console() == []


def test_copy_of_a_workspace_has_its_present_state(browser, server_url, name, make, file):
    make(name, "onboarding")
    requests.post(f"{server_url}/w/{name}/_mock/reset", json={"yaml": file.read_text()}, timeout=10)
    browser.open(page(server_url, name, "state"))
    (link,) = [row for row in browser.see("main a") if row.text == "New workspace from this state"]
    link.click()
    type_into(browser, "#copy [name=name]", f"{name}-copy")

    browser.follow("#copy .send button")

    assert browser.text("h1") == f"{name}-copy"
    assert senders(server_url, f"{name}-copy") == ["From a file"]
    requests.delete(f"{server_url}/_mock/workspaces/{name}-copy", timeout=10)


def test_snapshot_is_compared_with_what_happens_and_restored(browser, server_url, name, make):
    key = make(name)["api_key"]
    requests.post(f"{server_url}/w/{name}/_mock/snapshots", json={"name": "before"}, timeout=10)
    browser.open(page(server_url, name))
    (link,) = [row for row in browser.see("#snapshot-before a") if row.text == "Compare"]
    link.click()
    browser.until(lambda: "The states are equal." in browser.text("#differences"))

    sender = {"name": "A", "email": "a@acme.test"}
    requests.post(f"{server_url}/v3/senders", json=sender, headers={"api-key": key}, timeout=10)

    browser.until(lambda: "1 difference." in browser.text("#differences"), "the page stays")
    browser.click("#restore .send button")
    browser.driver.switch_to.alert.accept()
    browser.until(lambda: "The states are equal." in browser.text("#differences"), "the snapshot is not restored")
    assert browser.console() == []


def test_a_moment_is_kept_and_returned_to(browser, server_url, name, make):
    key = make(name)["api_key"]
    browser.open(page(server_url, name))
    type_into(browser, "#keep [name=name]", "before").send_keys(Keys.ENTER)
    browser.see("#snapshot-before")
    sender = {"name": "A", "email": "a@acme.test"}
    assert requests.post(f"{server_url}/v3/senders", json=sender, headers={"api-key": key}, timeout=10).ok

    browser.click("#restore-before .send button")
    browser.driver.switch_to.alert.accept()

    browser.until(lambda: browser.text("#restore-before .outcome") == "Snapshot before restored")
    left = requests.get(f"{server_url}/v3/senders", headers={"api-key": key}, timeout=10).json()
    assert left["senders"] == []
    browser.click("#forget-before .send button")
    browser.see("#no-snapshots")
    assert browser.console() == []


def test_moments_of_rows_are_told_from_now_or_exactly(browser, server_url, name, make):
    make(name)
    requests.put(f"{server_url}/w/{name}/_mock/clock", json={"frozen": True}, timeout=10)
    requests.post(f"{server_url}/w/{name}/_mock/snapshots", json={"name": "before"}, timeout=10)
    requests.post(f"{server_url}/w/{name}/_mock/clock/advance", json={"by": "PT3H"}, timeout=10)
    browser.open(f"{server_url}/w/{name}/_mock/ui/workspaces/{name}")
    moment = "#snapshot-before time"
    browser.until(lambda: browser.text(moment) == "3 h ago", "it is exact")

    browser.click("#exact")
    browser.until(lambda: browser.text(moment)[:2] == "20", "it stays")
    browser.driver.refresh()
    browser.until(lambda: browser.text(moment)[:2] == "20", "the choice is forgotten")
    browser.click("#exact")
    browser.until(lambda: browser.text(moment) == "3 h ago", "it stays exact")


def test_dropping_it_asks_and_leads_to_the_list(browser, server_url, name, make):
    make(name)
    browser.open(page(server_url, name))
    browser.click("#drop .send button")
    browser.driver.switch_to.alert.dismiss()
    assert requests.get(f"{server_url}/_mock/workspaces/{name}", timeout=10).ok

    browser.click("#drop .send button")
    browser.driver.switch_to.alert.accept()

    browser.until(lambda: browser.text("h1") == "Workspaces")
    assert browser.all(f"#workspace-{name}") == []


class Stripping(BaseHTTPRequestHandler):
    """A proxy that takes a prefix off, of which the server behind it knows nothing."""

    server_address_behind = ""

    def do_GET(self):
        address = f"{self.server_address_behind}{self.path.removeprefix('/behind/this')}"
        try:
            with urlopen(Request(address, headers={"Accept": self.headers["Accept"]}), timeout=10) as answer:
                self._pass_on(answer.status, answer.headers, b"" if "stream" in address else answer.read())
        except HTTPError as error:
            with error:
                self._pass_on(error.code, error.headers, error.read())

    def _pass_on(self, status, headers, body):
        self.send_response(status)
        for one in ("Content-Type", "Content-Security-Policy"):
            if one in headers:
                self.send_header(one, headers[one])
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


@contextmanager
def proxied(server):
    handler = type("Handler", (Stripping,), {"server_address_behind": server})
    with in_background(ThreadingHTTPServer(("127.0.0.1", 0), handler)) as proxy:
        yield f"http://127.0.0.1:{proxy.server_port}/behind/this"


def test_addresses_to_copy_are_those_by_which_the_browser_came(browser, server_url, name, make):
    make(name)
    with proxied(server_url) as root:
        browser.open(page(root, name))
        browser.see("#connect")
        browser.until(lambda: f"BREVO_BASE_URL={root}/w/{name}/v3" in browser.text("#connect"), "it is not said")
        copied = browser.script(
            "return [...document.querySelectorAll('#connect [data-copy]')].map(e => e.dataset.copy)"
        )
        browser.driver.get("about:blank")

    assert copied[0] == f"{root}/w/{name}/v3"
    assert server_url not in "\n".join(copied)


def test_code_of_a_request_has_the_address_by_which_the_browser_came(browser, server_url, name, make):
    key = make(name)["api_key"]
    requests.get(f"{server_url}/v3/account", headers={"api-key": key}, timeout=10)
    (row,) = requests.get(f"{server_url}/w/{name}/_mock/requests", timeout=10).json()["items"]
    with proxied(server_url) as root:
        browser.open(page(root, name, f"requests/{row['id']}"))
        browser.click("#as-fetch summary")
        browser.until(lambda: f"{root}/w/{name}/v3/account" in browser.text("#as-fetch"), "the address is not said")
        browser.driver.get("about:blank")


# ---------------------------------------------------------------------- coverage


def test_coverage_comes_by_itself_and_leads_to_the_request_by_the_keyboard(browser, server_url, name, make):
    key = make(name)["api_key"]
    browser.open(page(server_url, name, "coverage"))
    assert "0 of 34" in browser.text("#totals")

    requests.delete(f"{server_url}/v3/senders/4711", headers={"api-key": key}, timeout=10)

    browser.until(lambda: "1 of 34" in browser.text("#totals"), "it does not come")
    links = browser.see("#operation-deleteSender dd a", 2)
    (code,) = [link for link in links if link.text == "document_not_found"]
    code.send_keys(Keys.ENTER)
    browser.until(lambda: browser.text("h1") == "Timeline")
    assert "no sender 4711" in browser.text("main")
    assert browser.console() == []


def test_coverage_of_the_server_takes_in_other_workspaces(browser, server_url, name, make):
    key = make(name)["api_key"]
    browser.open(f"{server_url}/_mock/ui/coverage?workspace=*")
    before = browser.text("#operation-getDomains")

    requests.get(f"{server_url}/v3/senders/domains", headers={"api-key": key}, timeout=10)

    browser.until(lambda: browser.text("#operation-getDomains") != before, "it does not come")
    assert browser.all("#rows-operations a[href*='requests?']") == []
