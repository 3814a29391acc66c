"""Servers of one store: each keeps what it holds, and loses what it cannot prove to be kept."""

import threading
from contextlib import contextmanager

import pytest
from shared_engine import SharedBytes
from shelf import small_store

from mockserver.core.traffic.coverage import Coverage
from mockserver.core.workspaces.keeping import (
    Cleared,
    Departed,
    HeldElsewhereError,
    KeepingError,
    Known,
    MissingError,
)
from mockserver.core.workspaces.origin import WorkspaceLimits
from mockserver.resources.registry import PARTS
from mockserver.settings import Settings
from mockserver.storage.shared_keeper import SharedKeeper


@pytest.fixture
def shared():
    """What all servers of a test share."""
    return SharedBytes()


@pytest.fixture
def make_keeper(shared):
    """A factory of the keepers of servers, each at its address."""
    made = []

    def make(address="http://one", **options):
        engine = shared.engine(address)
        made.append(SharedKeeper(engine, parts=PARTS, limits=WorkspaceLimits.of(Settings()), **options))
        made[-1].engine, made[-1].lost = engine, []
        made[-1].follow(made[-1].lost.append)
        return made[-1]

    yield make
    for keeper in made:
        keeper.close()


@pytest.fixture
def keeper(make_keeper):
    return make_keeper()


@pytest.fixture
def workspace(keeper):
    """A workspace that the first server has made, and of which all is kept."""
    return _made(keeper)


def _made(keeper, name="w"):
    assert keeper.claim(name)
    found = small_store(None).default
    found.name, found.lock = name, keeper.lock()
    keeper.add(found)
    keeper.settle()
    return found


def _touch(workspace):
    with workspace.lock:
        workspace.state.revoked_keys.add(f"key-{len(workspace.state.revoked_keys)}")


def _kept(keeper, name="w"):
    """How many keys of a workspace are refused, by what the engine holds."""
    return len(keeper.copy(name).state.revoked_keys)


def _in_thread(act):
    """Do something as another request would."""
    thread = threading.Thread(target=act)
    thread.start()
    thread.join()


@contextmanager
def _refused(match):
    with pytest.raises(KeepingError, match=match):
        yield


# ---------------------------------------------------------------------- holding


def test_a_workspace_is_held_by_who_has_made_it(workspace, make_keeper):
    with pytest.raises(HeldElsewhereError) as held:
        make_keeper("http://two").load("w")
    assert (held.value.name, held.value.address) == ("w", "http://one")


def test_anybody_may_look_at_a_copy(keeper, workspace, make_keeper):
    _touch(workspace)
    keeper.settle()
    assert _kept(make_keeper("http://two")) == 1


def test_a_name_is_claimed_by_one_server(keeper, make_keeper):
    assert keeper.claim("w")
    assert not make_keeper("http://two").claim("w")


def test_one_that_was_let_go_is_loaded_by_whoever_uses_it(keeper, workspace, make_keeper):
    _touch(workspace)
    keeper.settle()
    with workspace.lock:
        outline = keeper.release(workspace)
    keeper.let_go(outline)
    assert make_keeper("http://two").load("w").state.revoked_keys == {"key-0"}


def test_others_hear_of_a_workspace_when_it_is_kept(keeper, make_keeper):
    other = make_keeper("http://two")
    _made(keeper)
    assert [(type(row), row.outline.name) for row in other.news()] == [(Known, "w")]


# ---------------------------------------------------------------------- what is lost


def test_what_another_server_has_taken_is_lost(keeper, workspace, shared):
    shared.steal("w")
    _touch(workspace)
    with _refused("held by another server"):
        keeper.settle()
    assert keeper.lost == ["w"]
    assert _kept(keeper) == 0


def test_even_a_look_at_it_is_no_answer_then(keeper, workspace, shared):
    shared.steal("w")
    with workspace.lock:
        pass
    with _refused("held by another server"):
        keeper.settle()


def test_nobody_takes_the_lock_of_a_workspace_that_is_lost(keeper, workspace, shared):
    shared.steal("w")
    _touch(workspace)
    with _refused("held by another server"):
        keeper.settle()
    with _refused("held by another server"), workspace.lock:
        pytest.fail("it was taken")


def test_a_loss_is_told_to_whoever_has_used_the_workspace_and_to_nobody_else(keeper, workspace, shared):
    other = _made(keeper, "other")
    shared.steal("w")
    _in_thread(lambda: _touch(workspace))
    _touch(other)
    keeper.settle()
    assert keeper.lost == ["w"]
    assert _kept(keeper, "other") == 1


def test_who_asks_after_it_was_lost_is_told(keeper, workspace, shared):
    other = _made(keeper, "other")
    shared.steal("w")
    _touch(workspace)

    def settle_another():
        _touch(other)
        keeper.settle()

    _in_thread(settle_another)
    assert keeper.lost == ["w"]
    with _refused("held by another server"):
        keeper.settle()


