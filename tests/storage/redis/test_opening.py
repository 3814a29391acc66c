"""A database that cannot hold a store: `mockserver serve` says in a sentence what is wrong with it, and ends with 2."""

from __future__ import annotations

import socket
import threading
from contextlib import ExitStack, contextmanager

import pytest
import trustme
from balanced import until
from invoking import invoke
from ports import free_port
from redis_server import RedisServer

from mockserver.storage.errors import EngineError

SECRET = "s3cret"  # of engines that end with the test
#: Whose certificate is for this machine.
HOST = "localhost"
#: What is said of a connection that an engine ends without a word, which may be one that speaks TLS.
CLOSED = "it has closed the connection; a port that speaks TLS has an address with rediss://"


def refused(url):
    """What a server says that is started with a store there."""
    found = invoke(["serve", "--port", "0", "--store", url])
    assert found.exit_code == 2, found.output
    assert "Traceback" not in found.output
    assert SECRET not in found.output
    return found.stderr.splitlines()[0].removeprefix("Error: ")


@pytest.fixture
def start(tmp_path):
    """Starts an engine with some options."""
    with ExitStack() as stack:
        yield lambda *options, kind=RedisServer: stack.enter_context(kind(tmp_path, *options))


# ---------------------------------------------------------------------- who is let in


class Guarded(RedisServer):
    """An engine that asks for a password."""

    def __init__(self, folder, *options):
        super().__init__(folder, "--requirepass", SECRET, *options)

    def command(self, text, database=0):
        found = super().command(text, database)
        return "+PONG" if text == "PING" and found.startswith("-NOAUTH") else found


@pytest.mark.parametrize(
    ("credentials", "sentence"),
    [
        ("", "wants a password: give it as redis://:PASSWORD@HOST"),
        (":wrong@", "does not take this user with this password"),
        (f"nobody:{SECRET}@", "does not take this user with this password"),
    ],
    ids=["none", "another password", "another user"],
)
def test_who_is_not_let_in_is_told(start, credentials, sentence):
    engine = start(kind=Guarded)

    assert refused(f"redis://{credentials}127.0.0.1:{engine.port}/0") == f"redis://127.0.0.1:{engine.port}/0 {sentence}"


def test_a_password_that_nobody_asks_for_is_told(redis_server):
    found = refused(f"redis://:{SECRET}@127.0.0.1:{redis_server.port}/0")

    assert found == f"{redis_server.url()} has no password, and was given one"


def test_a_user_who_may_not_all_that_a_store_needs_is_told(start):
    engine = start("--user", "reader", "on", f">{SECRET}", "~*", "+@read", "+info", "+select")

    found = refused(f"redis://reader:{SECRET}@127.0.0.1:{engine.port}/0")

    assert found.startswith(f"{engine.url()} does not allow its user what a store needs: ")


# ---------------------------------------------------------------------- what it is


def test_a_database_that_there_is_not_is_told(redis_server):
    assert refused(redis_server.url(16)) == f"{redis_server.url(16)} has no database of this number"


def test_a_replica_is_told(start, redis_server):
    engine = start("--replicaof", "127.0.0.1", str(redis_server.port))

    assert refused(engine.url()) == f"{engine.url()} is a replica, which cannot be written: name the primary"


class Clustered(RedisServer):
    """An engine that is part of a cluster."""

    def __init__(self, folder, *options):
        super().__init__(folder, "--cluster-enabled", "yes", "--cluster-port", str(free_port()), *options)

    def command(self, text, database=0):
        found = super().command(text, database)
        return "+PONG" if text == "PING" and "SELECT is not allowed" in found else found


def test_a_part_of_a_cluster_is_told(start):
    engine = start(kind=Clustered)

    assert refused(engine.url()) == f"{engine.url()} is part of a cluster, and a store is kept by one server"


def test_one_that_drops_keys_when_it_is_full_is_told(start):
    engine = start("--maxmemory", "100mb", "--maxmemory-policy", "allkeys-lru")

    assert refused(engine.url()) == (
        f"{engine.url()} drops keys when it is full: set its maxmemory-policy to noeviction, not allkeys-lru"
    )


def test_one_that_drops_what_runs_out_is_warned_of(start, join, caplog):
    engine = start("--maxmemory", "100mb", "--maxmemory-policy", "volatile-lru")

    join(url=engine.url())

    assert "may take living servers for dead when it is full: its maxmemory-policy is volatile-lru" in caplog.text


def test_one_that_drops_keys_but_has_no_limit_is_taken(start, join, caplog):
    engine = start("--maxmemory-policy", "allkeys-lru")

    assert join(url=engine.url()).outlines() == []
    assert caplog.text == ""


def test_one_that_is_full_is_told(start):
    engine = start("--maxmemory", "1", "--maxmemory-policy", "noeviction")

    assert refused(engine.url()) == f"{engine.url()} is full: its maxmemory is reached"


def test_one_that_cannot_write_to_its_disk_is_told(start, tmp_path):
    engine = start("--stop-writes-on-bgsave-error", "yes", "--save", "3600 1", "--dbfilename", "none.rdb")
    (tmp_path / "none.rdb").mkdir()  # a folder stands where the file should
    assert engine.command("SET any thing") == "+OK"
    engine.command("BGSAVE")

    until(lambda: engine.command("SET any thing").startswith("-MISCONF"), "the engine has noticed")

    assert refused(engine.url()) == f"{engine.url()} takes no changes, as it cannot write to its disk"


@pytest.mark.parametrize("key", ["mockserver:outlines", "mockserver:anything"])
def test_keys_of_a_foreign_program_are_told(redis_server, key):
    redis_server.command(f"HSET {key} a b")

    assert refused(redis_server.url()) == f"{redis_server.url()} holds keys that begin with mockserver:, and no store"


