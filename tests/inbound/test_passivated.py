"""Mails by SMTP for passivated workspaces."""

import pytest
from memory_storage import MemoryStorage, small_store
from stepped import Stepped

from mockserver.core.workspaces.storage import OutageError
from mockserver.resources.inbound import model

RAW = b"From: a@a.test\r\nTo: b@in.test\r\nSubject: S\r\n\r\nText"
HOOK = {"url": "http://127.0.0.1:9/", "type": "inbound", "events": ["inboundEmailProcessed"], "domain": "in.test"}
LISTENING = {"accounts": [{"name": "m", "role": "master", "api_keys": ["m"], "webhooks": [HOOK]}]}


@pytest.fixture
def storage():
    return MemoryStorage()


@pytest.fixture
def store(storage):
    """A store whose workspace `b` listens, and rests as `a` and `c` do."""
    found = Stepped(small_store(storage))
    for name in "abc":
        found.create(LISTENING if name == "b" else None, name=name)
    assert all(map(found.passivate, "abc"))
    return found


def received(store, name):
    return len(store.look(name).state.first_account.timeline(model.InboundEvent))


def test_mail_reaches_a_passivated_workspace_and_loads_no_other(store, storage):
    model.take(store.inner, RAW, "a@a.test", ["b@in.test"])
    assert ([row.name for row in store.loaded()], storage.names) == (["default", "b"], ["c", "b"])
    assert received(store, "b") == 1


def test_damaged_workspace_does_not_block_mails_to_others(store, storage):
    storage.damaged["c"] = "it is damaged"
    model.take(store.inner, RAW, "a@a.test", ["b@in.test"])
    assert received(store, "b") == 1


def test_default_workspace_receives_mails_that_match_no_webhook(store):
    model.take(store.inner, RAW, "a@a.test", ["b@other.test"])
    assert [row.name for row in store.loaded()] == ["default"]
    assert received(store, "default") == 1


def test_mail_is_taken_nowhere_while_the_store_is_away(store, storage, monkeypatch):
    def fail(name):
        raise OutageError("the disk is away")

    monkeypatch.setattr(storage, "load", fail)
    with pytest.raises(OutageError, match="the disk is away"):
        model.take(store.inner, RAW, "a@a.test", ["b@in.test"])
    assert received(store, "default") == 0
