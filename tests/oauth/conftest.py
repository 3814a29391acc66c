"""A scenario for the tests of OAuth, a client with the steps of a flow, and a browser that reads forms."""

from __future__ import annotations

from contextlib import contextmanager
from typing import NamedTuple
from urllib.parse import parse_qsl, urlencode, urlsplit

import pytest
import requests
from web_page import read

from mockserver.resources.registry import ALL_OPERATIONS

REALM = "/realms/partner"
CALLBACK = "https://app.test/callback"
#: Secrets of private apps.
SECRETS = {"shop-app": "s3cret", "other-app": "0ther", "foreign-app": "f0reign", "bare-app": "b4re"}
#: Of RFC 7636, appendix B.
VERIFIER = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
CHALLENGE = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"


def _story():
    return {
        "clock": {"start": "2026-01-15T09:00:00Z", "frozen": True},
        "seed": 5,
        "behaviour": {"oauth_public_apps": True},
        "accounts": [
            {
                "name": "group", "id": 1003001, "role": "master", "enterprise": True, "api_keys": ["key-group"],
                "email": "boss@group.test", "first_name": "Ada", "last_name": "Byron", "company_name": "Group",
                "users": [
                    {"email": "boss@group.test", "admin": True, "password": "right horse"},
                    {"email": "clerk@group.test"},
                ],
                "senders": [{"id": 1, "name": "Group", "email": "news@group.test"}],
            },
            {
                "name": "shop", "id": 1003002, "role": "admin", "of": "group", "enterprise": True,
                "api_keys": ["key-shop"], "email": "keeper@shop.test",
                "users": [{"email": "keeper@shop.test", "password": "open sesame"}, {"email": "both@people.test"}],
                "senders": [{"id": 2, "name": "Shop", "email": "news@shop.test"}],
            },
            {
                "name": "foreign", "id": 1003003, "enterprise": True, "api_keys": ["key-foreign"],
                "email": "owner@foreign.test",
                "users": [{"email": "owner@foreign.test", "admin": True}, {"email": "both@people.test"}],
                "senders": [{"id": 3, "name": "Foreign", "email": "news@foreign.test"}],
            },
        ],
        "oauth_apps": [
            {
                "client_id": "shop-app", "client_secret": SECRETS["shop-app"], "name": "Shop App",
                "redirect_uris": [CALLBACK, "https://app.test/second?keep=1", "http://127.0.0.1:9/callback"],
                "scopes": ["account:read", "account:write", "contacts:read", "organization:read"],
            },
            {
                "client_id": "public-app", "name": "Public App", "redirect_uris": [CALLBACK],
                "scopes": ["account:read", "contacts:read"], "public": True,
            },
            {
                "client_id": "other-app", "client_secret": SECRETS["other-app"], "redirect_uris": [CALLBACK],
                "scopes": ["all"],
            },
            {
                "client_id": "foreign-app", "client_secret": SECRETS["foreign-app"], "name": "Foreign App",
                "redirect_uris": [CALLBACK], "account": "foreign",
            },
            {"client_id": "bare-app", "client_secret": SECRETS["bare-app"], "redirect_uris": [CALLBACK]},
        ],
    }  # fmt: skip


@pytest.fixture
def story():
    """Scenario with a master, an admin account, a foreign account, users, and apps of both organizations."""
    return _story()


@pytest.fixture(scope="module")
def live_root(module_serve):
    """Root address of a real server with the scenario and a running clock."""
    return module_serve({**_story(), "clock": {}}, keys="known")


