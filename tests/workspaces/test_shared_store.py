"""Servers of one store: which workspaces each knows, holds, makes, loses, lets go and drops."""

from __future__ import annotations

import pytest

from mockserver.core.workspaces.eviction import Gone
from mockserver.core.workspaces.keeping import HeldElsewhereError, KeepingError
from mockserver.core.workspaces.store import KeyMode, NameTakenError, StoreFullError


def key_of(workspace):
    return workspace.state.first_account.api_keys[0]


def holder_of(ask):
    """The address at which somebody has to be asked instead."""
    with pytest.raises(HeldElsewhereError) as told:
        ask()
    return told.value.address


# ---------------------------------------------------------------------- what another server has made


@pytest.mark.parametrize("ask", ["get", "look"])
def test_a_workspace_that_another_server_holds_is_asked_for_there(one, two, ask):
    one.make("a")
    assert holder_of(lambda: getattr(two.store, ask)("a")) == one.address


def test_a_key_of_it_leads_there(one, two):
    key = key_of(one.make("a"))
    assert holder_of(lambda: two.store.find(key)) == one.address


def test_a_key_that_is_added_to_it_leads_there(one, two):
    one.make("a")
    assert two.store.get("unknown") is None
    one.add_key("a", "added")
    assert holder_of(lambda: two.store.find("added")) == one.address


def test_it_is_among_the_names_in_the_order_of_use_on_any_server(one, two):
    one.make("a")
    two.make("b")
    one.add_key("a", "later")
    for server in (one, two):
        assert tuple(server.store.names()) == ("default", "b", "a")


def test_what_is_known_costs_no_question(one, two):
    one.make("a")
    one.engine.trouble = "nobody can be asked"
    assert one.store.get("a") is one.store.peek("a") is not None


def test_the_server_that_holds_it_is_believed_to_do_so_for_a_moment(one, two):
    one.make("a")
    assert holder_of(lambda: two.store.get("a")) == one.address
    two.engine.trouble = "nobody can be asked"
    assert holder_of(lambda: two.store.get("a")) == one.address


def test_it_is_believed_no_more_once_it_is_heard_that_it_has_let_go(one, two):
    one.make("a")
    assert holder_of(lambda: two.store.get("a")) == one.address
    one.rest("a")
    two.store.keep_up()
    assert two.store.get("a") is not None


def test_of_an_unknown_name_nobody_says_that_there_is_none_if_nobody_can_tell(one, two):
    two.engine.trouble = "the database is away"
    with pytest.raises(KeepingError, match="the database is away"):
        two.store.get("a")


def test_a_name_that_nobody_has_leads_nowhere(two):
    assert two.store.get("a") is None


# ---------------------------------------------------------------------- letting go


def test_one_that_was_let_go_is_loaded_by_whoever_asks(one, two):
    one.make("a")
    one.rest("a")
    assert two.store.get("a") is not None
    assert holder_of(lambda: one.store.get("a")) == two.address


def test_it_comes_with_all_that_was_done_in_it(one, two):
    one.make("a")
    one.add_key("a", "added")
    one.rest("a")
    assert two.store.find("added")[0].name == "a"


def test_the_workspaces_of_a_dead_server_are_loaded_by_whoever_asks(cluster, one, two):
    one.make("a")
    cluster.kill(one)
    assert two.store.get("a") is not None


# ---------------------------------------------------------------------- losing


@pytest.fixture
def lost(cluster, one, two):
    """A workspace of the first server that the second has taken, as it was taken for dead; the first one knows."""
    workspace = one.make("a")
    cluster.shared.steal("a")
    two.store.get("a")
    with pytest.raises(KeepingError):
        one.add_key("a", "too late")
    return workspace


def test_one_that_was_lost_is_asked_for_where_it_is(one, two, lost):
    assert holder_of(lambda: one.store.get("a")) == two.address


def test_nobody_gets_its_lock_any_more(lost):
    with pytest.raises(KeepingError), lost.lock:
        pass


def test_nothing_happens_any_more_in_what_was_lost(cluster, one, two):
    workspace = one.make("a")
    job = workspace.jobs.begin(workspace.state.first_account.id, "delivery", 1)
    generation, told = workspace.mail_generation, []
    workspace.watchers.add(lambda: told.append(True))
    cluster.shared.steal("a")
    with pytest.raises(KeepingError):
        one.add_key("a", "too late")

    assert (bool(workspace.jobs), job.is_wanted, workspace.mail_generation > generation, bool(told)) == (
        False,
        False,
        True,
        True,
    )


