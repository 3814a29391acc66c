"""A workspace is held by one server at a time, and nobody else can write it."""

from __future__ import annotations

import pytest

from mockserver.core.workspaces.keeping import HeldElsewhereError, Outline
from mockserver.storage.batch import Batch
from mockserver.storage.errors import NoWorkspaceError
from mockserver.storage.records.changes import Changes

ACME = Outline("acme", ["k"])
NEW = Changes({"state": b"new"}, (), ())


def test_a_name_is_claimed_by_one_server(one, other):
    assert one.claim("acme")
    assert not other.claim("acme")
    assert one.claim("acme")


def test_a_name_of_a_workspace_is_claimed_by_nobody(one, other, made):
    made(one)
    assert not one.claim("acme")
    assert not other.claim("acme")


def test_what_another_server_holds_is_not_taken_and_its_address_is_told(one, other, made):
    made(one)
    with pytest.raises(HeldElsewhereError) as refused:
        other.take("acme")
    assert (refused.value.name, refused.value.address) == ("acme", "http://one")


def test_a_name_that_another_server_has_claimed_is_held_by_it(one, other):
    one.claim("acme")
    with pytest.raises(HeldElsewhereError):
        other.take("acme")


def test_a_workspace_that_is_not_there_cannot_be_taken(one):
    with pytest.raises(NoWorkspaceError, match=r"holds no workspace acme$"):
        one.take("acme")


def test_what_one_server_lets_go_another_one_takes_as_it_was_written_last(one, other, made, written):
    made(one)
    written(one, state=b"the last")
    one.let_go(ACME)
    assert other.take("acme").parts == {"state": b"the last"}


def test_a_server_that_closes_lets_go_of_everything(join, other, made):
    one = join("http://one")
    for number in range(3):
        made(one, f"w{number}")
    one.close()
    for number in range(3):
        assert other.take(f"w{number}").parts == {"state": b"as it stands"}


def test_a_server_that_holds_a_workspace_no_longer_writes_nothing_of_it(one, other, made, written):
    made(one)
    one.let_go(ACME)
    other.take("acme")
    assert not written(one, state=b"too late")
    assert other.read("acme").parts == {"state": b"as it stands"}


def test_of_a_batch_the_rest_is_written(one, other, made, written):
    made(one)
    made(other, "beta")
    rows = [(Outline(name, ["new"]), NEW) for name in ("acme", "beta")]
    assert one.write(Batch(workspaces=rows, values={"secret": b"s"})) == {"beta"}
    assert one.read("acme").parts == {"state": b"new"}
    assert one.read("beta").parts == {"state": b"as it stands"}
    assert one.values() == {"secret": b"s"}


def test_a_server_that_is_not_heard_of_holds_nothing_that_another_one_asks_for(one, other, made, written, silenced):
    made(one)
    silenced(one)
    other.take("acme")
    assert not written(one, state=b"of a dead server")
    assert other.read("acme").parts == {"state": b"as it stands"}


def test_a_server_that_was_not_heard_of_goes_on_if_nobody_has_asked_for_its_workspaces(one, made, written, silenced):
    made(one)
    silenced(one)
    assert written(one, state=b"after a pause")


def test_each_taking_has_a_token_of_its_own(one, made, written, monkeypatch):
    made(one)
    held = one._held  # noqa: SLF001  # no test can delay what is on its way to Redis
    late = held.rows()
    one.take("acme")
    with monkeypatch.context() as before:
        before.setattr(held, "rows", lambda: late)
        assert not written(one, state=b"a write that has come late")
    assert one.read("acme").parts == {"state": b"as it stands"}


def test_what_another_server_holds_is_not_removed(one, other, made):
    made(one)
    assert other.write(Batch(removed=["acme"])) == {"acme"}
    assert one.names() == ["acme"]


def test_what_nobody_holds_is_removed_by_any_server(one, other, made):
    made(one)
    one.let_go(ACME)
    assert not other.write(Batch(removed=["acme"]))
    assert one.names() == []


def test_a_workspace_that_was_removed_is_held_by_nobody(one, other, made):
    made(one)
    one.write(Batch(removed=["acme"]))
    assert other.claim("acme")


def test_whoever_holds_it_a_workspace_is_evicted_once(one, other, made, written):
    made(one)
    assert other.evict("acme")
    assert not other.evict("acme")
    assert not written(one)
    assert one.names() == []


def test_a_value_is_drawn_by_whichever_server_asks_first(one, other):
    assert one.value("secret", b"of one") == b"of one"
    assert other.value("secret", b"of other") == b"of one"


def test_all_servers_add_to_the_counts(one, other):
    one.write(Batch(counts={"a": 1, "b": 2}))
    other.write(Batch(counts={"a": 3}))
    assert one.counts() == {"a": 4, "b": 2}
    other.clear_counts()
    assert one.counts() == {}
