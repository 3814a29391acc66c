"""Talking with servers as the corpus does: the servers, a connection to one, and what comes back over it.

Steps of a conversation, beside texts to send:

| step | what the client does |
| --- | --- |
| `{times: 70000, text: a}` | sends the text so many times |
| `{by: 1, text: ...}` | sends so many bytes at a time, each time when the server has read what came before |
| `{read: true}` | waits until the server has read what was sent |
| `{answered: text}` | waits until the text has come back, behind that of the last such step |
| `{aside: {"POST /_mock/clock/advance": {...}}}` | makes a control call over another connection |
| `{half_close: true}` | says that it sends nothing more |
| `{leave: true}` | leaves as soon as it has what is to come back; the last step |
"""

from __future__ import annotations

import hashlib
import http.client
import json
import re
import socket
from contextlib import suppress
from pathlib import Path
from typing import Any, Self
from urllib.parse import urlsplit

import yaml
from raw.conversation import CLOSED, LEFT, OPEN, RESET, Conversation, as_bytes, as_text

#: What all servers hold: a master account with something of everything, at a standstill, so that answers repeat.
SCENARIO = yaml.safe_load(Path(__file__).with_name("scenario.yaml").read_text(encoding="utf-8"))
#: The servers that conversations name: what is laid over the scenario, and settings.
SERVERS: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "standard": ({}, {}),
    "known": ({}, {"keys": "known"}),
    "isolate": ({}, {"keys": "isolate"}),
    "guarded": ({}, {"control_token": "s3cret"}),
    "strict": ({"strict": True}, {}),
    # The hundredth request of the tier is the last one that is answered.
    "enforced": ({"behaviour": {"rate_limit": {"tier": "general", "enforce": True}}}, {}),
    # Little enough that what goes beyond a limit can be read in the corpus.
    "tight": ({}, {"body_limit": 64, "head_limit": 1024, "headers_limit": 12}),
    "hasty": ({}, {"head_timeout": 0.15, "body_timeout": 0.15}),
}
#: The workspace beside the default one.
SIDE = "side"
#: Seconds until a client gives up: a test fails then.
PATIENCE = 10.0
#: The seconds without a byte after which an answer is taken for complete when it is recorded. Chosen: far above the
#: delays of the faults in the corpus.
QUIET = 0.5
#: The longest body, in bytes, that is kept as it is; of others the digest. Chosen: JSON is shorter, pages are longer.
LONGEST = 1_500
#: How many bytes of many answers are kept as they are; of the rest their digest.
MOST = 10_000
#: Shows that the connection is still open: nothing else is answered so.
SENTINEL = b"GET /_mock/sentinel HTTP/1.1\r\nhost: mock.test\r\nconnection: close\r\n\r\n"

#: How many turns of an event loop it takes until what was sent before them has been read: in the first it may be read
#: behind what tells of the turn. A new connection is accepted, made and watched before, each in a turn of its own.
_TO_READ, _TO_ACCEPT = 2, 5
#: Requests that may lead to the workspace beside the default one.
_SIDE = re.compile(r"/w/|(?i:x-mock-workspace)")
_DATE = re.compile(rb"(?m)^date: \w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d GMT\r$")
#: Flask tells the methods of an address in an order that differs with each process.
_ALLOW = re.compile(rb"(?m)^(allow: )([A-Z, ]+)")
#: What Python calls the status since 3.13, and before.
_RENAMED = (b" 413 Content Too Large\r\n", b" 413 Request Entity Too Large\r\n")
#: A signed token: each server has a key of its own.
_TOKEN = re.compile(rb"eyJ[\w-]+\.(eyJ[\w-]+)\.[\w-]+")
#: The number of an event of a stream: it counts on when a workspace is reset.
_EVENT = re.compile(rb"[0-9a-f]+\r\nid: \d+\n")
_LENGTH = re.compile(rb"(?i)\r\ncontent-length: (\d+)\r\n(?:[^\r\n]+\r\n)*\r\n")


