"""Workspaces whose pages are looked at, and an app of a third party that sends its users there."""

import itertools
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import parse_qsl, urlencode, urlsplit

import pytest
import requests
import yaml
from background_server import in_background


class App(ThreadingHTTPServer):
    """A third party's app: where it waits for its users, and with what they came."""

    daemon_threads = True

    def __init__(self):
        super().__init__(("127.0.0.1", 0), _AppHandler)
        self.came = []

    @property
    def root(self):
        return f"http://127.0.0.1:{self.server_port}"

    @property
    def told(self):
        """What the one user who came brought along."""
        ((path, query),) = self.came
        assert path == "/callback"
        return query


class _AppHandler(BaseHTTPRequestHandler):
    def do_GET(self):
        parts = urlsplit(self.path)
        if parts.path != "/favicon.ico":
            self.server.came.append((parts.path, dict(parse_qsl(parts.query))))
        onward = dict(parse_qsl(parts.query)).get("onward")
        body = b"" if onward else b"<!doctype html><title>The app</title><h1 id='app'>Welcome</h1>"
        self.send_response(303 if onward else 200)
        if onward:
            self.send_header("Location", onward)
        self.send_header("Content-Type", "text/html")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


@pytest.fixture(scope="session")
def _app():
    with in_background(App()) as app:
        yield app


@pytest.fixture
def app(_app):
    """An app to which nobody has come yet."""
    _app.came.clear()
    return _app


@pytest.fixture
def other_host():
    """A second one, at another origin."""
    with in_background(App()) as server:
        yield server


# ---------------------------------------------------------------------- workspaces


@pytest.fixture
def story(app):
    """The scenario of `story.yaml`, with the app's address in it."""
    text = Path(__file__).with_name("story.yaml").read_text()
    return yaml.safe_load(text.replace("APP", app.root))


class Workspace:
    """A workspace, as apps and browsers reach it."""

    def __init__(self, root, keys, app):
        self.root = root
        self.keys = keys
        self.app = app

    def authorize(self, **query):
        """Where the app sends its users."""
        asked = {
            "client_id": "app",
            "redirect_uri": f"{self.app.root}/callback",
            "scope": "account:read contacts:read contacts:write",
            "state": "state & more",
        }
        return f"{self.root}/realms/partner/oauth/authorize?{urlencode(asked | query)}"

    def post(self, path, **options):
        return self._well(requests.post(f"{self.root}{path}", timeout=10, **options))

    def get(self, path, **options):
        return self._well(requests.get(f"{self.root}{path}", timeout=10, **options))

    def tokens(self, code):
        """What the app gets for a code."""
        return self.post("/realms/partner/oauth/token", data={"code": code}, auth=("app", "s3cret"))

    def advance(self, by):
        """Let time pass."""
        self.post("/_mock/clock/advance", json={"by": by})

    def admin_landing(self):
        """Where an admin user's token opens the organization."""
        token = self._sso_token("/v3/corporate/ssoToken", email="boss@group.test")
        return f"{self.root}/account/login/corporate/sso/{token}"

    def landing(self, **place):
        """Where a token opens the sub-account."""
        token = self._sso_token("/v3/corporate/subAccount/ssoToken", id=1003002, email="keeper@shop.test", **place)
        return f"{self.root}/account/login/sub-account/sso/{token}"

    def _sso_token(self, path, **body):
        return self.post(path, headers=self.keys["group"], json=body)["token"]

    def shared(self, number):
        """Where a template is shown."""
        return self.get(f"/v3/emailCampaigns/{number}/sharedUrl", headers=self.keys["group"])["sharedUrl"]

    @staticmethod
    def _well(answer):
        assert answer.ok, answer.text
        return answer.json()


_NAMES = (f"browser-{number}" for number in itertools.count(1))


@pytest.fixture
def make_workspace(module_root, story, app):
    """A factory of workspaces with the story, changed at its top level."""

    def make(**changes):
        document = {"scenario": {**story, **changes}, "name": next(_NAMES)}
        made = requests.post(f"{module_root}/_mock/workspaces", json=document, timeout=10)
        assert made.status_code == 201, made.text
        keys = {row["name"]: {"api-key": row["api_key"]} for row in made.json()["accounts"]}
        return Workspace(made.json()["url"].removesuffix("/v3"), keys, app)

    return make


@pytest.fixture(scope="module")
def module_root(module_serve):
    """The server of a module's workspaces."""
    return module_serve("empty")


@pytest.fixture
def asked(browser, workspace):
    """The browser at the question for consent; the workspace whose page it is."""
    browser.open(workspace.authorize())
    browser.follow("button[value$=' boss@group.test']")
    browser.see("button[value=accept]")
    return workspace
