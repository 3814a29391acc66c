"""What the servers of a store know of each other, and what becomes of them when Redis or the network fails."""

import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest
from load_balancer import until

from mockserver.storage.engine import Batch, Changes, DamagedError, EngineError, Row
from mockserver.storage.redis_client import ANSWER_S


@pytest.fixture
def lined(join, proxy):
    """An engine that reaches the store by a line that a test can make bad."""
    return join(f"redis://127.0.0.1:{proxy.port}/0")


def fails(call):
    """How many seconds a call takes until it fails."""
    begin = time.monotonic()
    with pytest.raises(EngineError):
        call()
    return time.monotonic() - begin


def test_workspaces_are_due_when_their_time_has_come(join):
    engine, now = join(), time.time()
    engine.write(Batch(rows=[Row(name, Changes(), "", at) for name, at in (("late", now + 99), ("soon", now - 1))]))

    assert engine.due(9) == ["soon"]


def test_damaged_value_is_refused(join, redis_server):
    engine = join()
    redis_server.command("HSET mockserver:values secret nonsense")

    with pytest.raises(DamagedError, match="is damaged"):
        engine.value("secret")


def test_names_are_remembered_until_they_are_forgotten(join):
    one, other = join(), join()
    one.remember("acme", 60)
    assert (other.remembers("acme"), other.remembers("beta")) == (True, False)

    other.forget("acme")
    assert not one.remembers("acme")


def test_server_lives_until_it_is_closed(join):
    one, other = join(), join()
    assert one.living([one.server, other.server, "nobody"]) == {one.server, other.server}

    other.close()
    assert one.living([one.server, other.server]) == {one.server}
    with pytest.raises(EngineError, match=r"is closed$"):
        other.names()


def test_one_server_at_a_time_has_the_lock(join):
    one, other = join(), join()
    assert (one.order("acme"), other.order("acme"), other.order("beta")) == (True, False, True)

    one.let_go("acme")
    assert other.order("acme")


def test_other_servers_hear_of_changes_until_they_are_closed(join, write):
    one, other, heard = join(), join(), []
    listening = threading.Thread(target=lambda: heard.extend(other.changes()), daemon=True)
    listening.start()

    until(lambda: write(one, nonce="a") or heard, "the commit is heard of")
    one.write(Batch(removed={"acme": "*"}))
    until(lambda: heard[-1] == ("acme", ""), "the removal is heard of")
    other.close()
    listening.join(10)

    assert not listening.is_alive()
    assert heard[0][1].endswith("-a")


def test_silence_costs_one_command_and_then_nobody_waits(lined, proxy):
    assert lined.names() == []
    proxy.silence()

    with ThreadPoolExecutor(30) as pool:
        waited = list(pool.map(lambda _: fails(lined.names), range(60)))
    later = fails(lined.names)

    assert max(waited) < ANSWER_S + 1  # not one after the other
    assert later < 0.1
    assert "has not answered in time" in lined.failure
    proxy.pass_all()
    until(lambda: lined.failure is None, "the line is well again")
    assert lined.names() == []


def test_connecting_counts_as_part_of_the_command(join, proxy, redis_server):
    join(redis_server.url(1))
    engine = join(f"redis://127.0.0.1:{proxy.port}/1", is_server=False)
    proxy.cut()
    proxy.delay(0.6 * ANSWER_S)  # for the reply to SELECT, and for that of the command

    assert fails(engine.names) < ANSWER_S + 0.5


def ask_at_once(engine, count):
    with ThreadPoolExecutor(count) as pool:
        assert list(pool.map(lambda _: engine.names(), range(count))) == [[]] * count


def test_concurrent_redis_calls_do_not_wait_for_each_other(lined, proxy):
    proxy.delay(0.4 * ANSWER_S)
    begin = time.monotonic()
    ask_at_once(lined, 20)

    assert time.monotonic() - begin < 3 * ANSWER_S


def test_idle_connections_are_closed_when_another_fails(lined, proxy):
    proxy.delay(0.2)
    ask_at_once(lined, 10)
    proxy.silence()
    fails(lined.names)
    before = proxy.accepted
    proxy.pass_all()
    until(lambda: lined.failure is None, "the line is well again")
    proxy.delay(0.2)
    ask_at_once(lined, 10)

    assert proxy.accepted >= before + 9  # the thread that beats has made one


def test_lost_reply_is_told_and_the_commit_is_not_repeated(lined, proxy, write, join):
    write(lined, nonce="a")
    proxy.keep_of_replies(0)
    fails(lambda: write(lined, nonce="b"))
    proxy.pass_all()

    assert join().read("acme").version in ("1-a", "2-b")


@pytest.mark.parametrize(("change", "sentence"), [("layout other", "another layout"), ("format 4", "is of format 4")])
@pytest.mark.parametrize(
    "call",
    [
        lambda engine: engine.write(Batch(rows=[Row("acme", Changes())])),
        lambda engine: engine.value("secret", b"drawn"),
        lambda engine: engine.remember("acme", 60),
        lambda engine: engine.read("acme"),
    ],
    ids=["write", "value", "remember", "read"],
)
def test_store_of_another_version_is_not_used(join, redis_server, call, change, sentence):
    engine = join()
    redis_server.command(f"HSET mockserver:header {change}")

    with pytest.raises(EngineError, match=sentence):
        call(engine)
    assert redis_server.command("EXISTS mockserver:used mockserver:values mockserver:known:acme") == ":0"


def test_store_is_made_anew_after_redis_was_emptied(join, redis_server):
    engine = join()
    redis_server.command("FLUSHALL")

    until(lambda: redis_server.command("EXISTS mockserver:header") == ":1", "the store is there again")
    assert engine.living([engine.server]) == {engine.server}


def test_nobody_counts_as_dead_as_long_as_a_beat_may_be_missing_after_redis_was_away(join):
    engine = join()
    assert engine.living(["silent"]) == set()
    engine.failure = "Redis is away"
    until(lambda: engine.failure is None, "Redis is back")
    assert engine.living(["silent"]) == {"silent"}