def test_one_that_could_not_be_written_is_loaded_again_as_it_was(one):
    one.make("a")
    one.engine.trouble = "the database is away"
    with pytest.raises(KeepingError):
        one.add_key("a", "never kept")
    one.engine.trouble = None

    assert "never kept" not in one.store.get("a").state.keys


def test_one_whose_making_could_not_be_written_is_not_there(one):
    one.engine.trouble = None
    one.engine.meanwhile.append(lambda: setattr(one.engine, "trouble", "the database is away"))
    with pytest.raises(KeepingError):
        one.make("a")
    one.engine.trouble = None

    assert one.store.get("a") is None
    assert "a" not in one.store.names()


# ---------------------------------------------------------------------- the default workspace


def test_the_default_workspace_is_held_by_the_first_server(one, two):
    assert one.store.default.name == "default"
    assert holder_of(lambda: two.store.default) == one.address


def test_an_unknown_key_leads_to_it_where_it_is_held(one, two):
    assert one.store.find("unknown")[0] is one.store.default
    assert holder_of(lambda: two.store.find("unknown")) == one.address


def test_it_is_taken_by_another_server_if_the_first_is_dead(cluster, one, two):
    cluster.kill(one)
    assert two.store.default.name == "default"


def test_it_is_made_anew_if_the_database_was_emptied(cluster, one, two):
    cluster.shared.rows.clear()
    assert two.store.default.name == "default"
    two.keeping.settle()
    with pytest.raises(KeepingError):
        one.add_key("default", "lost")
    assert holder_of(lambda: one.store.default) == two.address


def test_servers_that_start_together_make_it_once(cluster):
    one = cluster.start()
    cluster.shared.rows["default"].outline = None  # it is claimed, and not written yet
    two = cluster.start()
    assert holder_of(lambda: two.store.default) == one.address


def test_its_title_is_known_where_it_is_not_held(one, two):
    assert two.store.title == one.store.title
    two.engine.trouble = "the database is away"
    assert two.store.title == one.store.title


def test_a_server_with_another_scenario_is_told_that_the_default_workspace_has_its_own(cluster, one, caplog):
    cluster.start({"accounts": [{"name": "other"}]})
    assert "the default workspace is as it was kept" in caplog.text


# ---------------------------------------------------------------------- making


def test_a_name_that_another_server_has_is_taken(one, two):
    one.make("a")
    with pytest.raises(NameTakenError):
        two.make("a")


def test_a_name_that_another_server_is_about_to_use_is_taken(one, two):
    assert one.keeping.claim("a")
    with pytest.raises(NameTakenError):
        two.make("a")


def test_a_name_of_one_that_was_dropped_is_free_on_any_server(one, two):
    one.make("a")
    two.store.names()
    one.drop("a")
    assert two.make("a").name == "a"


def test_an_unknown_key_gets_one_workspace_of_all_servers(cluster):
    one, two = (cluster.start(keys=KeyMode.ISOLATE) for _ in range(2))
    name = one.store.find("unknown")[0].name
    one.keeping.settle()
    assert holder_of(lambda: two.store.find("unknown")) == one.address
    one.rest(name)
    two.store.keep_up()
    assert two.store.find("unknown")[0].name == name


def test_an_unknown_key_leads_to_the_server_that_makes_its_workspace(cluster):
    one, two = (cluster.start(keys=KeyMode.ISOLATE) for _ in range(2))
    one.store.find("unknown")  # it is not kept yet
    assert holder_of(lambda: two.store.find("unknown")) == one.address


def test_a_key_that_another_server_knows_gets_no_workspace(cluster):
    one, two = (cluster.start(keys=KeyMode.ISOLATE) for _ in range(2))
    key = key_of(one.make("a"))
    assert not two.store.makes(key)


# ---------------------------------------------------------------------- dropping


def test_one_that_was_dropped_is_known_to_be_nowhere(one, two):
    key = key_of(one.make("a"))
    two.store.names()
    one.drop("a")
    assert (two.store.get("a"), two.store.find(key), two.store.why_gone("a")) == (None, None, Gone.DROPPED)
    assert "a" not in two.store.names()


