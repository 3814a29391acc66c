"""A store that is full, gone, damaged or out of reach: servers say so, nothing is half done, and they go on later."""

import os
import resource
import signal
from contextlib import contextmanager
from functools import partial
from random import Random

import pytest
import requests
from cluster import SharingServer
from examples import rounds
from load_balancer import until
from random_user import STORY
from storage.places import Database, File


def limit(server, size):
    """Set how large the files of a server may be, in bytes; None: as large as they like."""
    _, hard = resource.prlimit(server.pid, resource.RLIMIT_FSIZE)
    resource.prlimit(server.pid, resource.RLIMIT_FSIZE, (hard if size is None else size, hard))


def cut(path):
    """Cut off all of a file but its beginning, and put it back as it was."""
    before, content = path.stat(), path.read_bytes()
    return partial(os.truncate, path, 4096), lambda: (
        path.write_bytes(content), os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    )  # fmt: skip


def move(path):
    aside = path.with_suffix(".aside")
    return partial(path.rename, aside), partial(aside.rename, path)


#: How the trouble of a file begins and ends, and that of a database.
OF_FILES = {
    "full": lambda _, server: [partial(limit, server, size) for size in (4096, None)],
    "moved": lambda place, _: move(place.path),
    "truncated": lambda place, _: cut(place.path),
}
OF_DATABASES = {
    "killed": lambda place, _: (place.engine.kill, place.engine.start),
    "stopped": lambda place, _: [partial(place.engine.signal, number) for number in (signal.SIGSTOP, signal.SIGCONT)],
    "without memory": lambda place, _: [
        partial(place.engine.command, f"CONFIG SET maxmemory {size}") for size in ("1mb", "0")
    ],
    "refused": lambda place, _: (place.line.refuse, place.line.pass_all),
    "cut in the middle": lambda place, _: (partial(place.line.keep_of_replies, 0.5), place.line.pass_all),
    "without a reply": lambda place, _: (partial(place.line.keep_of_replies, 0), place.line.pass_all),
    "silent": lambda place, _: (place.line.silence, place.line.pass_all),
}
#: In these, reads go on; and after these, what was refused may have been done.
READABLE, IN_DOUBT = ("full", "without memory"), ("cut in the middle", "without a reply", "silent", "stopped")


@contextmanager
def within(begin, end):
    begin()
    try:
        yield
    finally:
        end()


@pytest.fixture
def cluster(make_cluster, place):
    """Servers that reach their store by a line that a test can make bad."""
    return make_cluster(url=place.line_url)


def emails(cluster, server, made):
    answer = cluster.ask("GET", "/v3/senders?limit=50", server=server, key=made["api_key"])
    assert answer.status_code == 200, answer.text
    return sorted(row["email"] for row in answer.json()["senders"] if row["name"] == "Jo")


@pytest.mark.parametrize(
    ("place", "trouble"),
    [
        *((File, name) for name in OF_FILES),
        *(pytest.param(Database, name, marks=pytest.mark.slow) for name in OF_DATABASES),
    ],
    indirect=["place"],
)
def test_trouble_of_a_store_is_told_nothing_is_half_done_and_all_servers_go_on(cluster, place, trouble):
    server, *_, other = cluster.servers * 2
    made, resting = cluster.make(server=server), cluster.make(server=server)
    server.stop()
    server.start()
    server.wait()
    assert cluster.create(made, 0, server).status_code == 201

    with within(*{**OF_FILES, **OF_DATABASES}[trouble](place, server)):
        answers = [cluster.create(made, 1, server) for _ in range(2)]
        read = cluster.ask("GET", "/v3/account", server=server, key=resting["api_key"]).status_code
        until(lambda: not server.is_ready(), "the server says that it is not ready")
        ready = [cluster.ask("GET", "/_mock/readyz", server=server) for _ in range(3)]
        assert cluster.ask("GET", "/_mock/livez", server=server).status_code == 200
    until(lambda: all(each.is_ready() for each in cluster.servers), "all servers are ready again")

    for answer in answers:
        assert (answer.status_code, set(answer.json())) == (503, {"code", "message"})
    assert read == 503 or trouble in READABLE
    assert all(("store.db" if isinstance(place, File) else "redis://") in each.json()["detail"] for each in ready)
    found = emails(cluster, server, made)
    assert found == ["s0@acme.test"] or (trouble in IN_DOUBT and found == ["s0@acme.test", "s1@acme.test"])
    assert emails(cluster, other, made) == found
    for number, each in ((2, server), (3, other)):
        assert cluster.create(made, number, each).status_code == 201
    for each in cluster.servers:
        each.kill()
    if isinstance(place, Database):
        place.engine.kill()
        place.engine.start()
    other.start()
    other.wait()
    assert emails(cluster, other, made) == [*found, "s2@acme.test", "s3@acme.test"]
    server.told()


