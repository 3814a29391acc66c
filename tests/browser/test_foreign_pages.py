"""What web pages of other origins get from the service in a real browser, which writes the headers itself."""

from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
import requests
from background_server import in_background

from mockserver import MockServer

pytestmark = [pytest.mark.browser, pytest.mark.slow]  # a browser is a program of its own

_FETCH = """
const [url, options, done] = arguments;
fetch(url, options).then((answer) => done(answer.status), () => done("refused by the browser"));
"""
_IMAGE = """
const [url, done] = arguments, image = new Image();
image.onload = image.onerror = () => done();
image.src = url;
"""


class _Page(BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.end_headers()
        self.wfile.write(b"<!DOCTYPE html><title>A front end</title>")

    def log_message(self, *_):
        pass


@pytest.fixture(scope="module")
def port():
    """Where a web page is served, under each name that leads to loopback."""
    with in_background(ThreadingHTTPServer(("127.0.0.1", 0), _Page)) as server:
        yield server.server_port


@pytest.fixture
def mock():
    with MockServer("standard", keys="any") as server:
        yield server.url


def fetched(browser, url, **options):
    return browser.driver.execute_async_script(_FETCH, url, options)


def statuses(root):
    items = requests.get(f"{root}/_mock/requests", timeout=20).json()["items"]
    return [(row["method"], row["status"]) for row in reversed(items)]


def test_page_of_a_foreign_origin_is_refused(browser, port, mock):
    browser.open(f"http://page.example.com:{port}/")

    assert fetched(browser, f"{mock}/v3/webhooks") == 403
    assert fetched(browser, f"{mock}/v3/webhooks", headers={"api-key": "any"}) == "refused by the browser"
    assert fetched(browser, f"{mock}/w/default/v3/senders", method="POST", body="{}") == 403
    assert fetched(browser, f"{mock}/realms/partner/oauth/token", method="POST", body="") == 403
    browser.driver.execute_async_script(_IMAGE, f"{mock}/v3/account")
    assert statuses(mock) == [("GET", 403), ("OPTIONS", 403), ("POST", 403), ("POST", 403), ("GET", 403)]


@pytest.mark.parametrize("name", ["127.0.0.1", "app.test"])
def test_front_end_of_a_private_name_is_answered(browser, port, mock, name):
    browser.open(f"http://{name}:{port}/")

    assert fetched(browser, f"{mock}/v3/webhooks", headers={"api-key": "any"}) == 200


def test_front_end_of_an_allowed_host_is_answered(browser, port):
    browser.open(f"http://page.example.com:{port}/")

    with MockServer("standard", keys="any", allowed_host=["page.example.com"]) as server:
        assert fetched(browser, f"{server.url}/v3/webhooks", headers={"api-key": "any"}) == 200


def test_body_of_a_fault_runs_no_script(browser, mock):
    path = "/realms/partner/.well-known/openid-configuration"
    page = "<title>as it was</title><script>document.title = 'a script ran'</script>"
    rule = {"fault": "changed_answer", "match": {"path": path}, "body": page, "headers": {"Content-Type": "text/html"}}
    assert requests.post(f"{mock}/_mock/faults", json=rule, timeout=20).status_code == 201

    browser.open(f"{mock}{path}")

    assert browser.driver.title == "as it was"
