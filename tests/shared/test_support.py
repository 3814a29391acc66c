"""What the tests of servers stand on does what they take it to do."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest
from cluster import Cluster
from ports import free_port
from redis_server import RedisServer
from storage.server_process import ServerProcess
from trouble_proxy import TroubleProxy

_SUPPORT = str(Path(__file__).parents[1] / "support")


@pytest.fixture(scope="module")
def engine(tmp_path_factory):
    with RedisServer(tmp_path_factory.mktemp("redis"), durable=True) as found:
        yield found


@pytest.fixture
def proxy(engine):
    with TroubleProxy(engine.port) as found:
        yield found


@pytest.fixture
def link(proxy):
    with socket.create_connection(("127.0.0.1", proxy.port), timeout=10) as found:
        yield found


def ask(link, command):
    link.sendall(f"{command}\r\n".encode())
    return link.recv(4096)


def is_cut(link):
    try:
        return link.recv(4096) == b""
    except ConnectionResetError:
        return True


def test_an_engine_that_is_killed_has_all_that_it_has_acknowledged(engine):
    assert engine.command("SET kept yes") == "+OK"
    engine.kill()
    engine.start()
    assert engine.command("EXISTS kept") == ":1"


def test_the_proxy_passes_all_on(link):
    assert ask(link, "PING") == b"+PONG\r\n"


def test_a_reply_is_cut_in_its_middle_and_the_command_has_arrived(engine, proxy, link):
    proxy.keep_of_replies(0.5)
    assert ask(link, "SET cut yes") == b"+O"
    assert is_cut(link)
    assert engine.command("EXISTS cut") == ":1"


def test_all_connections_are_cut_and_new_ones_too(proxy, link):
    ask(link, "PING")
    proxy.refuse()
    assert is_cut(link)
    with socket.create_connection(("127.0.0.1", proxy.port), timeout=10) as another:
        assert is_cut(another)


def test_a_silent_line_passes_what_was_sent_once_it_is_well_again(proxy, link):
    ask(link, "PING")
    proxy.silence()
    link.sendall(b"PING\r\n")
    link.settimeout(0.05)
    with pytest.raises(TimeoutError):
        link.recv(4096)
    link.settimeout(10)
    proxy.pass_all()
    assert link.recv(4096) == b"+PONG\r\n"


def test_a_slow_line_takes_its_time(proxy, link):
    ask(link, "PING")
    proxy.delay(60)
    link.sendall(b"PING\r\n")
    link.settimeout(0.05)
    with pytest.raises(TimeoutError):
        link.recv(4096)


def test_a_server_that_has_ended_gets_no_signal_as_its_number_may_be_that_of_another_process(monkeypatch):
    with ServerProcess("--store", "memory") as server:
        server.kill()
        sent = []
        monkeypatch.setattr(os, "kill", lambda *signal: sent.append(signal))

        server.kill()

    assert sent == []


@pytest.mark.slow
def test_each_request_goes_to_the_next_server_and_to_one_that_is_there(tmp_path):
    with Cluster("memory", tmp_path, 2) as cluster:
        for server, count in zip(cluster.servers, (1, 2), strict=True):
            for number in range(count):
                cluster.make(server=server, name=f"w{number}")
        counts = [cluster.ask("GET", "/_mock/workspaces").json()["count"] for _ in range(4)]
        assert sorted(counts) == [2, 2, 3, 3]
        assert counts[0] != counts[1]

        cluster.servers[0].kill()
        assert [cluster.ask("GET", "/_mock/workspaces").json()["count"] for _ in range(3)] == [3, 3, 3]


#: Asks for a port although the only one that it draws first is the given one.
_DRAWS_THE_SAME = """
import random, sys
drawn = iter([int(sys.argv[1])])
class Draws(random.SystemRandom):
    def randrange(self, *limits):
        return next(drawn, None) or super().randrange(*limits)
random.SystemRandom = Draws
from ports import free_port
print(free_port())
"""


def test_a_port_is_given_once_to_all_processes_though_nobody_listens_there_yet():
    given = free_port()
    command = [sys.executable, "-c", _DRAWS_THE_SAME, str(given)]
    found = subprocess.run(
        command, env={**os.environ, "PYTHONPATH": _SUPPORT}, capture_output=True, text=True, check=True
    )
    assert int(found.stdout) != given


def test_a_port_is_its_server_s_again_and_again():
    port = free_port()
    for _ in range(3):
        with socket.create_server(("127.0.0.1", port)), socket.create_connection(("127.0.0.1", port), timeout=10):
            pass
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(("127.0.0.1", port), timeout=10)