def test_a_store_of_another_format_is_told(redis_server):
    redis_server.command("HSET mockserver:header format 7 layout x writer mockserver-9.9")

    found = refused(redis_server.url())

    assert found.startswith(f"{redis_server.url()} is of format 7, written by mockserver-9.9: let the version")


def test_a_header_of_a_foreign_type_is_told(redis_server):
    redis_server.command("SET mockserver:header mine")

    found = refused(redis_server.url())

    assert found == f"{redis_server.url()} holds foreign data under keys that begin with mockserver:"


# ---------------------------------------------------------------------- whether it is one


@contextmanager
def answering(answer):
    """The port of a server that answers whatever comes with the same bytes."""
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def serve():
            while True:
                try:
                    connection, _ = listener.accept()
                except OSError:
                    return
                with connection:
                    if connection.recv(4096):
                        connection.sendall(answer)

        threading.Thread(target=serve, daemon=True).start()
        try:
            yield listener.getsockname()[1]
        finally:
            listener.shutdown(socket.SHUT_RDWR)


@pytest.mark.parametrize(
    ("answer", "sentence"),
    [
        (b"HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n", "does not speak the protocol of Redis"),
        (b"", f"cannot be reached: {CLOSED}"),
        (b"$5\r\nab", f"cannot be reached: {CLOSED}"),
    ],
    ids=["a web server", "nothing", "a piece"],
)
def test_what_is_no_redis_is_told(answer, sentence):
    with answering(answer) as port:
        assert refused(f"redis://127.0.0.1:{port}/0") == f"redis://127.0.0.1:{port}/0 {sentence}"


def test_a_port_where_nobody_listens_is_told(tmp_path):
    with RedisServer(tmp_path) as engine:
        url = engine.url()

    assert refused(url) == f"{url} cannot be reached: connection refused"


def test_a_name_that_nobody_knows_is_told():
    found = refused("redis://nowhere.invalid")

    assert found == "redis://nowhere.invalid:6379/0 cannot be reached: its name is not known"


def test_one_that_does_not_answer_is_told(monkeypatch, join):
    monkeypatch.setattr("mockserver.storage.redis.engine._ANSWER_S", 0.05)
    with socket.create_server(("127.0.0.1", 0)) as silent, pytest.raises(EngineError, match="has not answered in time"):
        join(url=f"redis://127.0.0.1:{silent.getsockname()[1]}/0")


# ---------------------------------------------------------------------- TLS


@pytest.fixture(scope="module")
def authority():
    return trustme.CA()


@pytest.fixture
def ca_file(authority, tmp_path):
    """The certificate of the authority, in a file."""
    file = tmp_path / "ca.pem"
    authority.cert_pem.write_to_path(file)
    return file


class Secured(RedisServer):
    """An engine that speaks TLS at a port of its own as well."""

    def __init__(self, folder, *options):
        super().__init__(folder, *options)
        self.tls_port = free_port()
        self._options += ["--tls-port", str(self.tls_port)]


@pytest.fixture
def secured(authority, ca_file, start, tmp_path):
    """Starts an engine that speaks TLS with a certificate for some names, and asks clients for one as it is told."""

    def started(*names, clients="no"):
        found = authority.issue_cert(*names)
        found.private_key_pem.write_to_path(tmp_path / "key.pem")
        found.cert_chain_pems[0].write_to_path(tmp_path / "certificate.pem")
        files = {"cert": "certificate.pem", "key": "key.pem", "ca-cert": "ca.pem"}
        options = [word for name, file in files.items() for word in (f"--tls-{name}-file", str(tmp_path / file))]
        return start(*options, "--tls-auth-clients", clients, kind=Secured)

    return started


def test_a_store_is_reached_by_tls(secured, join, ca_file):
    engine = secured(HOST)

    assert join(url=f"rediss://{HOST}:{engine.tls_port}/0?ssl_ca_certs={ca_file}").outlines() == []


def test_an_authority_that_nobody_trusts_is_told(secured):
    place = f"rediss://{HOST}:{secured(HOST).tls_port}/0"

    assert refused(place).startswith(f"{place} cannot be reached: its certificate is not valid: ")


def test_a_certificate_for_another_name_is_told(secured, ca_file):
    place = f"rediss://{HOST}:{secured('other.test').tls_port}/0"

    found = refused(f"{place}?ssl_ca_certs={ca_file}")

    assert found.startswith(f"{place} cannot be reached: its certificate is not valid: Hostname mismatch")


def test_a_certificate_that_the_engine_asks_for_is_told(secured, ca_file):
    place = f"rediss://{HOST}:{secured(HOST, clients='yes').tls_port}/0"

    found = refused(f"{place}?ssl_ca_certs={ca_file}")

    assert found.startswith(f"{place} cannot be reached: it has ended TLS")
    assert found.endswith("as where it asks for a certificate: ssl_certfile and ssl_keyfile after the ? give one")


def test_tls_spoken_to_a_plain_port_is_told(redis_server, monkeypatch):
    monkeypatch.setattr("mockserver.storage.redis.engine._ANSWER_S", 0.2)
    place = f"rediss://127.0.0.1:{redis_server.port}/0"

    assert refused(place) == f"{place} has not answered in time; a port that speaks no TLS has an address with redis://"


def test_plain_words_spoken_to_a_port_of_tls_are_told(secured):
    place = f"redis://127.0.0.1:{secured(HOST).tls_port}/0"

    assert refused(place) == f"{place} cannot be reached: {CLOSED}"
