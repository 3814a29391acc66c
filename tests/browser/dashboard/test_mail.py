"""The page "Mail" in a browser: e-mails come by themselves, and what is in one reaches nothing."""

import socket
import threading

import pytest

SCENARIO = {
    "clock": {"start": "2026-01-15T09:00:00Z", "frozen": True},
    "senders": [{"id": 1, "name": "News", "email": "news@acme.test", "state": "verified"}],
    "domains": [{"name": "acme.test", "state": "authenticated"}],
}
pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.workspace(scenario=SCENARIO)]
#: What somebody's HTML tries; each takes the address of a server that is not to be asked.
TRIES = (
    "<link rel=preconnect href='{0}'>",
    "<LINK\trel=preconnect href='{0}'>",
    "<link rel=stylesheet href='{0}/style.css'>",
    "<link rel=prefetch href='{0}/next'>",
    "<meta http-equiv=refresh content='0;url={0}/gone'>",
    "<style>@import '{0}/more.css'; body {{ background: url({0}/paper.png) }}</style>",
    "<img src='{0}/pixel.png' srcset='{0}/2.png 2x'>",
    "<iframe src='{0}/frame'></iframe><object data='{0}/object'></object><embed src='{0}/embed'>",
    "<video src='{0}/film' poster='{0}/poster.png' autoplay></video>",
    "<script>document.body.textContent = 'Changed'; fetch('{0}/fetch')</script>",
    "<img src=x onerror=\"document.body.textContent = 'Changed'\">",
    "<svg onload=\"document.body.textContent = 'Changed'\"><image href='{0}/drawn.png'/></svg>",
    "<base href='{0}/'><form action='{0}/form'><button id=send>Send</button></form>",
    "<a id=out href='{0}/out' ping='{0}/ping'>Out</a><a id=top href='{0}/top' target=_top>Top</a>",
)


class Elsewhere:
    """A server that nobody is to ask: it counts who connects."""

    def __init__(self):
        self._socket = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._socket.getsockname()[1]}"
        self.came = []
        self._thread = threading.Thread(target=self._take, daemon=True)
        self._thread.start()

    def _take(self):
        while True:
            try:
                connection, _ = self._socket.accept()
            except OSError:
                return
            self.came.append(connection.getpeername())
            connection.close()

    def close(self):
        self._socket.shutdown(socket.SHUT_RDWR)
        self._socket.close()
        self._thread.join(10)


@pytest.fixture
def elsewhere():
    found = Elsewhere()
    yield found
    found.close()


@pytest.fixture
def hostile(browser, workspace, elsewhere):
    """The page of an e-mail that tries everything; the browser is there, within the frame."""
    mail = {
        "sender": {"email": "news@acme.test"},
        "to": [{"email": "bob@example.test"}],
        "subject": "Hi",
        "htmlContent": f"<h1>Hello</h1>{''.join(TRIES).format(elsewhere.url)}",
    }
    workspace.call("POST", "/v3/smtp/email", json=mail)
    (row,) = workspace.control("GET", "/mailbox?limit=1").json()["items"]
    page = workspace.page(f"mail/{row['id']}")
    browser.open(page)
    (frame,) = browser.see("iframe")
    browser.driver.switch_to.frame(frame)
    browser.see("h1")
    yield page
    browser.driver.switch_to.default_content()


def test_the_html_of_an_email_runs_nothing_and_asks_nobody(browser, hostile, elsewhere):
    assert browser.text("h1") == "Hello"
    assert "Changed" not in browser.text("body")
    for way_out in ("#top", "#send", "#out"):
        browser.click(way_out)

    # A connection that was begun would be there before one that is made now.
    socket.create_connection(elsewhere.url.removeprefix("http://").split(":")).close()
    browser.until(lambda: elsewhere.came)
    assert len(elsewhere.came) == 1
    browser.driver.switch_to.default_content()
    assert browser.driver.current_url == hostile


def test_a_mail_that_comes_in_makes_a_delivery_to_which_the_form_leads(browser, workspace):
    hook = {"url": "http://127.0.0.1:9/hook", "type": "inbound", "domain": "in.acme.test"}
    workspace.control("POST", "/seed", json={"webhooks": [{"id": 5, **hook}]})
    browser.open(workspace.page("mail/received"))

    browser.see("[name=sender]")[0].send_keys("bob@example.test")
    browser.see("[name=recipient]")[0].send_keys("help@in.acme.test\n")

    assert "to webhook 5" in browser.text(".made li")
    assert "from bob@example.test" in browser.text("#rows li")