def test_one_that_another_server_holds_is_dropped_there(one, two):
    one.make("a")
    two.store.names()
    assert holder_of(lambda: two.store.discard("a")) == one.address


def test_one_that_nobody_holds_is_loaded_to_be_dropped(one, two):
    one.make("a")
    one.rest("a")
    assert not two.store.discard("a")
    two.drop("a")
    assert (one.store.get("a"), one.store.why_gone("a")) == (None, Gone.DROPPED)


def test_one_that_cannot_be_read_can_be_dropped(cluster, one, two):
    one.make("a")
    one.rest("a")
    two.store.names()
    cluster.shared.rows["a"].parts["workspace"] = b"damaged"
    assert two.store.discard("a")
    two.keeping.settle()
    assert one.store.get("a") is None


def test_nothing_is_dropped_while_nobody_can_tell_what_there_is(one, two):
    one.make("a")
    two.store.names()
    two.engine.trouble = "the database is away"
    with pytest.raises(KeepingError, match="the database is away"):
        two.store.discard("a")
    assert "a" in two.store


# ---------------------------------------------------------------------- eviction


@pytest.fixture
def small(cluster):
    """Two servers of which all have three workspaces at most."""
    return cluster.start(limit=3), cluster.start(limit=3)


def test_the_workspace_that_was_used_longest_ago_on_any_server_is_evicted(small):
    one, two = small
    one.make("a")
    two.make("b")
    one.add_key("a", "used later")

    one.make("c")

    assert tuple(two.store.names()) == ("default", "a", "c")
    assert [server.store.why_gone("b") for server in small] == [Gone.EVICTED] * 2
    assert two.store.peek("b") is None


def test_one_that_is_watched_here_is_not_evicted(small):
    one, two = small
    one.make("a").watchers.add(print)
    two.make("b")
    one.make("c")
    assert tuple(one.store.names()) == ("default", "a", "c")


def test_a_workspace_for_which_there_is_no_room_is_not_made(cluster):
    one = cluster.start(limit=2)
    one.make("a").watchers.add(print)
    with pytest.raises(StoreFullError):
        one.make("b")
    one.keeping.settle()
    assert tuple(one.store.names()) == ("default", "a")


def test_none_is_evicted_while_the_database_is_away(small):
    one, _ = small
    one.make("a")
    one.make("b")
    one.engine.trouble = "the database is away"
    with pytest.raises(KeepingError):
        one.make("c")
    one.engine.trouble = None
    assert tuple(one.store.names()) == ("default", "a", "b")


# ---------------------------------------------------------------------- coverage


def cover(server, name):
    workspace = server.store.get(name)
    with workspace.lock:
        workspace.coverage.transitions["m", "e"] += 1
    server.keeping.settle()


def covered(server):
    found = dict(server.store.coverage().transitions)
    server.keeping.settle()
    return found


def test_coverage_is_that_of_all_servers(one, two):
    one.make("a"), two.make("b"), two.make("c")
    cover(one, "a"), cover(two, "b"), cover(two, "c")
    two.rest("c")
    assert covered(one) == covered(two) == {("m", "e"): 3}


def test_coverage_of_what_goes_stays_whichever_server_dropped_it(one, two):
    one.make("a"), two.make("b")
    cover(one, "a"), cover(two, "b")
    one.drop("a"), two.drop("b")
    assert covered(one) == covered(two) == {("m", "e"): 2}


def test_coverage_of_one_that_is_evicted_stays(small):
    one, two = small
    one.make("a"), two.make("b")
    cover(one, "a"), cover(two, "b")
    two.make("c")
    two.make("d")
    two.keeping.settle()
    assert covered(one) == covered(two) == {("m", "e"): 2}


def test_coverage_is_cleared_on_all_servers(one, two):
    one.make("a"), two.make("b"), two.make("c"), two.make("d")
    for name in "abcd":
        cover(one if name == "a" else two, name)
    two.rest("c")
    two.drop("d")

    one.store.clear_coverage()
    one.keeping.settle()

    assert covered(two) == covered(one) == {}
    assert {name: dict(two.store.get(name).coverage.transitions) for name in "bc"} == {"b": {}, "c": {}}
