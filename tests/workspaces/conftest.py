"""Workspaces, and random users who do anything that a team's tests may do."""

from __future__ import annotations

import json
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from functools import partial

import pytest
from random_user import STORY, RandomUser
from wire import decoded


@pytest.fixture
def story():
    """A fresh copy of the scenario of this folder."""
    return json.loads(json.dumps(STORY))


class Workspace:
    """One workspace of an application: what a client and a test do there."""

    def __init__(self, api, described):
        self.api, self.name, self.described = api, described["name"], described
        self.key = described["api_key"]

    def ask(self, method, path, body=None, *, key=None, headers=None, **options):
        """A request below the workspace's own address, `/v3/...` or `/_mock/...`."""
        headers = dict(headers or {})
        if path.startswith("/v3"):
            headers.setdefault("api-key", key or self.key)
        if body is not None:
            options["json"] = body
        return self.api.client.open(f"/w/{self.name}{path}", method=method, headers=headers, **options)

    def get(self, path, **options):
        return self.ask("GET", path, **options)

    def post(self, path, body=None, **options):
        return self.ask("POST", path, body, **options)

    def put(self, path, body=None, **options):
        return self.ask("PUT", path, body, **options)

    def delete(self, path, **options):
        return self.ask("DELETE", path, **options)

    @property
    def state(self):
        return self.get("/_mock/state").json

    @property
    def journal(self):
        return self.get("/_mock/requests?limit=1000").json["items"]

    @property
    def keys(self):
        """The first key of each account, by the account's name."""
        return {row["name"]: row["api_key"] for row in self.get(f"/_mock/workspaces/{self.name}").json["accounts"]}

    def new_sender(self, email, **options):
        return self.post("/v3/senders", {"name": "Ops", "email": email}, **options)


@pytest.fixture
def new_workspace():
    """A factory: a workspace of an API, of the server's scenario unless another one is given."""

    def make(api, scenario=None, *, seed=None, name=None):
        wanted = {"scenario": scenario, "seed": seed, "name": name}
        answer = api.post("/_mock/workspaces", json={key: value for key, value in wanted.items() if value is not None})
        assert answer.status_code == 201, answer.json
        return Workspace(api, answer.json)

    return make


@pytest.fixture
def default_workspace():
    """A factory: the default workspace of an API, in the same form."""
    return lambda api: Workspace(api, api.get("/_mock/workspaces/default").json)


@pytest.fixture
def make_workspace(make_api, new_workspace, story):
    """A factory: a workspace of the story, beside the default workspace of a new API."""
    return lambda **options: new_workspace(make_api(), story, **options)


@pytest.fixture
def random_user():
    """A factory: a random user of a workspace, by seed."""

    def make(workspace, seed):
        def ask(method, path, body=None, *, key=None):
            answer = workspace.ask(method, path, body, key=key)
            return answer.status_code, decoded(answer.data)

        return RandomUser(ask, seed)

    return make


THREADS = 8


@pytest.fixture
def at_once():
    """Runs a function in many threads that switch all the time; gives what they have found."""
    before = sys.getswitchinterval()

    def run(work):
        # Not before all have begun: Python 3.11 lets no thread begin to be measured while another one does.
        gate = threading.Barrier(THREADS, action=partial(sys.setswitchinterval, 1e-6))

        def one(number):
            gate.wait(20)
            return work(number)

        with ThreadPoolExecutor(THREADS) as pool:
            return list(pool.map(one, range(THREADS)))

    yield run
    sys.setswitchinterval(before)
