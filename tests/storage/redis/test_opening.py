"""A database that cannot hold a store is refused in a sentence that says what is wrong, and shows no secret."""

import socket
import threading
import traceback
from contextlib import contextmanager

import pytest
import trustme
from ports import free_port
from redis_server import RedisServer
from tables import tables

from mockserver.storage.engine import EngineError
from mockserver.storage.redis_engine import Engine

#: The parametrized cases by test.
CASES = tables(__file__)

SECRET = "s3cret"  # of servers that end with the test
#: The name in certificates for this machine.
HOST = "localhost"
HINT = "; redis:// is for ports without TLS, rediss:// for ports with TLS"


@pytest.fixture
def guarded(start):
    """A server that asks for a password."""
    return start("--requirepass", SECRET)


@pytest.mark.parametrize(
    ("url", "sentence"),
    [
        (f"redis://:{SECRET}/1@host", "is not of the form"),
        (f"redis://:{SECRET}@host:99999", "is not of the form"),
        (f"redis://u:6379#{SECRET}@host", "is not of the form"),
        (f"redis://u:6379/{SECRET}@host", "is not of the form"),
        (f"redis://:{SECRET}@", "is not of the form"),
        (f"unix://:{SECRET}@/run/redis", "is not of the form"),
        (f"redis://u:6379?{SECRET}@host", "takes nothing after the ? but, with rediss://, "),
        (f"redis://:{SECRET}@host?ssl_certfile=x", "takes nothing after the ? but, with rediss://, "),
        (f"rediss://:{SECRET}@host?ssl_cert_reqs=none", "takes nothing after the ? but, with rediss://, "),
    ],
)
def test_invalid_address_is_refused_without_its_secret(url, sentence, refused):
    found = refused(url)

    assert found.startswith(f"the address of the store {sentence}")
    assert SECRET not in found


def test_failure_to_connect_shows_no_secret_in_message_log_or_traceback(guarded, caplog):
    caplog.set_level("DEBUG")
    for scheme, port in (("redis", guarded.port), ("rediss", guarded.port), ("redis", free_port())):
        url = f"{scheme}://{SECRET}:{SECRET}@127.0.0.1:{port}/0"
        with pytest.raises(EngineError) as found:
            Engine(url, layout="a")
        shown = "".join(traceback.format_exception(found.value))
        assert SECRET not in shown + caplog.text


@pytest.mark.parametrize(
    ("credentials", "sentence"),
    [
        ("", "wants a password: give it as redis://:PASSWORD@HOST"),
        (":wrong@", "does not take this user with this password"),
    ],
)
def test_wrong_credentials_are_refused(guarded, credentials, sentence, refused):
    assert refused(f"redis://{credentials}127.0.0.1:{guarded.port}/0") == f"{guarded.url()} {sentence}"


def test_right_password_opens_the_store_and_is_not_part_of_its_place(guarded, join):
    assert join(f"redis://:{SECRET}@127.0.0.1:{guarded.port}").place == guarded.url()


@pytest.mark.parametrize(("options", "sentence"), CASES["unsuitable_server_is_refused"])
def test_unsuitable_server_is_refused(start, options, sentence, refused):
    server = start(*options, "--cluster-port", str(free_port()))

    assert refused(server.url()) == f"{server.url()} {sentence}"


@pytest.mark.parametrize(
    ("version", "is_refused"), [("5.0.14", True), ("6.0.20", True), ("6.2.0", False), ("10.0", False)]
)
def test_old_version_is_refused(redis_server, join, refused, monkeypatch, version, is_refused):
    monkeypatch.setattr("mockserver.storage.redis_client.Client.info", lambda _: {"redis_version": version})

    if is_refused:
        assert refused() == f"{redis_server.url()} is Redis {version}: a store needs 6.2 or newer, or Valkey"
    else:
        join()


@pytest.mark.parametrize(("command", "sentence"), CASES["foreign_database_is_refused"])
def test_foreign_database_is_refused_and_left_as_it_is(redis_server, command, sentence, refused):
    redis_server.command(command)

    assert refused().startswith(f"{redis_server.url()} {sentence}")
    assert redis_server.command("DBSIZE") == ":1"


def test_command_reads_a_store_of_any_layout_and_creates_nothing(redis_server, join):
    looking = join(layout="", is_server=False)
    with pytest.raises(EngineError, match=r"holds no store: it was emptied, or none was ever made$"):
        looking.names()
    assert redis_server.command("DBSIZE") == ":0"

    join()
    assert join(layout="", is_server=False).header == ("the layout of today", "mockserver 1.0")


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
        (b":one\r\n", "does not speak the protocol of Redis"),
        (
            f"-ERR unknown command 'INFO', with args: {SECRET}\r\n".encode(),
            "does not know a command that a store needs",
        ),
        (b"$5\r\nab", f"cannot be reached: Connection closed by server{HINT}"),
    ],
    ids=["a web server", "no number", "another database", "a piece"],
)
def test_foreign_server_is_refused(answer, sentence, refused):
    with answering(answer) as port:
        assert refused(f"redis://127.0.0.1:{port}/0") == f"redis://127.0.0.1:{port}/0 {sentence}"


class Secured(RedisServer):
    """A server that speaks TLS at another port."""

    def __init__(self, folder, *options):
        super().__init__(folder, *options)
        self.tls_port = free_port()
        self._options += ["--tls-port", str(self.tls_port)]


@pytest.fixture
def secured(start, tmp_path):
    """Starts a server that has a certificate for a name and asks clients for one or not; gives its port and its CA."""

    def secured(name=HOST, clients="no"):
        authority = trustme.CA()
        authority.cert_pem.write_to_path(tmp_path / "ca.pem")
        found = authority.issue_cert(name)
        found.private_key_pem.write_to_path(tmp_path / "key.pem")
        found.cert_chain_pems[0].write_to_path(tmp_path / "certificate.pem")
        files = {"cert": "certificate.pem", "key": "key.pem", "ca-cert": "ca.pem"}
        options = [word for option, file in files.items() for word in (f"--tls-{option}-file", str(tmp_path / file))]
        return start(*options, "--tls-auth-clients", clients, kind=Secured).tls_port, f"?ssl_ca_certs={tmp_path}/ca.pem"

    return secured


def test_store_is_reached_by_tls(secured, join):
    port, authority = secured()

    assert join(f"rediss://{HOST}:{port}/0{authority}").names() == []


@pytest.mark.parametrize(
    ("options", "trusts_it", "sentence"),
    [
        ({}, False, "certificate verify failed: self-signed certificate"),
        ({"name": "other.test"}, True, "certificate verify failed: Hostname mismatch"),
        ({"clients": "yes"}, True, ""),
    ],
    ids=["unknown authority", "other name", "client certificate"],
)
def test_failed_handshake_is_explained(secured, refused, options, trusts_it, sentence):
    port, authority = secured(**options)
    place = f"rediss://{HOST}:{port}/0"

    found = refused(f"{place}{authority if trusts_it else ''}")

    assert found.startswith(f"{place} cannot be reached: ")
    assert sentence in found


def test_hint_is_given_when_one_side_speaks_tls(redis_server, secured, refused):
    plain, tls = f"rediss://127.0.0.1:{redis_server.port}/0", f"redis://127.0.0.1:{secured()[0]}/0"

    assert refused(plain) == f"{plain} has not answered in time{HINT}"
    assert refused(tls).endswith(HINT)
