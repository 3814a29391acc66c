"""Mails by SMTP for several workspaces: each of them receives the mail once, or none of them."""

import pytest
from memory_storage import small_store
from stepped import Stepped, held_elsewhere

from mockserver.core.workspaces import storage
from mockserver.core.workspaces.storage import Storage, StorageError
from mockserver.resources.inbound import model

RAW = b"From: a@a.test\r\nTo: b@b.test\r\nSubject: S\r\n\r\nText"
RECIPIENTS = ["r@a.test", "r@b.test"]


@pytest.fixture
def store():
    """A store with the workspaces `a` and `b`, each with an inbound webhook for the domain of its name."""
    found = Stepped(small_store(Storage()))
    for name in "ab":
        hook = {"url": "http://127.0.0.1:9/", "type": "inbound", "events": ["inboundEmailProcessed"]}
        hook["domain"] = f"{name}.test"
        found.create({"accounts": [{"name": "m", "role": "master", "webhooks": [hook]}]}, name=name)
    return found


def received(store, *names):
    """How many mails each workspace has received."""
    return [
        store.within(name, lambda found: len(found.state.first_account.timeline_of(model.InboundEvent)))
        for name in names
    ]


def test_each_recipient_receives_the_mail(store):
    model.take(store.inner, RAW, "s@s.test", RECIPIENTS)
    assert received(store, "a", "b", "default") == [1, 1, 0]


def test_nobody_receives_a_mail_that_is_refused_as_a_workspace_is_busy(store, monkeypatch):
    monkeypatch.setattr(storage, "_PATIENCE_S", 0.01)
    monkeypatch.setattr(model, "_home_of", lambda store, recipient: recipient[2])  # it is busy from then on
    with (
        held_elsewhere(store.inner.storage, store.peek("b")),
        pytest.raises(StorageError, match="workspace b is busy"),
    ):
        model.take(store.inner, RAW, "s@s.test", RECIPIENTS)
    assert received(store, "a", "b", "default") == [0, 0, 0]


def test_a_mail_for_a_workspace_that_is_gone_by_now_goes_to_the_default_workspace(store, monkeypatch):
    monkeypatch.setattr(model, "_home_of", lambda store, recipient: recipient[2])
    store.drop(store.peek("b"))
    model.take(store.inner, RAW, "s@s.test", RECIPIENTS)
    assert received(store, "a", "default") == [1, 1]
