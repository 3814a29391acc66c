"""What is read of the first message of a client: when it is complete, and the name that the client calls."""

from __future__ import annotations

import ssl

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mockserver.web.server.certificates import Authority
from mockserver.web.server.tls_front import ClientHello

CONTEXT = Authority(["localhost"]).context(None, "127.0.0.1")


def sent(name=None, version=ssl.TLSVersion.TLSv1_3):
    """The first bytes of a client of the standard library."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname = False
    context.minimum_version = context.maximum_version = version
    incoming, outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
    client = context.wrap_bio(incoming, outgoing, server_hostname=name)
    with pytest.raises(ssl.SSLWantReadError):
        client.do_handshake()
    return outgoing.read()


def read(*pieces):
    """A message of these pieces, and whether it is over after each."""
    hello = ClientHello(CONTEXT)
    return hello, [hello.add(piece) for piece in pieces]


def in_records(data, size):
    """The message of one record in records of at most so many bytes."""
    message = data[5:]
    parts = [message[start : start + size] for start in range(0, len(message), size)]
    return b"".join(data[:3] + len(part).to_bytes(2) + part for part in parts)


@pytest.mark.parametrize("version", [ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3])
@pytest.mark.parametrize(
    ("called", "name"),
    [("api.brevo.com", "api.brevo.com"), ("API.Brevo.com", "api.brevo.com"), (None, None), ("127.0.0.1", None)],
    ids=["name", "upper case", "no name", "address"],
)
def test_server_name_is_read_from_the_client_hello(called, name, version):
    hello, over = read(sent(called, version))

    assert (over, hello.error, hello.name) == ([True], None, name)


@pytest.mark.parametrize("size", [1, 7, 100])
def test_name_is_read_when_the_message_comes_in_many_records(size):
    hello, over = read(in_records(sent("api.brevo.com"), size))

    assert (over, hello.name) == ([True], "api.brevo.com")


def test_message_is_over_with_its_last_byte():
    data = sent("api.brevo.com")
    hello, over = read(*(data[index : index + 1] for index in range(len(data))))

    assert over == [False] * (len(data) - 1) + [True]
    assert (hello.name, bytes(hello.received)) == ("api.brevo.com", data)


@pytest.mark.parametrize(
    "data",
    [b"\x16\x03\x01\x00\x00" * 20_000, b"\x16\x03\x01\x40\x00" + b"\x01\xff\xff\xff" * 20_000],
    ids=["empty records", "one that does not end"],
)
def test_message_is_refused_when_it_is_longer_than_any(data):
    hello, over = read(data)

    assert over == [True]
    assert hello.error is not None


def test_alert_tells_the_client_when_the_message_is_refused():
    hello, _ = read(b"\x16\x03\x01\x00\x04\x02\x00\x00\x00")

    assert hello.alert[:1] == b"\x15"


@given(st.binary(max_size=300), st.integers(0, 299))
def test_message_is_read_or_refused_whatever_comes(noise, at):
    data = sent("api.brevo.com")
    hello, _ = read(data[:at] + noise + data[at + len(noise) :])

    assert hello.name is None or hello.name.isascii()


@given(st.binary(max_size=300))
def test_name_is_text_that_can_be_shown(noise):
    data = sent("x" * 40 + ".test")
    place = data.index(b"x" * 40)
    name = read(data[:place] + noise[:40].ljust(40, b"x") + data[place + 40 :])[0].name

    assert name is None or (name.isascii() and name.isprintable())