class Realm:
    """Client of a workspace's OAuth addresses, without an API key."""

    def __init__(self, api, root=""):
        self.api = api
        self.root = root

    def open(self, method, path, *, token=None, **options):
        headers = {} if token is None else {"Authorization": f"Bearer {token}"}
        headers |= options.pop("headers", {})
        return self.api.client.open(self.root + path, method=method, headers=headers, **options)

    def advance(self, by):
        return self.api.advance(by)

    def authorize(self, app="shop-app", *, fault=None, method="GET", **query):
        """Send an authorization request; None omits a parameter."""
        asked = {
            "client_id": app, "redirect_uri": CALLBACK, "response_type": "code", "scope": "account:read",
            "state": "s1",
        } | query  # fmt: skip
        asked = {name: value for name, value in asked.items() if value is not None}
        headers = {} if fault is None else {"X-Mock-Fault": fault}
        return self.open(method, f"{REALM}/oauth/authorize", query_string=asked, headers=headers)

    def code(self, app="shop-app", user="boss@group.test", **query):
        answer = self.authorize(app, mock_user=user, mock_consent="accept", **query)
        assert answer.status_code == 302, answer.text
        return self.told(answer)["code"]

    @staticmethod
    def told(answer):
        """Return the query of a redirection to the app."""
        assert answer.status_code == 302, answer.text
        return dict(parse_qsl(urlsplit(answer.headers["Location"]).query, keep_blank_values=True))

    def post(self, name, app="shop-app", *, basic=False, **form):
        """Post a form with the app's credentials, in the form or by Basic; None omits a field."""
        credentials = {"client_id": app, "client_secret": SECRETS.get(app)}
        sent = form if basic else credentials | form
        sent = {name: value for name, value in sent.items() if value is not None}
        auth = (app, SECRETS.get(app, "")) if basic else None
        return self.open("POST", f"{REALM}/oauth/{name}", data=sent, auth=auth)

    def exchange(self, code, app="shop-app", **form):
        return self.post("token", app, **{"grant_type": "authorization_code", "code": code} | form)

    def refresh(self, refresh_token, app="shop-app", **form):
        return self.post("token", app, grant_type="refresh_token", refresh_token=refresh_token, **form)

    def tokens(self, app="shop-app", user="boss@group.test", **query):
        """Run the whole flow of a private app; return the tokens."""
        answer = self.exchange(self.code(app, user, **query), app)
        assert answer.status_code == 200, answer.text
        return answer.json

    def logs(self, key="key-group"):
        rows = self.api.get("/v3/organization/activities", key=key).json["logs"]
        return [(row["action"], row["user_email"]) for row in rows]

    def call(self, token, method="GET", path="/v3/senders", **options):
        return self.open(method, path, token=token, **options)

    def works(self, token):
        """Return whether the API accepts a token with `account:read`."""
        answer = self.call(token)
        assert answer.status_code in (200, 401), answer.text
        return answer.status_code == 200


class Form:
    """The form of a page: its address, hidden fields, inputs, and buttons by their texts."""

    def __init__(self, answer):
        assert answer.status_code == 200, answer.text
        page = read(answer.text)
        self.words = page.text
        self.action = page.one("form").attributes.get("action")
        inputs = [each.attributes for each in page.all("input")]
        self.hidden = {row["name"]: row["value"] for row in inputs if row.get("type") == "hidden"}
        self.asked = [row["name"] for row in inputs if row.get("type") != "hidden"]
        buttons = [(each.text, each.attributes) for each in page.all("button")]
        self.buttons = {text: {row["name"]: row["value"]} if "name" in row else {} for text, row in buttons}


class Visitor:
    """A browser without a screen, which reads, fills in and sends forms."""

    def __init__(self, realm, client=None):
        self.client = client or realm.api.app.test_client()
        self.form = None
        self._here = None

    def visit(self, url):
        return self._arrive(url, self.client.get(url))

    def press(self, words, *, headers=None, **filled_in):
        """Press the button that begins with these words; None omits a field of the form."""
        button = next(value for key, value in self.form.buttons.items() if key.startswith(words))
        sent = self.form.hidden | button | filled_in
        url = self.form.action or self._here
        sent = {name: value for name, value in sent.items() if value is not None}
        return self._arrive(url, self.client.post(url, data=sent, headers=headers))

    def _arrive(self, url, answer):
        self._here = url
        is_form = answer.status_code == 200 and "<form" in answer.text
        self.form = Form(answer) if is_form else None
        return answer


@pytest.fixture
def make_visitor():
    return Visitor


@pytest.fixture
def visitor(realm):
    return Visitor(realm)


@pytest.fixture
def question():
    def address(app="shop-app", **more):
        asked = {"client_id": app, "redirect_uri": CALLBACK, "scope": "account:read contacts:read", "state": "s1"}
        return f"{REALM}/oauth/authorize?{urlencode(asked | more)}"

    return address


@pytest.fixture
def make_realm(make_api, story):
    """Factory of workspaces with a changed scenario and server settings."""

    def make(behaviour=None, settings=None, **changes):
        scenario = {**story, **changes, "behaviour": {**story["behaviour"], **(behaviour or {})}}
        return Realm(make_api(scenario, **(settings or {})))

    return make


@pytest.fixture
def shop_realm(make_realm, story):
    """Workspace where shop is a sub-account with an app: a separate organization."""
    story["accounts"][1]["role"] = "sub_account"
    own = {"client_id": "own-app", "client_secret": "0wn", "account": "shop", "redirect_uris": [CALLBACK]}
    return make_realm(oauth_apps=[*story["oauth_apps"], own])


