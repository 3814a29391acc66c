"""A commit is written upon the version that it names, or not at all; a read gives what is new since a version."""

from random import Random

import pytest
from load_balancer import until

from mockserver.storage.engine import Batch, Changes, ConflictError, DamagedError, EngineError, NoWorkspaceError, Row

KEYS_OF_ACME = ("mockserver:data:acme", "mockserver:fields:acme", "mockserver:history:acme")


@pytest.fixture
def engine(join, write):
    found = join()
    write(found, {"p:state": b"1", "e:journal:0": b"x", "k:k1": b"a", "k:k2": b"a"}, base="", nonce="a")
    return found


def put_aside(redis_server):
    """Remember a workspace as it is."""
    for key in KEYS_OF_ACME:
        assert redis_server.command(f"COPY {key} aside:{key} REPLACE") == ":1"


def go_back(redis_server):
    """Put a workspace back as it was, as Redis does that was killed before its last changes reached the disk."""
    for key in KEYS_OF_ACME:
        assert redis_server.command(f"COPY aside:{key} {key} REPLACE") == ":1"


def test_workspace_is_read_as_a_whole_without_a_known_version(engine):
    fields = {"p:state": b"1", "e:journal:0": b"x", "k:k1": b"a", "k:k2": b"a"}

    assert engine.read("acme") == ("1-a", fields, [], True)


def test_changes_are_read_since_a_known_version(engine, write):
    write(engine, {"p:state": b"2", "e:journal:1": b"y"}, nonce="b")
    write(engine, {"e:journal:2": b"z"}, gone=["e:journal:0", "p:none"], nonce="c")

    changed = {"p:state": b"2", "e:journal:1": b"y", "e:journal:2": b"z"}
    assert engine.read("acme", "1-a") == ("3-c", changed, ["e:journal:0", "p:none"], False)
    assert engine.read("acme", "2-b") == ("3-c", {"e:journal:2": b"z"}, ["e:journal:0", "p:none"], False)


def test_deleted_field_that_was_written_again_is_not_gone(engine, write):
    write(engine, gone=["p:state"], nonce="b")
    write(engine, {"p:state": b"3"}, nonce="c")

    assert engine.read("acme", "1-a") == ("3-c", {"p:state": b"3"}, [], False)


def test_workspace_is_read_as_a_whole_when_its_history_lacks_the_known_version(engine):
    for known in ("1-other", "7-a", "no version", "1-", "-a", "01-a"):
        assert engine.read("acme", known).is_whole


def test_history_goes_back_64_commits(engine, write, redis_server):
    for number in range(100):
        write(engine, {"p:state": b"%d" % number}, gone=[f"e:journal:{number}"], nonce=f"n{number}")

    assert engine.read("acme", "37-n35").is_whole
    assert len(engine.read("acme", "38-n36").gone) == 63
    assert redis_server.command("ZCARD mockserver:history:acme") == ":128"


def test_copies_are_those_of_one_moment_whatever_happens_to_the_store(join, write, redis_server):
    random, engine, copies = Random(1), join(), {number: ("", {}) for number in range(3)}
    names = [f"e:journal:{number}" for number in range(8)]
    write(engine, {"p:state": b"0"})
    put_aside(redis_server)
    for number in range(400):
        event = random.random()
        if event < 0.02:
            put_aside(redis_server)
        elif event < 0.04:
            go_back(redis_server)
        elif event < 0.06:
            engine.write(Batch(removed={"acme": "*"}, rows=[Row("acme", Changes({"p:state": b"%d" % number}))]))
        else:
            gone = random.sample(names, 2)
            fields = {name: b"%d" % number for name in random.sample(names, 2) if name not in gone}
            write(engine, fields, gone=gone)
        reader = random.randrange(3)
        version, fields = copies[reader]
        found = engine.read("acme", version)
        if found is not None:
            kept = {} if found.is_whole else {name: fields[name] for name in fields if name not in found.gone}
            copies[reader] = found.version, kept | found.fields
            assert copies[reader] == engine.read("acme")[:2]


def test_known_versions_of_a_state_that_was_lost_are_read_as_a_whole(engine, write, redis_server):
    put_aside(redis_server)
    write(engine, {"p:state": b"lost", "p:snapshot/s": b"lost"}, nonce="b")
    go_back(redis_server)
    write(engine, {"e:journal:1": b"y"}, base="1-a", nonce="c")

    found = engine.read("acme", "2-b")
    assert (found.version, found.is_whole, found.fields["p:state"]) == ("2-c", True, b"1")
    assert "p:snapshot/s" not in found.fields
    with pytest.raises(ConflictError):
        write(engine, {"p:state": b"3"}, base="2-b")


@pytest.mark.parametrize("base", ["", "2-a", "1-b"])
def test_commit_upon_another_version_writes_nothing(engine, base):
    before = engine.read("acme")
    rows = [Row("beta", Changes({"p:state": b"1"})), Row("acme", Changes({"p:state": b"3"}), base)]

    with pytest.raises(ConflictError) as conflict:
        engine.write(Batch(rows=rows, counts={"answers": 1}))

    assert conflict.value.names == ["acme"]
    assert engine.read("acme") == before
    assert engine.names() == ["acme"]
    assert engine.counts() == {}