def test_what_could_not_be_written_is_lost(keeper, workspace):
    keeper.engine.trouble = "the store cannot be reached"
    _touch(workspace)
    with _refused("the store cannot be reached"):
        keeper.settle()
    assert keeper.lost == ["w"]


def test_what_was_perhaps_written_is_lost_and_read_again(keeper, workspace):
    keeper.engine.loses_answer = True
    _touch(workspace)
    with _refused("closed before the answer"):
        keeper.settle()
    assert keeper.lost == ["w"]
    assert len(keeper.load("w").state.revoked_keys) == 1


def test_a_lost_workspace_is_used_again_when_the_store_is_there_again(keeper, workspace):
    keeper.engine.trouble = "the store cannot be reached"
    _touch(workspace)
    with _refused("the store cannot be reached"):
        keeper.settle()
    keeper.engine.trouble = None
    again = keeper.load("w")
    again.lock = keeper.lock()
    keeper.add(again)
    _touch(again)
    keeper.settle()
    assert _kept(keeper) == 1


def test_while_the_store_is_away_that_is_told_although_nothing_waits(keeper, workspace):
    gone = _made(keeper, "gone")
    keeper.remove("gone")
    keeper.settle()
    keeper.engine.trouble = "the store cannot be reached"
    _touch(workspace)
    with _refused("the store cannot be reached"):
        keeper.settle()
    _touch(gone)
    with _refused("the store cannot be reached"):
        keeper.settle()
    assert keeper.failure == "the store cannot be reached"


def test_what_another_server_removes_is_lost_when_that_is_heard(keeper, workspace, make_keeper):
    assert make_keeper("http://two").evict("w")
    assert keeper.news() == [Departed("w", "evicted")]
    assert keeper.lost == ["w"]


def test_what_it_held_is_lost_by_a_server_that_was_taken_for_dead(keeper, workspace, shared):
    shared.expel(keeper.engine)
    keeper.news()
    assert keeper.lost == ["w"]


def test_while_no_other_server_hears_of_this_one_that_is_told(keeper, workspace):
    keeper.engine.trouble = "the store cannot be reached"
    assert keeper.failure == "the store cannot be reached"


def test_one_that_nobody_has_is_missing(keeper):
    with pytest.raises(MissingError, match="holds no workspace w"):
        keeper.load("w")


# ---------------------------------------------------------------------- coverage


def _covered(number):
    found = Coverage()
    found.answers["getSenders", 200] += number
    found.codes["createSender", "invalid_parameter", False] += number
    return found


def test_servers_add_to_the_coverage_of_what_is_gone(keeper, make_keeper):
    for server, number in ((keeper, 1), (make_keeper("http://two"), 2)):
        server.add_past(_covered(number))
        server.settle()
    assert keeper.past() == _covered(3)


def test_what_could_not_be_added_is_added_later(keeper, workspace):
    keeper.engine.trouble = "the store cannot be reached"
    keeper.add_past(_covered(1))
    with _refused("the store cannot be reached"):
        keeper.settle()
    keeper.engine.trouble = None
    keeper.add_past(_covered(1))
    keeper.settle()
    assert keeper.past() == _covered(2)


def test_the_coverage_of_what_is_gone_is_cleared_for_all(keeper, make_keeper):
    other = make_keeper("http://two")
    keeper.add_past(_covered(1))
    keeper.settle()
    keeper.clear_past()
    assert other.past() == Coverage()
    assert other.news() == [Cleared()]


def test_a_count_that_is_none_is_refused(keeper, shared):
    shared.counts["answers"] = 1
    with _refused("'answers' is no count of a coverage"):
        keeper.past()


def test_coverage_is_cleared_where_nobody_holds_the_workspace(keeper, workspace, make_keeper):
    with workspace.lock:
        workspace.coverage.merge(_covered(1))
    keeper.settle()
    other = make_keeper("http://two")
    other.clear_coverage(["w", "missing"])
    assert keeper.coverage(["w"]) == _covered(1)

    with workspace.lock:
        row = keeper.release(workspace)
    keeper.let_go(row)
    other.clear_coverage(["w"])
    assert keeper.coverage(["w"]) == Coverage()
    assert keeper.load("w").name == "w"


# ---------------------------------------------------------------------- secrets


def test_a_secret_is_that_of_the_server_that_has_drawn_it_first(keeper, make_keeper):
    other = make_keeper("http://two")
    assert not other.has_secret("signing")
    assert keeper.secret("signing", lambda: b"first") == b"first"
    assert other.has_secret("signing")
    assert other.secret("signing", lambda: pytest.fail("there is one")) == b"first"


def test_a_secret_that_nobody_can_read_is_told(keeper):
    keeper.engine.trouble = "the store cannot be reached"
    with _refused("the store cannot be reached"):
        keeper.secret("signing", lambda: b"one")


def test_a_request_is_told_of_no_loss_of_what_its_thread_has_changed_before(keeper, shared, workspace):
    other = _made(keeper, "v")
    shared.steal("w")
    _touch(workspace)
    keeper.begin()
    _touch(other)

    keeper.settle()
