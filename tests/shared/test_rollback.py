"""A database that comes back older than its servers remember: all servers go on from one state that was kept.

Its files are put back as they were at a random moment, cut off or emptied, as by a crash, a restored backup, or a
failover to a replica that has not heard of everything. Nothing is ever there of two moments.
"""

from __future__ import annotations

import re
import shutil
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from itertools import count
from random import Random

import pytest
import requests
from cluster import Cluster, SharingServer
from examples import rounds
from load_balancer import until
from redis_server import RedisServer

NAMES = ("default", "w1", "w2")
SCENARIO = {"accounts": [{"name": "acme"}]}
#: What a client creates in turn, and how the journal and the state name it.
CREATIONS = {
    "createSender": ("/v3/senders", "senders", "email"),
    "createDomain": ("/v3/senders/domains", "domains", "name"),
}
#: What is created, beside what a scenario has.
NUMBERED = re.compile(r"(n|after)[0-9]+[.@]")
#: How long a client rests between two writes, and how long there is a load before and after a database is put back.
REST_S, LOADED_S = 0.01, (0.3, 0.9)


class Writer:
    """A client of one workspace that creates things at one server after the other; no name comes twice."""

    #: Shared by all writers: the end of a log may be cut off as far as to an earlier round.
    _numbers = count()

    def __init__(self, cluster, name):
        self._cluster, self._name = cluster, name

    def play(self, over):
        while not over.wait(REST_S):
            number = next(self._numbers)
            self._write(number, self._cluster.servers[number % len(self._cluster.servers)])

    def _write(self, number, server):
        for path, _, member in CREATIONS.values():
            text = f"n{number}@acme.test" if member == "email" else f"n{number}.test"
            self._ask(server, path, {"name": "Jo", member: text})
        if number % 7 == 0:
            self._ask(server, "/_mock/snapshots", {"name": f"s{number % 3}"})

    def _ask(self, server, path, body):
        try:
            answer = self._cluster.ask("POST", f"/w/{self._name}{path}", server=server, key="any", json=body)
        except requests.ConnectionError:
            return
        # A workspace may be gone, or another one; its rate limit may be used up; and a database may be away.
        assert answer.status_code in (200, 201, 401, 404, 429, 503), answer.text


def content(cluster, name, server):
    """What was created in a workspace: by its state, and by its journal; None if there is no such workspace."""
    answers = [
        cluster.ask("GET", f"/w/{name}/_mock/{part}", server=server) for part in ("state", "requests?limit=1000")
    ]
    if {answer.status_code for answer in answers} == {404}:
        return None
    assert {answer.status_code for answer in answers} == {200}, [answer.text for answer in answers]
    state, journal = (answer.json() for answer in answers)
    assert journal["evicted"] == 0
    account = state["accounts"][0]
    done = [row for row in reversed(journal["items"]) if row["status"] < 300]
    return {
        kind: (
            [row[member] for row in account.get(part, []) if NUMBERED.match(row[member])],
            [row["request"]["body"][member] for row in done if row["operation"] == kind],
        )
        for kind, (_, part, member) in CREATIONS.items()
    }


def check(cluster, newcomer):
    """Hold that each workspace is what its journal tells, at all servers alike, and that all of them go on."""
    for name in NAMES:
        found = [content(cluster, name, server) for server in (*cluster.servers, newcomer)]
        assert found[0] == found[1] == found[2], f"servers differ about {name}"
        for made, told in (found[0] or {}).values():
            assert sorted(made) == sorted(told), f"the state of {name} is not that of its journal"
        for server in (*cluster.servers, newcomer):
            made = cluster.ask("POST", "/_mock/workspaces", server=server, json={"name": name, "scenario": SCENARIO})
            assert made.status_code in (201, 400, 409), made.text
            body = {"name": "Jo", "email": f"after{time.monotonic_ns()}@acme.test"}
            sent = cluster.ask("POST", f"/w/{name}/v3/senders", server=server, key="any", json=body)
            assert sent.status_code in (201, 401), sent.text


class Files:
    """The files of a database in a folder, as they were, or worse."""

    def __init__(self, engine, folder, random):
        self.engine, self._folder, self._random = engine, folder, random
        self._aside = folder.with_name(f"{folder.name}-aside")

    def put_aside(self):
        """Copy the files as they are at this moment."""
        self.engine.command("SAVE")
        shutil.rmtree(self._aside, ignore_errors=True)
        shutil.copytree(self._folder, self._aside, ignore=shutil.ignore_patterns("*.log", "temp-*"))

    def go_back(self):
        """Kill the database and start it with older files, with the end of its log cut off, or with nothing."""
        self.engine.kill()
        self._random.choice((self._restore, self._cut, self._clear))()
        self.engine.start()

    def _restore(self):
        self._clear()
        shutil.copytree(self._aside, self._folder, dirs_exist_ok=True)

    def _cut(self):
        for log in self._folder.glob("appendonlydir/*.incr.aof"):
            data = log.read_bytes()
            log.write_bytes(data[: self._random.randrange(len(data) // 2, len(data) + 1)])

    def _clear(self):
        shutil.rmtree(self._folder)
        self._folder.mkdir()


#: What a database keeps by itself: all that it acknowledges, or what `SAVE` was told to.
KEPT = {"log": ("--appendonly", "yes", "--appendfsync", "everysec"), "snapshots": ("--save", "3600 100000")}


@contextmanager
def load(cluster):
    """A client of each workspace at once."""
    over = threading.Event()
    with ThreadPoolExecutor(len(NAMES)) as pool:
        played = [pool.submit(Writer(cluster, name).play, over) for name in NAMES]
        try:
            yield
        finally:
            over.set()
    for one in played:
        one.result()


@contextmanager
def cluster_on_files(folder, random):
    """Two servers on an engine, and the files of that engine."""
    data = folder / "data"
    data.mkdir()
    with RedisServer(data, *random.choice(list(KEPT.values()))) as engine, Cluster(engine.url(), folder, 2) as cluster:
        yield cluster, Files(engine, data, random)


def go_back_under_load(folder, cluster, files, random):
    assert cluster.ask("POST", "/_mock/reset").status_code == 200
    for name in NAMES[1:]:
        assert cluster.ask("DELETE", f"/_mock/workspaces/{name}").status_code in (204, 404)
        cluster.make(name=name, scenario=SCENARIO)
    with load(cluster):
        time.sleep(random.uniform(*LOADED_S))
        files.put_aside()
        time.sleep(random.uniform(*LOADED_S))
        files.go_back()
        time.sleep(random.uniform(*LOADED_S))
    until(lambda: all(server.is_ready() for server in cluster.servers), "both servers are ready again")
    newcomer = SharingServer(files.engine.url(), folder)
    try:
        newcomer.start()
        newcomer.wait()
        check(cluster, newcomer)
    finally:
        newcomer.close()


@pytest.mark.parametrize("seed", range(3))
def test_workspaces_are_as_they_were_at_one_moment_after_the_database_went_back(tmp_path, seed):
    random = Random(seed)
    with cluster_on_files(tmp_path, random) as (cluster, files):
        go_back_under_load(tmp_path, cluster, files, random)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3, 3 + rounds(6)))
def test_workspaces_are_as_they_were_at_one_moment_however_often_the_database_goes_back(tmp_path, seed):
    random = Random(seed)
    with cluster_on_files(tmp_path, random) as (cluster, files):
        for _ in range(10):
            go_back_under_load(tmp_path, cluster, files, random)
