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
from contextlib import closing
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
#: What a database keeps by itself: all that it acknowledges, or what `SAVE` was told to.
KEPT = [("--appendonly", "yes", "--appendfsync", "everysec"), ("--save", "3600 100000")]
#: Of all writers: no name comes twice, as the end of a log may be cut off as far as to an earlier round.
numbers = count()


def write(cluster, name, over):
    """Create things in a workspace, at one server after the other."""

    def ask(path, body):
        try:
            answer = cluster.ask("POST", f"/w/{name}{path}", server=server, key="any", json=body)
        except requests.ConnectionError:
            return
        # A workspace may be gone, or another one; its rate limit may be used up; and a database may be away.
        assert answer.status_code in (200, 201, 401, 404, 429, 503), answer.text

    while not over.wait(REST_S):
        number = next(numbers)
        server = cluster.servers[number % len(cluster.servers)]
        for path, _, member in CREATIONS.values():
            ask(path, {"name": "Jo", member: f"n{number}@acme.test" if member == "email" else f"n{number}.test"})
        if number % 7 == 0:
            ask("/_mock/snapshots", {"name": f"s{number % 3}"})


def content(cluster, name, server):
    """What was created in a workspace: by its state, and by its journal; None if there is no such workspace."""
    parts = ("state", "requests?limit=1000")
    answers = [cluster.ask("GET", f"/w/{name}/_mock/{part}", server=server) for part in parts]
    if {answer.status_code for answer in answers} == {404}:
        return None
    assert {answer.status_code for answer in answers} == {200}, [answer.text for answer in answers]
    state, journal = (answer.json() for answer in answers)
    assert journal["evicted"] == 0
    done = [row for row in reversed(journal["items"]) if row["status"] < 300]
    return {
        kind: (
            [row[member] for row in state["accounts"][0].get(part, []) if NUMBERED.match(row[member])],
            [row["request"]["body"][member] for row in done if row["operation"] == kind],
        )
        for kind, (_, part, member) in CREATIONS.items()
    }


def check(cluster, newcomer):
    """Hold that each workspace is what its journal tells, at all servers alike, and that all of them go on."""
    servers = (*cluster.servers, newcomer)
    for name in NAMES:
        found = [content(cluster, name, server) for server in servers]
        assert found[0] == found[1] == found[2], f"servers differ about {name}"
        for made, told in (found[0] or {}).values():
            assert sorted(made) == sorted(told), f"the state of {name} is not that of its journal"
        for server in servers:
            made = cluster.ask("POST", "/_mock/workspaces", server=server, json={"name": name, "scenario": SCENARIO})
            assert made.status_code in (201, 400, 409), made.text
            body = {"name": "Jo", "email": f"after{time.monotonic_ns()}@acme.test"}
            sent = cluster.ask("POST", f"/w/{name}/v3/senders", server=server, key="any", json=body)
            assert sent.status_code in (201, 401), sent.text


def put_aside(engine, files):
    """Copy the files of a database as they are at this moment."""
    engine.command("SAVE")
    shutil.rmtree(f"{files}-aside", ignore_errors=True)
    shutil.copytree(files, f"{files}-aside", ignore=shutil.ignore_patterns("*.log", "temp-*"))


def go_back(engine, files, random):
    """Kill the database and start it with older files, with the end of its log cut off, or with nothing."""
    engine.kill()
    way = random.choice(("older", "cut off", "empty"))
    if way == "cut off":
        for log in files.glob("appendonlydir/*.incr.aof"):
            data = log.read_bytes()
            log.write_bytes(data[: random.randrange(len(data) // 2, len(data) + 1)])
    else:
        shutil.rmtree(files)
        if way == "empty":
            files.mkdir()
        else:
            shutil.copytree(f"{files}-aside", files)
    engine.start()


def go_back_under_load(cluster, engine, files, random):
    assert cluster.ask("POST", "/_mock/reset").status_code == 200
    for name in NAMES[1:]:
        assert cluster.ask("DELETE", f"/_mock/workspaces/{name}").status_code in (204, 404)
        cluster.make(name=name, scenario=SCENARIO)
    over = threading.Event()
    with ThreadPoolExecutor(len(NAMES)) as pool:
        played = [pool.submit(write, cluster, name, over) for name in NAMES]
        try:
            for act in (lambda: put_aside(engine, files), lambda: go_back(engine, files, random), over.set):
                time.sleep(random.uniform(*LOADED_S))
                act()
        finally:
            over.set()
    for one in played:
        one.result()
    until(lambda: all(server.is_ready() for server in cluster.servers), "both servers are ready again")
    with closing(SharingServer(engine.url(), files.parent)) as newcomer:
        newcomer.start()
        newcomer.wait()
        check(cluster, newcomer)


@pytest.mark.parametrize(
    ("seed", "times"),
    [*((seed, 1) for seed in range(3)), *(pytest.param(3 + n, 10, marks=pytest.mark.slow) for n in range(rounds(6)))],
)
def test_workspaces_are_as_they_were_at_one_moment_however_often_the_database_goes_back(tmp_path, seed, times):
    random, files = Random(seed), tmp_path / "data"
    files.mkdir()
    with RedisServer(files, *random.choice(KEPT)) as engine, Cluster(engine.url(), tmp_path, 2) as cluster:
        for _ in range(times):
            go_back_under_load(cluster, engine, files, random)