@pytest.mark.parametrize(("base", "is_done"), [("1-a", True), ("*", True), ("9-z", False), ("", False)])
def test_removal_compares_the_version_too(engine, base, is_done):
    removal = Batch(removed={"acme": base})
    if not is_done:
        with pytest.raises(ConflictError):
            engine.write(removal)
        assert engine.homes("k1") == ["acme"]
        return
    engine.write(removal)
    with pytest.raises(NoWorkspaceError, match=r"holds no workspace acme$"):
        engine.read("acme")
    assert engine.names() == engine.homes("k1") == engine.outlines() == engine.due(9) == []


def test_removed_workspace_leaves_nothing_to_a_new_one_of_its_name(engine):
    engine.write(Batch(removed={"acme": "1-a"}, rows=[Row("acme", Changes({"p:clock": b"2"}))], nonce="b"))

    assert engine.read("acme", "1-a") == ("1-b", {"p:clock": b"2"}, [], True)
    assert engine.homes("k1") == []


def test_commit_to_an_emptied_store_conflicts_and_a_new_workspace_makes_it_anew(engine, write, redis_server):
    redis_server.command("FLUSHALL")

    with pytest.raises(ConflictError):
        write(engine, {"p:state": b"2"}, base="1-a")
    write(engine, {"p:state": b"2"}, base="", nonce="b")

    assert engine.read("acme", "1-a") == ("1-b", {"p:state": b"2"}, [], True)
    assert engine.header.writer == "mockserver 1.0"


def test_key_leads_to_its_workspaces_in_the_order_in_which_they_got_it(engine, write):
    write(engine, {"k:k1": b"b"}, name="beta")
    write(engine, {"k:k1": b"revoked"})
    assert engine.homes("k1") == ["acme", "beta"]

    write(engine, {"k:k3": b"a"}, gone=["k:k1"])
    assert [engine.homes(key) for key in ("k1", "k2", "k3", "k4")] == [["beta"], ["acme"], ["acme"], []]


def test_name_within_another_name_is_not_taken_for_it(engine, write):
    write(engine, {"k:k1": b"a"}, name="acme.b")
    write(engine, {"k:k1": b"a"}, name="acm")
    write(engine, gone=["k:k1"])

    assert engine.homes("k1") == ["acme.b", "acm"]


@pytest.mark.parametrize("key", ["", "ключ", "a b", "a:b", "\ud800", "*"])
def test_unusual_text_works_as_api_key(engine, write, key):
    write(engine, {f"k:{key}": b"a"}, name="beta")

    assert engine.homes(key) == ["beta"]
    assert engine.read("beta").fields == {f"k:{key}": b"a"}
    assert engine.outlines()[-1].keys == [key]


def test_new_key_takes_no_more_room_than_the_one_before(engine, write, redis_server):
    def written(number):
        before = int(redis_server.command("MEMORY USAGE mockserver:history:acme").removeprefix(":"))
        write(engine, {f"k:key-{number}": b"a"})
        return int(redis_server.command("MEMORY USAGE mockserver:history:acme").removeprefix(":")) - before

    write(engine, {f"k:many-{number}": b"a" for number in range(2_000)})
    assert max(written(number) for number in range(10)) < 1_000
    assert redis_server.command("HLEN mockserver:keys") == ":2012"


@pytest.mark.parametrize("name", ["../../victim", "/tmp/victim", "a" * 65, "\\xff"])
def test_name_that_no_workspace_can_have_is_damage(engine, redis_server, name):
    redis_server.command(f'ZADD mockserver:used 0 "{name}"')
    redis_server.command(f'ZADD mockserver:due 0 "{name}"')
    redis_server.command(f'HSET mockserver:keys k "{name}"')

    for read in (engine.names, lambda: engine.due(9), engine.outlines, engine.sizes, lambda: engine.homes("k")):
        with pytest.raises(DamagedError, match="is not a name that a workspace can have"):
            read()
    assert engine.failure is None


def test_foreign_data_costs_one_workspace(engine, write, redis_server):
    write(engine, name="beta")
    redis_server.command("SET mockserver:data:acme mine")

    with pytest.raises(DamagedError):
        engine.read("acme")
    assert engine.read("beta")


@pytest.fixture
def full(redis_server):
    """Redis without room for anything more."""
    redis_server.command("CONFIG SET maxmemory 1")
    yield
    redis_server.command("CONFIG SET maxmemory 0")


def test_full_redis_refuses_a_write_as_a_whole(engine, full, redis_server):
    with pytest.raises(EngineError, match="is full"):
        engine.write(
            Batch(rows=[Row("acme", Changes({"p:state": b"2"}), "*"), Row("beta", Changes({"p:state": b"1"}))])
        )

    redis_server.command("CONFIG SET maxmemory 0")
    until(lambda: engine.failure is None, "Redis can be used again")
    assert engine.names() == ["acme"]
    assert engine.read("acme").version == "1-a"


def test_full_redis_replaces_a_workspace_by_another_one(engine, full):
    engine.write(Batch(removed={"acme": "*"}, rows=[Row("beta", Changes({"p:state": b"1"}))]))

    assert engine.names() == ["beta"]
