"""The bytes of mails that come in by SMTP: they arrive as they were sent, and are kept only as far as the limits go."""

import contextlib
import gc
import smtplib
import socket
import threading
import time

import pytest
from aiosmtpd.smtp import Envelope
from hypothesis import given
from hypothesis import strategies as st

from mockserver.effects import smtp_listener as mail_data
from mockserver.effects.smtp_listener import _READERS, LARGEST, Incoming, Listener, TotalSize

ENVELOPE = b"MAIL FROM:<bob@example.test>\r\nRCPT TO:<reply@in.acme.test>\r\n"
BLOCK = 1_000_000


class Post:
    """A listener, the mails that it has taken, and how many bytes it keeps."""

    def __init__(self):
        self.mails, self.may_read = [], threading.Event()
        self.may_read.set()
        self.listener = Listener("127.0.0.1", 0, self.take)

    def take(self, raw, sender, recipients):
        self.may_read.wait(10)
        self.mails.append(raw)

    @property
    def kept(self):
        return self.listener._handler.total.taken  # noqa: SLF001  # nobody is told

    def keeps(self, number):
        """Whether it keeps so many bytes before long."""
        for _ in range(500):
            if self.kept == number:
                return True
            time.sleep(0.01)
        return False

    @property
    def address(self):
        host, _, port = self.listener.address.rpartition(":")
        return host, int(port)

    @contextlib.contextmanager
    def caller(self, *, in_data=True):
        """Somebody who is about to send a mail."""
        with socket.create_connection(self.address, timeout=10) as connection:
            caller = Caller(connection)
            assert caller.asks(b"HELO localhost\r\n", 2) == [220, 250]
            if in_data:
                assert caller.asks(ENVELOPE + b"DATA\r\n", 3) == [250, 250, 354]
            yield caller
            caller.answers.close()


class Caller:
    def __init__(self, connection):
        self.connection, self.answers = connection, connection.makefile("rb")

    def asks(self, what, answers=1):
        """The codes of the answers."""
        self.connection.sendall(what)
        return [int(self.answers.readline()[:3]) for _ in range(answers)]


@pytest.fixture
def post():
    post = Post()
    post.listener.start()
    yield post
    post.may_read.set()
    post.listener.stop()


@pytest.fixture(scope="module")
def lasting():
    """A listener, and a client that is connected with it."""
    post = Post()
    post.listener.start()
    with smtplib.SMTP(*post.address, local_hostname="localhost", timeout=10) as client:
        yield post, client
    post.listener.stop()


# ---------------------------------------------------------------------- as they were sent

CONTENTS = st.lists(st.sampled_from([b"\r\n", b"\r", b"\n", b".", b"..", b"x"]) | st.binary(max_size=5)).map(b"".join)


def on_the_wire(content):
    """A mail with its dots doubled, and the line that ends it."""
    return (b"\r\n" + content + b"\r\n").replace(b"\r\n.", b"\r\n..")[2:] + b".\r\n"


@given(CONTENTS, st.binary(), st.integers(1, 7))
def test_mail_in_arbitrary_pieces_is_read_completely(content, rest, size):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(mail_data, "_PIECE", size)
        mail, wire = Incoming(TotalSize()), on_the_wire(content)
        blocks = [wire[place : place + size] for place in range(0, len(wire), size)]

        found = [mail.feed(block) for block in [*blocks[:-1], blocks[-1] + rest]]

        assert found == [*[None] * (len(blocks) - 1), rest]
        assert (mail.refusal, mail.content()) == ("", content + b"\r\n")


@given(st.lists(st.binary(max_size=20).map(lambda line: line.replace(b"\r", b"").replace(b"\n", b"")) | st.just(b".")))
def test_lines_that_the_standard_library_sends_arrive(lasting, lines):
    post, client = lasting

    client.sendmail("bob@example.test", ["reply@in.acme.test"], b"\r\n".join(lines))

    assert post.mails.pop().removesuffix(b"\r\n") == b"\r\n".join(lines).removesuffix(b"\r\n")


