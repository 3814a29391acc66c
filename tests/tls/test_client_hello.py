"""What is read of the first message of a client: the name that it calls, and the protocols that it offers."""

from __future__ import annotations

import ssl

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mockserver.web.server.tls.client_hello import ClientHello, Wishes


def sent(name=None, protocols=()):
    """The first bytes of a client of the standard library."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname = False
    if protocols:
        context.set_alpn_protocols(protocols)
    incoming, outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
    client = context.wrap_bio(incoming, outgoing, server_hostname=name)
    with pytest.raises(ssl.SSLWantReadError):
        client.do_handshake()
    return outgoing.read()


def read(*pieces):
    hello = ClientHello()
    for piece in pieces:
        hello.add(piece)
    return hello


def in_records(data, size):
    """The message of one record in records of at most so many bytes."""
    message = data[5:]
    parts = [message[start : start + size] for start in range(0, len(message), size)]
    return b"".join(data[:3] + len(part).to_bytes(2) + part for part in parts)


@pytest.mark.parametrize(
    ("name", "protocols", "wishes"),
    [
        ("api.brevo.com", [], Wishes("api.brevo.com")),
        ("API.Brevo.com", [], Wishes("api.brevo.com")),
        (None, [], Wishes()),
        ("localhost", ["h2", "http/1.1"], Wishes("localhost", (b"h2", b"http/1.1"))),
        ("127.0.0.1", [], Wishes()),
    ],
    ids=["name", "upper case", "no name", "protocols", "address"],
)
def test_name_and_protocols_are_read(name, protocols, wishes):
    hello = read(sent(name, protocols))

    assert (hello.is_over, hello.wishes()) == (True, wishes)


@pytest.mark.parametrize("size", [1, 7, 100])
def test_a_message_may_come_in_many_records(size):
    hello = read(in_records(sent("api.brevo.com"), size))

    assert (hello.is_over, hello.wishes().name) == (True, "api.brevo.com")


def test_a_message_is_over_with_its_last_byte():
    data = sent("api.brevo.com")
    hello = read(*(data[index : index + 1] for index in range(len(data) - 1)))
    assert not hello.is_over

    hello.add(data[-1:])

    assert (hello.is_over, hello.wishes().name, bytes(hello.received)) == (True, "api.brevo.com", data)


@pytest.mark.parametrize(
    "data",
    [b"\x16\x03\x01\x00\x00" * 20_000, b"\x16\x03\x01\xff\xff" + b"\x01\xff\xff\xff" * 20_000],
    ids=["empty records", "one that does not end"],
)
def test_what_is_longer_than_any_message_is_over(data):
    hello = read(data)

    assert (hello.is_over, hello.wishes()) == (True, Wishes())


@given(st.binary(max_size=300), st.integers(0, 299))
def test_whatever_comes_is_read(noise, at):
    """Of a valid message with other bytes somewhere, some name or none is read."""
    data = sent("api.brevo.com")
    hello = read(data[:at] + noise + data[at + len(noise) :])

    assert isinstance(hello.wishes(), Wishes)


@given(st.binary(max_size=300))
def test_a_name_is_text_that_can_be_shown(noise):
    data = sent("x" * 40 + ".test")
    place = data.index(b"x" * 40)
    name = read(data[:place] + noise[:40].ljust(40, b"x") + data[place + 40 :]).wishes().name

    assert name is None or (name.isascii() and name.isprintable())