@pytest.fixture
def realm(make_realm):
    return make_realm()


@pytest.fixture
def is_refused():
    """Check an error answer of RFC 6749, 5.2."""

    def check(answer, status, error):
        assert (answer.status_code, answer.json["error"]) == (status, error), answer.text
        assert set(answer.json) == {"error", "error_description"}
        assert answer.json["error_description"]
        assert answer.content_type == "application/json"
        assert answer.headers["Cache-Control"] == "no-store"
        assert answer.headers["Pragma"] == "no-cache"
        return True

    return check


@pytest.fixture
def pkce():
    """Parameters of a public app's authorization request, and of its token request."""
    return {"code_challenge": CHALLENGE, "code_challenge_method": "S256"}, {"code_verifier": VERIFIER}


@pytest.fixture
def other_workspace(realm, story):
    def make(name):
        assert realm.api.post("/_mock/workspaces", json={"scenario": story, "name": name}).status_code == 201
        return type(realm)(realm.api, f"/w/{name}")

    return make


class Marked(NamedTuple):
    """Names with markup."""

    app: str = '<b onclick="x()">App</b><script>alert(1)</script>'
    user: str = '"<img/src=x>"@people.test'
    account: str = "<iframe src=//evil.test>'{{ 7 * 7 }}"


@pytest.fixture(scope="module")
def marked():
    return Marked()


@pytest.fixture(scope="module")
def target(make_api, marked):
    """Workspace with names that are markup, shared by a module's tests, as refusals change nothing."""
    story = _story()
    account = {"name": marked.account, "users": [{"email": marked.user}], "api_keys": ["key-marked"]}
    app = {
        "client_id": "marked-app", "client_secret": "m4rked", "name": marked.app, "account": marked.account,
        "redirect_uris": [CALLBACK, "https://second.test/", "myapp:///done"], "scopes": ["all"],
    }  # fmt: skip
    changes = {"accounts": [*story["accounts"], account], "oauth_apps": [*story["oauth_apps"], app]}
    return Realm(make_api(story | changes))


@pytest.fixture
def unmoved():
    """Context manager that checks that a workspace does not change, except for the draws of requests and pages."""

    def state(realm):
        found = realm.api.get("/_mock/state", headers={"X-Mock-Workspace": realm.root.removeprefix("/w/") or "default"})
        assert found.status_code == 200
        draws = found.json["resume"]["draws"]
        return found.json | {"resume": found.json["resume"] | {"draws": draws | {"request": 0, "csrf": 0}}}

    @contextmanager
    def check(realm):
        before = state(realm)
        yield
        assert state(realm) == before

    return check


@pytest.fixture
def anew(live_root):
    requests.post(f"{live_root}/_mock/reset", json={}, timeout=10).raise_for_status()


@pytest.fixture(params=["", "/w/default"], ids=["bare", "named"])
def issuer(request, live_root):
    """Issuer of the real server's workspace, at the root and at the workspace's address."""
    return f"{live_root}{request.param}{REALM}"


@pytest.fixture
def visit():
    """Follow an app's link as a user; return the address of the redirection."""

    def follow(url, user="boss@group.test", consent="accept"):
        answer = requests.get(
            url, params={"mock_user": user, "mock_consent": consent}, allow_redirects=False, timeout=10
        )
        assert answer.status_code == 302, answer.text
        return answer.headers["Location"]

    return follow


@pytest.fixture
def hours_pass(live_root):
    """Advance the real server's clock, not the libraries' clock."""

    def advance(by):
        requests.post(f"{live_root}/_mock/clock/advance", json={"by": by}, timeout=10).raise_for_status()

    return advance


@pytest.fixture
def ask():
    """Call an operation without a key, with the fields that select it."""

    def ask(realm, operation, **options):
        row = ALL_OPERATIONS[operation]
        form = dict([row.discriminator]) if row.discriminator else None
        return realm.open(row.method, row.path.replace("{", "").replace("}", ""), data=form, **options)

    return ask


@pytest.fixture
def add_fault():
    def add_fault(realm, fault, **rule):
        answer = realm.api.post(f"{realm.root}/_mock/faults", json={"fault": fault, **rule})
        assert answer.status_code == 201, answer.text
        return answer.json["id"]

    return add_fault


@pytest.fixture
def last_entry():
    return lambda realm: realm.api.get(f"{realm.root}/_mock/requests?limit=1").json["items"][0]
