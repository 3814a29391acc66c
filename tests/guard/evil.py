"""Bodies that cost a careless server more than they cost their sender: each is made as large as is asked for."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any
from urllib.parse import quote_plus

Make = Callable[[int, "tuple[str, ...]"], bytes]

#: Texts that patterns stumble over, repeated until they fill a body.
PIECES = {
    "letters": "a",
    "digits": "1",
    "blanks": " ",
    "dashes": "-",
    "dots": "a.",
    "ats": "a@",
    "tokens": "eyJ",
    "tokens with dots": "eyJ.",
    "percents": "%4",
    "dollars": "${",
    "slashes": "/a",
    "colons": "a:",
    "durations": "P1D",
    "instants": "2026-01-",
    "brackets": "[a](",
    "angles": "<a@b>",
    "quotes": '"\\',
    "lines": "> a\n",
    "umlauts": "ü.",
    "labels": "xn--a.",
    "tabs": "\t ",
    "equals": "a=b&",
    "stars": "*a",
}


def _repeated(piece: str, size: int) -> str:
    return (piece * (size // len(piece) + 1))[:size]


def _json(value: Any) -> bytes:
    return json.dumps(value).encode()


def _texts(piece: str) -> Make:
    """One long text in every member that the call knows, all of them together as large as the body."""

    def make(size: int, names: tuple[str, ...]) -> bytes:
        each = size // max(1, len(names))
        return _json(dict.fromkeys(names or ("x",), _repeated(piece, each)))

    return make


def _filled(head: bytes, piece: bytes, tail: bytes = b"") -> Make:
    return lambda size, _: head + piece * ((size - len(head) - len(tail)) // len(piece)) + tail


def _numbered(form: str, around: tuple[str, str], between: str) -> Make:
    """Pieces that each have a number of their own."""

    def make(size: int, _: tuple[str, ...]) -> bytes:
        number = size // (len(form) + len(between) + 3)
        return (around[0] + between.join(form.replace("#", str(index)) for index in range(number)) + around[1]).encode()

    return make


def _lists(value: Any) -> Make:
    """Every member that the call knows as a list of the same thing, again and again."""

    def make(size: int, names: tuple[str, ...]) -> bytes:
        names = names or ("x",)
        number = size // len(names) // (len(json.dumps(value)) + 2)
        return _json({name: [value] * number for name in names})

    return make


def _twice(size: int, _: tuple[str, ...]) -> bytes:
    members = [f'"a{index}":1' for index in range(size // 11)]
    return ("{" + ",".join([*members, members[-1], members[0]]) + "}").encode()


JSON: dict[str, Make] = {
    "open arrays": _filled(b"", b"["),
    "open objects": _filled(b"", b'{"a":'),
    "closed arrays": lambda size, _: b'{"x":' + b"[" * (size // 2) + b"]" * (size // 2) + b"}",
    "a member twice, at the end": _twice,
    "one member again and again": _filled(b"{", b'"a":1,', b'"a":1}'),
    "unknown members": _numbered('"a#":1', ("{", "}"), ","),
    "members with long names": lambda size, _: _json({_repeated("ab", size): 1}),
    "a long number": _filled(b'{"otp":', b"9", b"}"),
    "a long fraction": _filled(b'{"otp":0.', b"9", b"}"),
    "a long exponent": _filled(b'{"otp":1e', b"9", b"}"),
    "escapes": _filled(b'{"name":"', b"\\u00e9", b'"}'),
    "halves of surrogate pairs": _filled(b'{"name":"', b"\\ud83d", b'"}'),
    "blanks": _filled(b"{", b" ", b"}"),
    "lists of nothing": _lists({}),
    "lists of null": _lists(None),
    "lists of lists": _lists([[]]),
    "lists of numbers": _lists(1),
    "lists of wrong rows": _lists({"name": 1, "x": None}),
    "lists of addresses": _lists("a@b.test"),
    "lists of rows with an id": _lists({"id": 1, "name": "a", "email": "a@b.test", "url": "http://a.test/"}),
    **{f"texts of {name}": _texts(piece) for name, piece in PIECES.items()},
}

_BOMB = "\n".join(["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"] + [
    f"a{level}: &a{level} [{', '.join([f'*a{level - 1}'] * 10)}]" for level in range(1, 12)
])  # fmt: skip
_MERGES = "\n".join(["a0: &a0 {a: 1, b: 2}"] + [
    f"a{level}: &a{level} {{<<: [{', '.join([f'*a{level - 1}'] * 10)}]}}" for level in range(1, 12)
])  # fmt: skip
_KEYS = "? [&k0 [x, x, x, x, x, x, x, x, x, x], " + ", ".join(
    f"&k{level} [{', '.join([f'*k{level - 1}'] * 10)}]" for level in range(1, 10)
) + "]\n: 1"  # fmt: skip


def _padded(text: str) -> Make:
    """A small text that unfolds by itself; comments make it as large as is asked for."""
    return lambda size, _: (text + "\n" + "#" * max(0, size - len(text) - 2) + "\n").encode()


YAML: dict[str, Make] = {
    "dashes": _filled(b"", b"- ", b"x"),
    "question marks": _filled(b"", b"? ", b"x"),
    "open brackets": _filled(b"", b"["),
    "open braces": _filled(b"", b"{a: "),
    "closed brackets": lambda size, _: b"x: " + b"[" * (size // 2) + b"]" * (size // 2),
    "indented mappings": lambda size, _: "".join(
        f"{' ' * level}a:\n" for level in range(int((2 * size) ** 0.5))
    ).encode(),
    "aliases of aliases": _padded(_BOMB),
    "merges of merges": _padded(_MERGES),
    "aliases in a key": _padded(_KEYS),
    "aliases of one list": _filled(b"x: &a [1, 2, 3, 4, 5, 6, 7, 8, 9]\ny: [", b"*a, ", b"1]"),
    "merges of one mapping": _filled(b"x: &a {b: 1}\ny: {<<: [", b"*a, ", b"*a]}"),
    "merges of a wide mapping": lambda size, _: _merged_wide(size),
    "anchors": _numbered("- &a# 1", ("", "\n"), "\n"),
    "a key again and again": _filled(b"", b"a: 1\n"),
    "unknown keys": _numbered("a#: 1", ("", "\n"), "\n"),
    "tags": _filled(b"x: [", b"!!binary aa, ", b"1]"),
    "foreign tags": _filled(b"x: [", b"!a b, ", b"1]"),
    "dates": _filled(b"x: [", b"2026-13-45, ", b"1]"),
    "long numbers": _filled(b"x: ", b"9"),
    "sexagesimal numbers": _filled(b"x: 1", b":59"),
    "a long plain text": _filled(b"description: ", b"a b ", b"\n"),
    "a folded text": _filled(b"description: >\n", b" a\n\n"),
    "a long quoted text": _filled(b'description: "', b"\\n", b'"\n'),
    "documents": _filled(b"", b"---\n"),
    "comments": _filled(b"", b"#\n", b"a: 1\n"),
    "directives": _filled(b"", b"%TAG ! a\n", b"---\n{}\n"),
    "rows": _filled(b"senders:\n", b"- {name: 1, email: x}\n"),
    "rows that are good": _numbered("- {name: A, email: a#@acme.test}", ("senders:\n", "\n"), "\n"),
}


def _merged_wide(size: int) -> bytes:
    """A wide mapping that is merged into many."""
    half = size // 2
    wide = ", ".join(f"k{index}: 1" for index in range(half // 11))
    return (f"x: &a {{{wide}}}\ny:\n" + "- {<<: *a}\n" * (half // 11)).encode()


def _form(piece: str) -> Make:
    def make(size: int, names: tuple[str, ...]) -> bytes:
        text = quote_plus(_repeated(piece, max(1, size // max(1, len(names)) // len(quote_plus(piece)) * len(piece))))
        return "&".join(f"{name}={text}" for name in names).encode()

    return make


FORMS: dict[str, Make] = {
    "one name again and again": _filled(b"a=1", b"&a=1"),
    "unknown names": _numbered("a#=1", ("", ""), "&"),
    "ampersands": _filled(b"", b"&"),
    "percents": _filled(b"code=", b"%4"),
    "pluses": _filled(b"code=", b"+"),
    **{f"texts of {name}": _form(piece) for name, piece in PIECES.items()},
}


def _mail(*lines: str) -> bytes:
    return "\r\n".join(lines).encode()


def _parts(size: int, _: tuple[str, ...]) -> bytes:
    """Parts within parts."""
    heads = [f'Content-Type: multipart/mixed; boundary="b{level}"\r\n\r\n--b{level}' for level in range(size // 60)]
    return _mail("Subject: parts", *heads, "", "end")


def _side_by_side(size: int, _: tuple[str, ...]) -> bytes:
    return _mail('Content-Type: multipart/mixed; boundary="b"', "", *["--b\r\n\r\nx"] * (size // 10), "--b--", "")


def _charset(name: str, text: str) -> Make:
    def make(size: int, _: tuple[str, ...]) -> bytes:
        return _mail(f"Content-Type: text/plain; charset={name}", "", *[_repeated(text, 900)] * (size // 902))

    return make


def _header(name: str, piece: str) -> Make:
    def make(size: int, _: tuple[str, ...]) -> bytes:
        return _mail(f"{name}: x", *[f" {_repeated(piece, 900)}"] * (size // 903), "", "text")

    return make


MAILS: dict[str, Make] = {
    "parts within parts": _parts,
    "parts side by side": _side_by_side,
    "punycode": _charset("punycode", "a-b"),
    "idna": _charset("idna", "xn--a."),
    "utf-7": _charset("utf-7", "+AGE-"),
    "an unknown charset": _charset("x-none", "a"),
    "unicode_escape": _charset("unicode_escape", "\\u0041"),
    "quoted lines": _charset("utf-8", "> "),
    "encoded words": _header("Subject", "=?utf-8?q?a?= "),
    "encoded words in punycode": _header("Subject", "=?punycode?q?a-b?= "),
    "addresses": _header("To", "a@b.test, "),
    "brackets": _header("To", "(("),
    "references": _header("References", "<a@b> "),
    "parameters": _header("Content-Type", "; a=b"),
    "headers": lambda size, _: _mail(*["X-A: b"] * (size // 8), "", "text"),
    "base64": lambda size, _: _mail("Content-Transfer-Encoding: base64", "", *["QUFB" * 19] * (size // 78)),
    "answers within answers": lambda size, _: _mail("Subject: Re", "", *[">" * 70 + " a"] * (size // 74)),
}