@pytest.mark.parametrize(
    "content",
    [
        b"", b"\r\n" * (LARGEST // 2), b"\r\n" + b".\r\n" * (LARGEST // 4 - 1), b".x\r\n" * 200_000,
        b"x" * (LARGEST - 2) + b"\r\n", b"\n.\n\r.\r\n",
    ],
    ids=["nothing", "blank lines", "dots", "lines with a dot", "one line", "what is nearly the end"],
)  # fmt: skip
def test_lines_of_any_kind_arrive(post, content):
    with post.caller() as caller:
        assert caller.asks(b"." * content.startswith(b".") + content.replace(b"\r\n.", b"\r\n..") + b".\r\n") == [250]

    assert post.mails == [content]
    assert post.keeps(0)


def test_what_follows_a_mail_are_commands_again(post):
    first, second = b"one\r\n.\r\n", b".\r\n"
    with post.caller(in_data=False) as caller:
        sent = ENVELOPE + b"DATA\r\n" + first + b"NOOP\r\n" + ENVELOPE + b"DATA\r\n" + second + b"QUIT\r\n"

        assert caller.asks(sent, 10) == [250, 250, 354, 250, 250, 250, 250, 354, 250, 221]

    assert post.mails == [b"one\r\n", b""]


def test_an_end_that_comes_byte_by_byte_is_one(post):
    with post.caller() as caller:
        for byte in b"x\r\n.\r":
            caller.connection.sendall(bytes([byte]))
            time.sleep(0.01)

        assert caller.asks(b"\nNOOP\r\n", 2) == [250, 250]

    assert post.mails == [b"x\r\n"]


@pytest.mark.parametrize(("command", "code"), [(b"DATA x\r\n", 501), (b"RSET\r\nDATA\r\n", 503)])
def test_a_mail_comes_in_its_turn_only(post, command, code):
    with post.caller(in_data=False) as caller:
        assert caller.asks(ENVELOPE + command, 2 + command.count(b"\r\n"))[-1] == code


def test_nobody_sends_a_mail_who_has_said_no_name(post):
    with socket.create_connection(post.address, timeout=10) as connection:
        assert Caller(connection).asks(b"DATA\r\n", 2) == [220, 503]


# ---------------------------------------------------------------------- what is kept


def test_a_line_without_an_end_is_refused_and_not_kept(post):
    with post.caller() as caller:
        most = 0
        for _ in range(3 * LARGEST // BLOCK):
            caller.connection.sendall(b"x" * BLOCK)
            most = max(most, post.kept)

        assert post.keeps(5)
        assert most <= LARGEST + BLOCK
        assert caller.asks(b"\r\n.\r\n" + ENVELOPE + b"DATA\r\n" + b"x\r\n.\r\n", 5) == [552, 250, 250, 354, 250]

    assert post.mails == [b"x\r\n"]
    assert post.keeps(0)


def test_a_mail_that_goes_on_for_too_long_ends_the_connection(post, monkeypatch):
    monkeypatch.setattr(mail_data, "LARGEST", 1_000)

    with post.caller() as caller, contextlib.suppress(ConnectionError):
        assert caller.asks(b"x\r\n" * 10_000) == [552]
        assert caller.answers.read() == b""

    assert (post.keeps(0), post.mails) == (True, [])


@pytest.mark.parametrize(("size", "refusal"), [(1_000, ""), (1_001, "552")])
def test_a_mail_may_be_as_large_as_the_limit(monkeypatch, size, refusal):
    monkeypatch.setattr(mail_data, "LARGEST", 1_000)
    mail = Incoming(TotalSize())

    mail.feed(b"x" * (size - 2) + b"\r\n.\r\n")

    assert mail.refusal[:3] == refusal


def test_all_mails_together_take_no_more_than_so_much(post, monkeypatch):
    monkeypatch.setattr(mail_data, "MOST_TOGETHER", 300_000)
    large = b"x\r\n" * 70_000

    with post.caller() as one, post.caller() as other:
        one.connection.sendall(large)
        assert post.keeps(len(large) + 2)
        assert other.asks(large + b".\r\n") == [452]
        assert one.asks(b".\r\n") == [250]
        assert other.asks(ENVELOPE + b"DATA\r\n" + large + b".\r\n", 4) == [250, 250, 354, 250]

    assert post.mails == [large] * 2
    assert post.keeps(0)


def test_what_a_mail_took_is_free_when_its_sender_goes(post):
    with post.caller() as caller:
        caller.connection.sendall(b"x" * 1_000)
        assert post.keeps(1_002)

    assert (post.keeps(0), post.mails) == (True, [])


def test_a_mail_that_waits_is_not_kept_when_its_sender_goes(post):
    post.may_read.clear()
    with contextlib.ExitStack() as stack:
        for number in range(_READERS):
            stack.enter_context(post.caller()).connection.sendall(b"%d\r\n.\r\n" % number)
        assert post.keeps(_READERS * 5)
        with post.caller() as caller:
            caller.connection.sendall(b"waits\r\n.\r\n")
            assert post.keeps(_READERS * 5 + 9)
        assert post.keeps(_READERS * 5)
        assert b"waits\r\n" not in [e.content for e in gc.get_objects() if isinstance(e, Envelope)]
        post.may_read.set()
        assert post.keeps(0)

    assert sorted(post.mails) == [b"%d\r\n" % number for number in range(_READERS)]
