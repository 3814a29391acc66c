"""A step gives a workspace back that it has only looked at: nobody waits for the rest of the step."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
from stepped import held_elsewhere, tells


@pytest.fixture
def storage(api):
    return api.app.store.storage


def test_another_step_has_a_workspace_that_was_let_go(api, storage):
    def step():
        workspace = api.app.store.default
        workspace.let_go()
        with ThreadPoolExecutor(1) as pool:
            return pool.submit(api.get, "/v3/account").result(30).status_code

    assert storage.run(step) == 200


def test_a_workspace_that_was_let_go_is_opened_again(api, storage):
    def step():
        workspace = api.app.store.default
        workspace.let_go()
        workspace.open()
        return storage.hold(workspace, 0)

    assert storage.run(step)


def test_a_refused_caller_that_waits_for_the_default_workspace_keeps_no_other(api, storage, new_workspace):
    other = new_workspace(api, name="other")
    key = api.store.peek("other").state.first_account.api_keys[0]
    assert other.post("/_mock/keys/revoke", {"key": key}).status_code == 200
    waits = threading.Event()
    storage.leave = tells(waits)
    with ThreadPoolExecutor(1) as pool:
        with held_elsewhere(storage, api.store.peek("default")):
            refused = pool.submit(api.get, "/v3/account", key=key)
            assert waits.wait(30)
            assert other.get("/_mock/clock").status_code == 200
        assert refused.result(30).status_code == 401
