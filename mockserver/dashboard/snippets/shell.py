"""Requests as commands of curl, for every POSIX shell."""

from __future__ import annotations

from collections.abc import Iterator

from mockserver.dashboard.snippets.sent import NOBODY, Sent

#: The longest body that is an argument of a program, in bytes: Linux allows 128 KiB for each, others 256 for all.
_LONGEST_ARGUMENT = 64 * 1024
_NEXT = " \\\n  "

#: The option by which curl takes any certificate: that of this server is of an authority of its own, which nobody
#: trusts who has not been told.
TRUSTING = "--insecure"
#: The option by which curl sends the control token, which stays where it is.
AUTHORIZATION = '-H "Authorization: Bearer $MOCKSERVER_CONTROL_TOKEN"'


def curl(sent: Sent, root: str, key: str | None, *, asks_token: bool = False) -> str:
    """A command that sends a request to the server at `root` with a key; without a key for a caller who has none.

    `asks_token` says that it is a control call to a server that asks for its token.
    """
    address = f"{root}{sent.target}"
    parts = [" ".join(["curl", *_method(sent), *_address_options(sent, address), _word(address.encode())])]
    if sent.has_key:
        parts.append(f"-H {_word(f'api-key: {key or NOBODY}'.encode())}")
    if asks_token:
        parts.append(AUTHORIZATION)
    parts += [f"-H {_header(name, value)}" for name, value in sent.headers.items()]
    return _with_body(parts, sent)


def _method(sent: Sent) -> Iterator[str]:
    """The options that choose the method, and show the headers of the answer."""
    if sent.method == "HEAD":
        yield "--head"
        return
    yield "-i"
    if sent.method != "GET" or sent.body:
        yield f"-X {sent.method if sent.method.isalpha() else _word(sent.method.encode())}"


def _address_options(sent: Sent, address: str) -> Iterator[str]:
    """The options by which curl takes an address as it stands."""
    if any(segment in (".", "..") for segment in sent.path.split("/")):
        yield "--path-as-is"
    if any(bracket in address for bracket in "[]{}"):
        yield "--globoff"
    if address.startswith("https:"):
        yield TRUSTING


def _with_body(parts: list[str], sent: Sent) -> str:
    if not sent.body or sent.method == "HEAD":
        return _NEXT.join(parts)
    if "content-type" not in sent.headers:
        parts.append("-H 'content-type:'")  # else curl takes it for a form
    if len(sent.body) <= _LONGEST_ARGUMENT and _is_plain(sent.body):
        return _NEXT.join([*parts, f"--data-raw {_word(sent.body)}"])
    return _NEXT.join([f"printf {_format(sent.body)} |", *parts, "--data-binary @-"])


def _header(name: str, value: str) -> str:
    """A header as an argument; curl leaves one out that has no value, unless a semicolon ends its name."""
    line = f"{name}: {value}" if value else f"{name};"
    return _word(line.encode("latin-1", "replace"))


def _word(raw: bytes) -> str:
    """Bytes without NUL as one word; `$(...)` drops line feeds at the end, which addresses and headers do not have."""
    if not _is_plain(raw):
        return f'"$(printf {_format(raw)})"'
    return "'" + raw.decode().replace("'", "'\\''") + "'"


def _is_plain(raw: bytes) -> bool:
    """Whether bytes can be read, and pasted, as a text: a terminal acts on control characters."""
    try:
        text = raw.decode()
    except UnicodeDecodeError:
        return False
    return all(line.isprintable() for line in text.split("\n"))


def _format(raw: bytes) -> str:
    """Bytes as the format of `printf`."""
    found = "".join(_escaped(byte) for byte in raw)
    return f"'\\055{found[1:]}'" if found.startswith("-") else f"'{found}'"


def _escaped(byte: int) -> str:
    if byte == 0x25:
        return "%%"
    return chr(byte) if 0x20 <= byte < 0x7F and byte not in b"\\'" else f"\\{byte:03o}"
