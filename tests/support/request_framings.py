"""Requests of every framing that HTTP/1.1 knows, and how they must be read."""

from __future__ import annotations

import json
from typing import NamedTuple

#: What happens to the connection after a request: it serves the next one, it is closed, or the request is refused.
KEPT, CLOSED, REFUSED = "kept", "closed", "refused"

JSON = b'{"name":"a","email":"a@x.test"}'
SIZE = b"%x" % len(JSON)
SENDER = ("POST", "/v3/senders", json.loads(JSON))
ACCOUNT = ("GET", "/v3/account", None)


class Row(NamedTuple):
    """Bytes that a client sends, the requests that a server reads in them, and the end.

    `proxied`: what a proxy in front makes of bytes that the server refuses, if the proxy accepts them.
    """

    sent: bytes
    requests: tuple = (SENDER,)
    end: str = KEPT
    proxied: tuple = ()


def head(line, *headers):
    return "\r\n".join([line, "Host: m.test", "api-key: any", *headers, "", ""]).encode("latin-1")


def post(*headers, body=JSON, line="POST /v3/senders HTTP/1.1"):
    """A request whose framing is among the headers."""
    return head(line, *headers) + body


def with_length(*headers, body=JSON, line="POST /v3/senders HTTP/1.1"):
    return post(*headers, f"Content-Length: {len(body)}", body=body, line=line)


def in_chunks(*headers, extension=b"", trailers=b"", size=SIZE, line="POST /v3/senders HTTP/1.1"):
    chunks = size + extension + b"\r\n" + JSON + b"\r\n0\r\n" + trailers + b"\r\n"
    return post(*headers, CHUNKED, body=chunks, line=line)


def followed(sent, method, path):
    """A request with a body, whatever its method, and one behind it."""
    return Row(sent + GET, ((method, path, SENDER[2]), ACCOUNT))


def refused(sent, *proxied):
    return Row(sent, (), REFUSED, proxied)


CHUNKED = "Transfer-Encoding: chunked"
LENGTH = f"Content-Length: {len(JSON)}"
H2C = ("Connection: Upgrade, HTTP2-Settings", "Upgrade: h2c", "HTTP2-Settings: AAEAAEAAAAIAAAAA")
WEBSOCKET = ("Connection: upgrade", "Upgrade: websocket", "Sec-WebSocket-Key: eA==", "Sec-WebSocket-Version: 13")
GET = head("GET /v3/account HTTP/1.1")
DELETE = b"DELETE /v3/senders/1 HTTP/1.1\r\nHost: m.test\r\n\r\n"
CHUNKS = b"%x\r\n%s\r\n0\r\n\r\n" % (len(JSON), JSON)
HTTP_1_0 = "POST /v3/senders HTTP/1.0"


def _line(line, body=JSON):
    return with_length(body=body, line=line)