class Target:
    """A running server, and a connection to it beside that of the conversation."""

    def __init__(self, root: str, kind: str) -> None:
        address = urlsplit(root)
        assert address.hostname is not None
        assert address.port is not None
        self.address = (address.hostname, address.port)
        token = SERVERS[kind][1].get("control_token")
        self._headers = {"Authorization": f"Bearer {token}"} if token else {}
        self._aside = http.client.HTTPConnection(*self.address, timeout=PATIENCE)
        self.call("POST /_mock/workspaces", {"name": SIDE})
        self._sentinel = self._last_answer()

    def call(self, line: str, body: Any = None, **headers: str) -> None:
        """Make a control call, `line` being its method and path, that has to succeed."""
        method, _, path = line.partition(" ")
        sent = None if body is None else json.dumps(body)
        headers = {**self._headers, "Content-Type": "application/json", **headers}
        try:
            answer = self._ask(method, path, sent, headers)
        except http.client.RemoteDisconnected:  # it was idle for longer than the server keeps connections
            self._aside.close()
            answer = self._ask(method, path, sent, headers)
        content = answer.read()
        assert answer.status < 300, f"{line}: {answer.status} {content!r}"

    def _ask(self, method: str, path: str, sent: str | None, headers: dict[str, str]) -> http.client.HTTPResponse:
        self._aside.request(method, path, sent, headers)
        return self._aside.getresponse()

    def reset(self, *, both: bool) -> None:
        """Make the default workspace what it was at the start, and the one beside it if it has been used."""
        self.call("POST /_mock/reset")
        if both:
            self.call("POST /_mock/reset", **{"X-Mock-Workspace": SIDE})

    def turn(self, times: int) -> None:
        """Return when the event loop of the server has turned so many times."""
        for _ in range(times):
            self.call("GET /_mock/livez")

    def connect(self) -> RawConnection:
        return RawConnection(self)

    def normal(self, data: bytes) -> bytes:
        """What has come back, as the corpus has it."""
        return normal(data, port=self.address[1])

    def is_sentinel(self, data: bytes) -> bool:
        """Whether this is the answer to the sentinel and nothing else."""
        return self.normal(data) == self._sentinel

    def _last_answer(self) -> bytes:
        with self.connect() as connection:
            connection.send(SENTINEL)
            connection.read_end()
            return self.normal(bytes(connection.came))

    def close(self) -> None:
        self._aside.close()


def scenario(kind: str) -> dict[str, Any]:
    """The scenario of a server."""
    return {**SCENARIO, **SERVERS[kind][0]}


def normal(data: bytes, *, port: int) -> bytes:
    """What a server at a port has answered, without what differs each time, and with digests of what is long."""
    data = _DATE.sub(b"date: DATE\r", data)
    data = _ALLOW.sub(lambda found: found[1] + b", ".join(sorted(found[2].split(b", "))), data)
    data = data.replace(*_RENAMED)
    data = _TOKEN.sub(rb"HEADER.\1.SIGNATURE", data)
    data = _EVENT.sub(rb"SIZE\r\nid: NUMBER\n", data)
    data = _shortened(data.replace(b":%d" % port, b":PORT"))
    return data if len(data) <= MOST else data[:MOST] + _digest(data[MOST:])


def _shortened(data: bytes) -> bytes:
    """Answers with a digest in place of each body that is long and complete."""
    found, start = [], 0
    while match := _LENGTH.search(data, start):
        length = int(match[1])
        body = data[match.end() : match.end() + length]
        found.append(data[start : match.end()])
        start = match.end()
        if length > LONGEST and len(body) == length:
            found.append(_digest(body))
            start += length
    return b"".join([*found, data[start:]])


def _digest(data: bytes) -> bytes:
    return b"(%d bytes, sha256 %s)" % (len(data), hashlib.sha256(data).hexdigest().encode())


