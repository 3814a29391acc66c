"""Requests as pytest: the tests carry what they need of earlier requests, and pass when they are pasted."""

import random

import pytest
from random_user import STORY, RandomUser

from mockserver.dashboard import snippets

#: The story without keys of its own, as a document with secrets is not written into a test.
_STORY = {**STORY, "accounts": [{**row} for row in STORY["accounts"]]}
for _row in _STORY["accounts"]:
    _row.pop("api_keys", None)


@pytest.fixture
def session(make_api):
    """A long session of a random user, with its requests, oldest first."""
    api = make_api("empty")
    api.post("/_mock/workspaces", json={"name": "long", "scenario": _STORY})
    key = api.get("/_mock/workspaces/long").json["api_key"]

    def ask(method, path, body=None, key=key):
        answer = api.request(method, f"/w/long{path}", json=body, headers={"api-key": key} if key else {})
        return answer.status_code, answer.get_json(silent=True)  # a fault may have damaged the body

    RandomUser(ask, 5).play(250)
    workspace = api.store.get("long")
    return workspace, list(workspace.journal)[::-1]


@pytest.mark.slow  # a session of many requests for each of the tests
def test_forty_random_requests_of_a_long_session_pass_as_tests(session, pytester):
    workspace, rows = session
    chosen = random.Random(1).sample(rows, 40)
    for number, row in enumerate(chosen):
        text = snippets.text("pytest", workspace, row, "http://mock.test")
        pytester.makepyfile(**{f"test_{number}": text})

    pytester.runpytest_subprocess("-p", "no:cacheprovider", "-q").assert_outcomes(passed=40)