#: Offers of another protocol, which are ignored (RFC 9110, 7.8).
UPGRADES = {
    "h2c, with a length": Row(with_length(*H2C)),
    "h2c, in chunks": Row(in_chunks(*H2C)),
    "h2c, in chunks with a trailer": Row(in_chunks(*H2C, trailers=b"X-T: 1\r\n")),
    "h2c, without a body": Row(head("GET /v3/account HTTP/1.1", *H2C), (ACCOUNT,)),
    "h2c, with a request as the body": Row(with_length(*H2C, body=DELETE), (("POST", "/v3/senders", DELETE.decode()),)),
    "h2c, and a request behind": Row(with_length(*H2C) + GET, (SENDER, ACCOUNT)),
    "h2c without a body, and a request behind": Row(head("GET /v3/account HTTP/1.1", *H2C) + GET, (ACCOUNT, ACCOUNT)),
    "h2c, twice": Row(head("GET /v3/account HTTP/1.1", *H2C) + in_chunks(*H2C) + GET, (ACCOUNT, SENDER, ACCOUNT)),
    "h2c behind a request": Row(GET + with_length(*H2C), (ACCOUNT, SENDER)),
    "h2c, many at once": Row(head("GET /v3/account HTTP/1.1", *H2C) * 90, (ACCOUNT,) * 90),
    "h2c, with compressed chunks": refused(post(*H2C, "Transfer-Encoding: gzip, chunked", body=CHUNKS)),
    "h2c, and 100-continue": Row(with_length(*H2C, "Expect: 100-continue")),
    "h2c, and close": Row(with_length("Connection: Upgrade, close", "Upgrade: h2c") + GET, end=CLOSED),
    "h2c by HTTP/1.0": Row(with_length("Connection: Upgrade", "Upgrade: h2c", line=HTTP_1_0), end=CLOSED),
    "h2c, with a bad length": refused(post(*H2C, "Content-Length: x")),
    "h2c, with length and chunks": refused(in_chunks(*H2C, LENGTH), SENDER),
    "h2c, with a bad chunk": refused(post(*H2C, CHUNKED, body=b"zz\r\n\r\n")),
    "a websocket, with a length": Row(with_length(*WEBSOCKET)),
    "a websocket, without a body": Row(head("GET /v3/account HTTP/1.1", *WEBSOCKET), (ACCOUNT,)),
    "TLS": Row(with_length("Connection: Upgrade", "Upgrade: TLS/1.0, HTTP/1.1")),
    "two offers of unknown protocols": Row(
        with_length("Connection: keep-alive", "Connection: Upgrade", "Upgrade: foo/2", "Upgrade: bar")
    ),
    "an offer that Connection does not name": Row(with_length("Upgrade: h2c")),
}
#: Where the body of a request ends.
BODIES = {
    "a length": Row(with_length()),
    "zeros before the length": Row(post(f"Content-Length: 000{len(JSON)}")),
    "spaces around the length": Row(post(f"Content-Length:   {len(JSON)}  ")),
    "no body": Row(head("GET /v3/account HTTP/1.1"), (ACCOUNT,)),
    "no length, so the bytes behind are a request": Row(
        head("POST /v3/senders HTTP/1.1") + GET, (("POST", "/v3/senders", None), ACCOUNT)
    ),
    "100-continue": Row(with_length("Expect: 100-continue")),
    "100-continue in other letters": Row(with_length("Expect: 100-Continue")),
    "an unknown expectation": Row(with_length("Expect: 200-ok")),
    "a body of GET": followed(_line("GET /v3/account HTTP/1.1"), "GET", "/v3/account"),
    "chunks of GET": followed(in_chunks(line="GET /v3/account HTTP/1.1"), "GET", "/v3/account"),
    "a body of HEAD": followed(_line("HEAD /v3/account HTTP/1.1"), "HEAD", "/v3/account"),
    "chunks of HEAD": followed(in_chunks(line="HEAD /v3/account HTTP/1.1"), "HEAD", "/v3/account"),
    "a body of DELETE": followed(_line("DELETE /v3/senders/2 HTTP/1.1"), "DELETE", "/v3/senders/2"),
    "chunks of DELETE": followed(in_chunks(line="DELETE /v3/senders/2 HTTP/1.1"), "DELETE", "/v3/senders/2"),
    "a body of OPTIONS": followed(_line("OPTIONS /v3/senders HTTP/1.1"), "OPTIONS", "/v3/senders"),
    "a length with a sign": refused(post(f"Content-Length: +{len(JSON)}")),
    "a negative length": refused(post("Content-Length: -1")),
    "a hexadecimal length": refused(post("Content-Length: 0x1f")),
    "a space in the length": refused(post("Content-Length: 3 1")),
    "an empty length": refused(post("Content-Length: ")),
    "a length beyond all numbers": refused(post("Content-Length: 99999999999999999999999")),
    "a list of lengths": refused(post(f"Content-Length: {len(JSON)}, {len(JSON)}"), SENDER),
    "two lengths that agree": refused(post(LENGTH, LENGTH), SENDER),
    "two lengths that differ": refused(post(LENGTH, "Content-Length: 5")),
    "a length with an underscore": Row(post("Content_Length: 5", LENGTH)),
    "a length, then chunks": refused(post("Content-Length: 5", CHUNKED, body=CHUNKS), SENDER),
    "chunks, then a length": refused(post(CHUNKED, "Content-Length: 5", body=CHUNKS), SENDER),
}
#: Bodies in chunks.
CHUNKED_BODIES = {
    "chunks": Row(in_chunks()),
    "chunks in capitals": Row(post("Transfer-Encoding: CHUNKED", body=CHUNKS)),
    "an extension": Row(in_chunks(extension=b';a=b;c="d e"')),
    "an extension behind a space": refused(in_chunks(extension=b" ; a = b"), SENDER),
    "an extension with a line feed": refused(in_chunks(extension=b";a\nb")),
    "spaces behind the size": refused(in_chunks(extension=b"  "), SENDER),
    "a trailer": Row(in_chunks(trailers=b"X-T: 1\r\n") + GET, (SENDER, ACCOUNT)),
    "a trailer that is no header": Row(
        in_chunks(trailers=b"Expect: 100-continue\r\napi-key: unknown\r\n") + GET, (SENDER, ACCOUNT)
    ),
    "a trailer with a framing": refused(in_chunks(trailers=b"Content-Length: 5\r\n"), SENDER),
    "zeros before the size": Row(in_chunks(size=b"0" * 40 + SIZE)),
    "a size with a sign": refused(in_chunks(size=b"+" + SIZE)),
    "a negative size": refused(in_chunks(size=b"-1")),
    "a size with 0x": refused(in_chunks(size=b"0x1f")),
    "an empty size": refused(in_chunks(size=b"")),
    "a size beyond all numbers": refused(in_chunks(size=b"fffffffffffffffff")),
    "no line end behind a chunk": refused(post(CHUNKED, body=b"%x\r\n%s0\r\n\r\n" % (len(JSON), JSON))),
    "line feeds alone": refused(post(CHUNKED, body=b"%x\n%s\n0\n\n" % (len(JSON), JSON)), SENDER),
    "carriage returns alone": refused(post(CHUNKED, body=b"%x\r%s\r0\r\r" % (len(JSON), JSON))),
    "chunks that are compressed": refused(post("Transfer-Encoding: gzip, chunked", body=CHUNKS)),
    "chunks that are compressed, in two headers": refused(post("Transfer-Encoding: gzip", CHUNKED, body=CHUNKS)),
    "compressed at last": refused(post("Transfer-Encoding: chunked, gzip", body=CHUNKS)),
    "chunks of chunks": refused(post("Transfer-Encoding: chunked, chunked", body=CHUNKS)),
    "two headers of chunks": refused(post(CHUNKED, CHUNKED, body=CHUNKS)),
    "an empty element": refused(post("Transfer-Encoding: , chunked", body=CHUNKS)),
    "identity with a length": refused(post("Transfer-Encoding: identity", LENGTH)),
    "an unknown encoding": refused(post("Transfer-Encoding: xchunked", body=CHUNKS)),
    "a parameter": refused(post("Transfer-Encoding: chunked;q=1", body=CHUNKS)),
    "quoted": refused(post('Transfer-Encoding: "chunked"', body=CHUNKS)),
    "a tab": refused(post("Transfer-Encoding:\tchunked\t", body=CHUNKS), SENDER),
    "a control character": refused(post("Transfer-Encoding: \x0bchunked", body=CHUNKS)),
    "an empty encoding": refused(post("Transfer-Encoding: ", LENGTH)),
    "a space before the colon": refused(post("Transfer-Encoding : chunked", body=CHUNKS)),
    "chunks by HTTP/1.0": refused(in_chunks(line=HTTP_1_0), SENDER),
}
#: Where the lines and headers of a request end.
LINES = {
    "an empty line first": Row(b"\r\n" + with_length()),
    "a line feed first": Row(b"\n" + with_length()),
    "an empty line behind a body": Row(with_length() + b"\r\n" + GET, (SENDER, ACCOUNT)),
    "two spaces": Row(head("GET  /v3/account HTTP/1.1"), (ACCOUNT,)),
    "a space first": refused(b" " + with_length()),
    "line feeds alone": refused(with_length().replace(b"\r\n", b"\n"), SENDER),
    "a line feed alone behind a header": refused(with_length("X-A: b\nX-B: c"), SENDER),
    "a line feed alone, and a framing behind": refused(with_length(f"X-A: b\n{CHUNKED}")),
    "a line feed alone at the end": refused(post(LENGTH, body=b"").removesuffix(b"\r\n") + b"\n" + JSON, SENDER),
    "a carriage return alone": refused(with_length("X-A: b\rc: d")),
    "a carriage return before a framing": refused(with_length(f"X-A: b\r{CHUNKED}")),
    "a folded line": refused(with_length("X-A: b\r\n c"), SENDER),
    "a folded line that looks like a framing": refused(with_length("X-A: b\r\n Content-Length: 5"), SENDER),
    "a folded encoding": refused(post("Transfer-Encoding:\r\n chunked", body=CHUNKS), SENDER),
    "a folded line first": refused(b"GET /v3/account HTTP/1.1\r\n X: y\r\nHost: m.test\r\n\r\n"),
    "a null": refused(with_length("X-A: b\0c")),
    "a control character": refused(with_length("X-A: b\x01c")),
    "no colon": refused(with_length("X-A"), SENDER),
    "no name": refused(with_length(": x")),
    "a space in a name": refused(with_length("X A: x")),
    "a space behind a name": refused(post("Content-Length : 5", LENGTH)),
    "two hosts": refused(with_length("Host: other.test")),
}
#: What a request is for.
TARGETS = {
    "a URL": Row(_line("POST http://m.test/v3/senders HTTP/1.1")),
    "a URL of https": Row(_line("POST https://m.test/v3/senders HTTP/1.1")),
    "a URL of another host": Row(_line("POST http://other.test:81/v3/senders HTTP/1.1")),
    "a URL with a user": Row(_line("POST http://u@m.test/v3/senders HTTP/1.1")),
    "a URL, and a request behind": Row(_line("POST http://m.test/v3/senders HTTP/1.1") + GET, (SENDER, ACCOUNT)),
    "a fragment": Row(head("GET /v3/account#x HTTP/1.1"), (ACCOUNT,)),
    "a host and port alone": refused(head("GET m.test:80 HTTP/1.1")),
    "CONNECT": refused(head("CONNECT m.test:80 HTTP/1.1")),
    "CONNECT with a path and a body": refused(_line("CONNECT /v3/senders HTTP/1.1", body=DELETE)),
    "a space in the path": refused(head("GET /v3/acc ount HTTP/1.1")),
    "a tab": refused(head("GET\t/v3/account HTTP/1.1"), ACCOUNT),
    "a byte beyond ASCII": refused(head("GET /v3/\xff HTTP/1.1")),
    "a control character": refused(head("GET /v3/\x01 HTTP/1.1")),
    "an unknown method": refused(_line("BREW /v3/senders HTTP/1.1")),
    "a method in small letters": refused(head("get /v3/account HTTP/1.1")),
}
#: Versions of HTTP, and several requests of one connection.
VERSIONS = {
    "three requests": Row(GET + with_length() + GET, (ACCOUNT, SENDER, ACCOUNT)),
    "a request behind one that closes": Row(with_length("Connection: close") + GET, end=CLOSED),
    "a request behind one that closes after all": Row(with_length("Connection: keep-alive, close") + GET, end=CLOSED),
    "a framing among the connection's own headers": Row(with_length("Connection: content-length")),
    "HTTP/1.0": Row(_line(HTTP_1_0), end=CLOSED),
    "a request behind HTTP/1.0": Row(_line(HTTP_1_0) + GET, end=CLOSED),
    "HTTP/1.0 without a host": Row(b"GET /v3/account HTTP/1.0\r\napi-key: any\r\n\r\n", (ACCOUNT,), CLOSED),
    "HTTP/0.9": refused(head("GET /v3/account HTTP/0.9")),
    "HTTP/1.2": refused(head("GET /v3/account HTTP/1.2"), ACCOUNT),
    "HTTP/1.11": refused(head("GET /v3/account HTTP/1.11"), ACCOUNT),
    "HTTP/2.0 in lines": refused(head("GET /v3/account HTTP/2.0"), ACCOUNT),
    "HTTP/2.0 in lines, with a body": refused(_line("POST /v3/senders HTTP/2.0"), SENDER),
    "HTTP/2 with prior knowledge": refused(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\4\0\0\0\0\0"),
    "http in small letters": refused(head("GET /v3/account http/1.1")),
    "a space behind the version": refused(head("GET /v3/account HTTP/1.1 "), ACCOUNT),
}

GROUPS = {
    "upgrades": UPGRADES, "bodies": BODIES, "chunked bodies": CHUNKED_BODIES, "lines": LINES, "targets": TARGETS,
    "versions": VERSIONS,
}  # fmt: skip
ROWS = {f"{group}: {name}": row for group, rows in GROUPS.items() for name, row in rows.items()}