class RawConnection:
    """One connection of a conversation."""

    def __init__(self, target: Target) -> None:
        self._target = target
        self._socket = socket.create_connection(target.address, timeout=PATIENCE)
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        #: What has come back.
        self.came = bytearray()
        #: How the server has ended the connection, if it has.
        self.end = OPEN
        self._answered = 0
        self._is_accepted = False

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._socket.close()

    def send(self, data: bytes) -> None:
        if data:
            with suppress(ConnectionError):  # what the server says before it leaves can still be read
                self._socket.sendall(data)

    def take(self, steps: list[Any]) -> bool:
        """Do what a conversation tells the client; whether it leaves at the end.

        Texts behind each other are sent in one go: that they come together is what a conversation may be about.
        """
        together = b""
        for step in steps:
            if isinstance(step, str):
                together += as_bytes(step)
            elif "times" in step:
                together += as_bytes(step["text"]) * step["times"]
            else:
                self.send(together)
                together = b""
                if step == {"leave": True}:
                    return True
                self._do(step)
        self.send(together)
        return False

    def _do(self, step: dict[str, Any]) -> None:
        if "by" in step:
            self._send_slowly(as_bytes(step["text"]), step["by"])
        elif "read" in step:
            self._wait_read()
        elif "aside" in step:
            self._target.call(*next(iter(step["aside"].items())))
        elif "answered" in step:
            self._read_answer(as_bytes(step["answered"]))
        else:
            assert step == {"half_close": True}, step
            with suppress(OSError):  # the server has closed already
                self._socket.shutdown(socket.SHUT_WR)

    def _send_slowly(self, data: bytes, size: int) -> None:
        for start in range(0, len(data), size):
            self.send(data[start : start + size])
            self._wait_read()

    def _wait_read(self) -> None:
        """Return when the server has read what was sent."""
        self._target.turn(_TO_READ if self._is_accepted else _TO_ACCEPT)
        self._is_accepted = True

    def _read_answer(self, wanted: bytes) -> None:
        while (found := self.came.find(wanted, self._answered)) < 0:
            assert self.read_more(), f"{as_text(wanted)!r} has not come, but {as_text(bytes(self.came))!r}"
        self._answered = found + len(wanted)

    def read_more(self) -> bool:
        """Whether more came before the end of the connection.

        Raises:
            TimeoutError: nothing comes.
        """
        try:
            piece = self._socket.recv(1 << 20)
        except ConnectionResetError:
            self.end = RESET
            return False
        if not piece:
            self.end = CLOSED
        self.came += piece
        return bool(piece)

    def read_end(self) -> None:
        """Read until the server ends the connection.

        Raises:
            TimeoutError: it does not.
        """
        while self.read_more():
            pass

    def read_until(self, wanted: bytes) -> None:
        """Read until what has come back is this, apart from what differs each time, or the connection ends.

        Raises:
            TimeoutError: it does not come.
        """
        while self._target.normal(bytes(self.came)) != wanted and self.read_more():
            pass

    def read_until_quiet(self) -> None:
        """Read until nothing more comes."""
        self._socket.settimeout(QUIET)
        with suppress(TimeoutError):
            self.read_end()
        self._socket.settimeout(PATIENCE)

    def is_open(self) -> bool:
        """Whether the server answers one request more on this connection, and nothing besides."""
        self.came.clear()
        self.send(SENTINEL)
        with suppress(TimeoutError):
            self.read_end()
        return self._target.is_sentinel(bytes(self.came))


def played(target: Target, row: Conversation, *, anew: bool = False) -> tuple[str, str]:
    """What comes back in a conversation, and how its connection ends; `anew` asks nothing of what came back before."""
    target.reset(both=_SIDE.search(str(row.send)) is not None)
    for call in row.before:
        for line, body in call.items():
            target.call(line, body)
    with target.connect() as connection:
        leaves = connection.take(row.send)
        try:
            connection.read_until_quiet() if anew else connection.read_until(as_bytes(row.back))
            if not (anew or leaves) and row.end in (CLOSED, RESET):
                connection.read_end()
        except TimeoutError:
            return as_text(target.normal(bytes(connection.came))), "nothing more comes, and the server does not close"
        came = as_text(target.normal(bytes(connection.came)))
        if leaves and connection.end == OPEN:
            return came, LEFT
        end = connection.end
        if end == OPEN and not connection.is_open():
            end = f"open, but this came back for one request more: {as_text(bytes(connection.came))}"
        return came, end
