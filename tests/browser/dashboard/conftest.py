"""Workspaces in which something has happened, whose pages are looked at."""

from pathlib import Path
from urllib.parse import quote, unquote, urlsplit

import pytest
import requests
from stepped import Stepped
from web_page import links

from mockserver import Settings, create_app
from mockserver.app.runtime import Runtime
from mockserver.dashboard.application import PAGES
from mockserver.web.server.server import bind

#: Where screenshots of all views are kept: an artefact of the build.
ARTEFACTS = Path(__file__).parents[3] / "build" / "dashboard"
#: Of how many views of a page each is looked at: no page has more kinds of them.
MOST_VIEWS = 7
NAMES = [page.name for page in PAGES]
TEXTS = {"name": "Jo <b>Doe</b>", "email": "jo@acme.test"}


class Workspace:
    """A workspace, as programs and browsers reach it."""

    def __init__(self, server, name, **options):
        self.server, self.name = server, name
        self.http = requests.Session()
        self.http.trust_env = False
        made = self._well(self.http.post(f"{server}/_mock/workspaces", json={"name": name, **options}, timeout=30))
        self.root = f"{server}/w/{quote(name, safe='')}"
        self.key = made.json()["api_key"]

    def call(self, method, path, **options):
        """A call of the service, whatever comes of it."""
        return self.http.request(method, f"{self.root}{path}", headers={"api-key": self.key}, timeout=30, **options)

    def control(self, method, path, **options):
        """A control call, which goes well."""
        return self._well(self.http.request(method, f"{self.root}/_mock{path}", timeout=30, **options))

    def page(self, path=""):
        """The address of a page of the dashboard."""
        return f"{self.root}/_mock/ui/{path}"

    def views(self, name):
        """The addresses of a page: its own, and of the HTML pages below it the first of each kind that it links to."""
        first = self.page(name)
        found, left = {}, [first]
        while left and len(found) < MOST_VIEWS:
            address = left.pop(0)
            kind = self._kind(address, name)
            if kind in found:
                continue
            answer = self._well(self.http.get(address, timeout=30))
            if not answer.headers["Content-Type"].startswith("text/html"):
                continue
            found[kind] = address
            found_links = [link.partition("#")[0] for link in links(answer.text, address, "a")]
            left += [link for link in found_links if link.startswith(f"{first}/")]
        return list(found.values())

    def _kind(self, address, name):
        """What a view shows, whatever thing it shows that of: parts with a digit or a dot name things."""
        path = urlsplit(address).path.removeprefix(urlsplit(self.page(name)).path)
        parts = [unquote(part) for part in path.split("/")]
        return "/".join(
            "*" if any(not (letter.isalpha() or letter == "_") for letter in part) else part for part in parts
        )

    def drop(self):
        self.http.delete(f"{self.server}/_mock/workspaces/{quote(self.name, safe='')}", timeout=30)

    def _well(self, answer):
        assert answer.ok, f"{answer.request.method} {answer.url}: {answer.status_code} {answer.text[:500]}"
        return answer


def live(workspace):
    """Let something of everything happen in a workspace."""
    workspace.control("PUT", "/clock", json={"frozen": True})
    workspace.control("PUT", "/receivers/shop", json={"status": 429, "times": 2})
    hook = {
        "id": 7,
        "url": f"{workspace.server}/w/{workspace.name}/_mock/receiver/shop",
        "events": ["delivered", "opened"],
    }
    workspace.control("POST", "/seed", json={"webhooks": [hook]})
    workspace.call("GET", "/v3/account")
    made = workspace.call("POST", "/v3/senders", json=TEXTS).json()
    workspace.call("POST", "/v3/senders", json={"name": "", "email": "not an address", "colour": ["red", {"a": 1}]})
    workspace.call("PUT", f"/v3/senders/{made['id']}/validate", json={"otp": 1})
    workspace.call("POST", "/v3/senders/domains", json={"name": "new.test"})
    workspace.call("GET", "/v3/nothing?token=secret")
    workspace.call("DELETE", "/v3/senders/4711")
    workspace.control("POST", "/trigger", json={"event": "delivered", "to": "jo@acme.test"})
    workspace.control("POST", "/clock/advance", json={"by": "PT10M"})
    workspace.control(
        "POST", "/faults", json={"fault": "server_error", "match": {"operation": "getSenders"}, "times": 3}
    )
    workspace.call("GET", "/v3/senders")
    workspace.control("PUT", "/dns/new.test", json={"dkim_record": "wrong"})
    workspace.control("POST", "/snapshots", json={"name": "before"})


@pytest.fixture(scope="session")
def _runtime():
    runtime = Runtime(create_app(Settings()), bind("127.0.0.1", 0))
    runtime.start()
    yield runtime
    runtime.stop()


@pytest.fixture(scope="session")
def server_url(_runtime):
    """The root address of a server for all tests here, each of which has a workspace of its own."""
    return _runtime.url


@pytest.fixture(scope="session")
def store(_runtime):
    """The workspaces of that server."""
    return Stepped(_runtime.mock.store)


@pytest.fixture
def make_workspace(server_url, request):
    """A factory of workspaces."""
    made = []

    def make(name=None, **options):
        made.append(Workspace(server_url, name or f"w{abs(hash(request.node.nodeid)) % 10**8}-{len(made)}", **options))
        return made[-1]

    yield make
    for workspace in made:
        workspace.drop()
        workspace.http.close()


@pytest.fixture(scope="session")
def story(server_url):
    """A workspace in which something of everything has happened; nothing is changed in it."""
    found = Workspace(server_url, "acme-staging")
    live(found)
    yield found
    found.http.close()