@pytest.mark.slow
@pytest.mark.parametrize("place", [Database], indirect=True)
def test_an_engine_that_takes_two_seconds_for_each_answer_delays_and_loses_nothing(cluster, place):
    server, *_, other = cluster.servers
    made = cluster.make(server=server)
    place.line.delay(2)
    statuses = {number: cluster.create(made, number, server).status_code for number in range(3)}
    place.line.pass_all()
    until(lambda: all(each.is_ready() for each in cluster.servers), "all servers are ready")

    found = emails(cluster, other, made)
    assert found == emails(cluster, server, made)
    assert set(statuses.values()) <= {201, 503}
    assert {f"s{number}@acme.test" for number, status in statuses.items() if status == 201} <= set(found)


@pytest.mark.slow
@pytest.mark.parametrize("place", [Database], indirect=True)
def test_two_versions_do_not_share_a_store(cluster, place, tmp_path):
    made = cluster.make()
    assert cluster.create(made, 0).status_code == 201
    assert place.engine.command("COPY mockserver:header aside") == ":1"
    place.engine.command("HSET mockserver:header layout of-another-version")

    newcomer = SharingServer(place.url, tmp_path)
    newcomer.start()
    assert newcomer.ended() == 2
    assert "in another layout" in newcomer.told()
    assert cluster.create(made, 1, cluster.servers[0]).status_code == 503
    assert not cluster.servers[0].is_ready()
    newcomer.close()

    place.engine.command("RENAME aside mockserver:header")
    until(lambda: all(each.is_ready() for each in cluster.servers), "all servers are ready again")
    assert emails(cluster, cluster.servers[1], made) == ["s0@acme.test"]


@pytest.mark.parametrize("place", [File], indirect=True)
@pytest.mark.parametrize("is_full", [True, False])
def test_a_server_that_is_stopped_ends_with_1_if_traces_are_lost_and_else_with_0(cluster, is_full):
    (server,) = cluster.servers
    assert cluster.ask("GET", "/v3/senders", key="any").status_code == 200
    if is_full:
        limit(server, 4096)
    assert cluster.ask("GET", "/v3/senders", key="any").status_code == 200
    server.signal(signal.SIGTERM)
    assert server.ended() == int(is_full)


@pytest.mark.parametrize("place", [File], indirect=True)
def test_a_file_that_is_in_use_or_no_store_is_refused_in_a_sentence_and_left_as_it_is(cluster, place, tmp_path):
    (tmp_path / "text.db").write_text("scenario: standard\n" * 100)
    for path in (place.path, tmp_path / "text.db"):
        before, newcomer = path.stat(), SharingServer(f"sqlite:{path}", tmp_path)
        newcomer.start()
        assert newcomer.ended() == 2
        assert path.name in newcomer.told()
        assert newcomer.told().count("\n") <= 2
        assert (path.stat().st_mtime_ns, path.stat().st_size) == (before.st_mtime_ns, before.st_size)
        newcomer.close()
    assert cluster.servers[0].is_ready()


# ------------------------------------------------------------------ damage


def ask(server, method, path, **options):
    return requests.request(method, f"{server.url}{path}", headers={"api-key": "any"}, timeout=30, **options)


def test_a_damaged_default_workspace_costs_itself_until_it_is_reset(server_process, place):
    server = server_process
    server.start()
    server.wait()
    assert ask(server, "POST", "/_mock/workspaces", json={"name": "other"}).status_code == 201
    server.stop()
    place.flip()
    server.start()
    assert server.serves
    damaged, other, reset = (
        ask(server, *wanted)
        for wanted in (("GET", "/v3/account"), ("GET", "/w/other/v3/account"), ("POST", "/_mock/reset"))
    )
    assert (damaged.status_code, set(damaged.json())) == (503, {"code", "message"})
    assert (other.status_code, reset.status_code) == (200, 200), reset.text
    assert ask(server, "GET", "/v3/account").status_code == 200
    server.told()


@pytest.mark.slow
@pytest.mark.parametrize("place", [File], indirect=True)
@pytest.mark.parametrize("seed", range(rounds(20)))
def test_a_damaged_file_ends_in_a_sentence_or_costs_the_workspaces_that_it_was_in(server_process, place, seed):
    server, names = server_process, [f"w{number}" for number in range(8)]
    server.start()
    server.wait()
    for name in names:
        assert ask(server, "POST", "/_mock/workspaces", json={"name": name, "scenario": STORY}).status_code == 201
    shown = {name: ask(server, "GET", f"/w/{name}/_mock/state").json() for name in names}
    server.stop()
    _damage(place.path, Random(seed))

    server.start()
    try:
        assert server.serves
    except AssertionError:
        assert server.ended() == 2
        assert "store.db" in server.told()
        return
    for name in names:
        found = ask(server, "GET", f"/w/{name}/_mock/state")
        if (found.status_code, found.json()) != (200, shown[name]):
            assert found.status_code == 503, f"workspace {name} is another one"
            assert name in found.json()["detail"]
    server.told()


def _damage(file, random):
    """Write random bytes at a random place of a file."""
    data = bytearray(file.read_bytes())
    at = random.randrange(len(data))
    garbage = random.randbytes(random.choice((1, 16, 600)))
    data[at : at + len(garbage)] = garbage
    file.write_bytes(data)
