"""Bodies that cost a careless server more than they cost their sender, made in any size."""

from __future__ import annotations

import json
from urllib.parse import quote_plus

#: Texts that patterns stumble over, repeated until they fill a body.
PIECES = [
    "a", "1", " ", "-", "a.", "a@", "eyJ", "eyJ.", "%4", "${", "/a", "a:", "P1D", "2026-01-", "[a](", "<a@b>", '"\\',
    "> a\n", "ü.", "xn--a.", "\t ", "a=b&", "*a",
]  # fmt: skip


def _repeated(piece, size):
    return (piece * (size // len(piece) + 1))[:size]


def _filled(head, piece, tail=""):
    return lambda size, _: head + piece * ((size - len(head) - len(tail)) // len(piece)) + tail


def _numbered(form, head, tail, between):
    """Pieces that each have another number."""

    def make(size, _):
        number = size // (len(form) + len(between) + 3)
        return head + between.join(form.replace("#", str(index)) for index in range(number)) + tail

    return make


def _texts(piece):
    """One long text in every member that the call knows, all of them together as large as the body."""

    def make(size, names):
        return json.dumps(dict.fromkeys(names or ("x",), _repeated(piece, size // max(1, len(names)))))

    return make


def _lists(value):
    """Every member that the call knows as a list of the same value."""

    def make(size, names):
        number = size // len(names or "x") // (len(json.dumps(value)) + 2)
        return json.dumps({name: [value] * number for name in names or ("x",)})

    return make


def _form(piece):
    def make(size, names):
        length = max(1, size // max(1, len(names)) // len(quote_plus(piece)) * len(piece))
        return "&".join(f"{name}={quote_plus(_repeated(piece, length))}" for name in names)

    return make


def _duplicate_members(size, _):
    members = [f'"a{index}":1' for index in range(size // 11)]
    return "{" + ",".join([*members, members[-1], members[0]]) + "}"


JSON = {
    "open arrays": _filled("", "["), "open objects": _filled("", '{"a":'),
    "closed arrays": lambda size, _: '{"x":' + "[" * (size // 2) + "]" * (size // 2) + "}",
    "duplicate members at the end": _duplicate_members, "one member repeated": _filled("{", '"a":1,', '"a":1}'),
    "unknown members": _numbered('"a#":1', "{", "}", ","),
    "a long name": lambda size, _: json.dumps({"ab" * (size // 2): 1}),
    "a long number": _filled('{"otp":', "9", "}"), "a long fraction": _filled('{"otp":0.', "9", "}"),
    "a long exponent": _filled('{"otp":1e', "9", "}"), "escapes": _filled('{"name":"', "\\u00e9", '"}'),
    "halves of surrogate pairs": _filled('{"name":"', "\\ud83d", '"}'), "blanks": _filled("{", " ", "}"),
    **{f"lists of {json.dumps(value)}": _lists(value) for value in (
        {}, None, [[]], 1, {"name": 1, "x": None}, "a@b.test",
        {"id": 1, "name": "a", "email": "a@b.test", "url": "http://a.test/"})},
    **{f"texts of {piece!r}": _texts(piece) for piece in PIECES},
}  # fmt: skip


def _unfolding(first, form, levels=12):
    """A small text whose every level refers ten times to the level below; comments make it as large as asked for."""
    lines = [f"a0: &a0 {first}"]
    lines += [f"a{n}: &a{n} " + form % ", ".join([f"*a{n - 1}"] * 10) for n in range(1, levels)]
    text = "\n".join(lines)
    return lambda size, _: text + "\n" + "#" * max(0, size - len(text) - 2) + "\n"


def _in_a_key(size, _):
    levels = ", ".join(f"&k{n} [{', '.join([f'*k{n - 1}'] * 10)}]" for n in range(1, 10))
    text = f"? [&k0 [x, x, x, x, x, x, x, x, x, x], {levels}]\n: 1\n"
    return text + "#" * max(0, size - len(text) - 1) + "\n"


def _merged_wide(size, _):
    wide = ", ".join(f"k{index}: 1" for index in range(size // 22))
    return f"x: &a {{{wide}}}\ny:\n" + "- {<<: *a}\n" * (size // 22)


YAML = {
    "dashes": _filled("", "- ", "x"), "question marks": _filled("", "? ", "x"), "open brackets": _filled("", "["),
    "open braces": _filled("", "{a: "),
    "closed brackets": lambda size, _: "x: " + "[" * (size // 2) + "]" * (size // 2),
    "indented mappings": lambda size, _: "".join(f"{' ' * level}a:\n" for level in range(int((2 * size) ** 0.5))),
    "aliases of aliases": _unfolding("[x, x, x, x, x, x, x, x, x, x]", "[%s]"), "aliases in a key": _in_a_key,
    "merges of merges": _unfolding("{a: 1, b: 2}", "{<<: [%s]}"), "merges of a wide mapping": _merged_wide,
    "aliases of one list": _filled("x: &a [1, 2, 3, 4, 5, 6, 7, 8, 9]\ny: [", "*a, ", "1]"),
    "merges of one mapping": _filled("x: &a {b: 1}\ny: {<<: [", "*a, ", "*a]}"),
    "anchors": _numbered("- &a# 1", "", "\n", "\n"), "a key repeated": _filled("", "a: 1\n"),
    "unknown keys": _numbered("a#: 1", "", "\n", "\n"), "tags": _filled("x: [", "!!binary aa, ", "1]"),
    "foreign tags": _filled("x: [", "!a b, ", "1]"), "dates": _filled("x: [", "2026-13-45, ", "1]"),
    "a long number": _filled("x: ", "9"), "a sexagesimal number": _filled("x: 1", ":59"),
    "a long plain text": _filled("description: ", "a b ", "\n"), "a folded text": _filled("description: >\n", " a\n\n"),
    "a long quoted text": _filled('description: "', "\\n", '"\n'), "documents": _filled("", "---\n"),
    "comments": _filled("", "#\n", "a: 1\n"), "directives": _filled("", "%TAG ! a\n", "---\n{}\n"),
    "bad rows": _filled("senders:\n", "- {name: 1, email: x}\n"),
    "good rows": _numbered("- {name: A, email: a#@acme.test}", "senders:\n", "\n", "\n"),
}  # fmt: skip

FORMS = {
    "one name repeated": _filled("a=1", "&a=1"), "unknown names": _numbered("a#=1", "", "", "&"),
    "ampersands": _filled("", "&"), "percents": _filled("code=", "%4"), "pluses": _filled("code=", "+"),
    **{f"texts of {piece!r}": _form(piece) for piece in PIECES},
}  # fmt: skip


def _charset(name, text):
    return _filled(f"Content-Type: text/plain; charset={name}\r\n\r\n", _repeated(text, 900) + "\r\n")


def _header(name, piece):
    return _filled(f"{name}: x", f"\r\n {_repeated(piece, 900)}", "\r\n\r\ntext")


def _nested_parts(size, _):
    parts = (f'Content-Type: multipart/mixed; boundary="b{n}"\r\n\r\n--b{n}\r\n' for n in range(size // 60))
    return "Subject: parts\r\n" + "".join(parts) + "\r\nend"


MAILS = {
    "nested parts": _nested_parts,
    "parts side by side": _filled("Content-Type: multipart/mixed; boundary=b\r\n\r\n", "--b\r\n\r\nx\r\n", "--b--\r\n"),
    **{f"charset {name}": _charset(name, text) for name, text in (
        ("punycode", "a-b"), ("idna", "xn--a."), ("utf-7", "+AGE-"), ("x-none", "a"), ("unicode_escape", "\\u0041"),
        ("utf-8", "> "))},
    **{f"header {name} of {piece}": _header(name, piece) for name, piece in (
        ("Subject", "=?utf-8?q?a?= "), ("Subject", "=?punycode?q?a-b?= "), ("To", "a@b.test, "), ("To", "(("),
        ("References", "<a@b> "), ("Content-Type", "; a=b"))},
    "headers": _filled("", "X-A: b\r\n", "\r\ntext"),
    "base64": _filled("Content-Transfer-Encoding: base64\r\n\r\n", "QUFB" * 19 + "\r\n"),
    "quoted answers": _filled("Subject: Re\r\n\r\n", ">" * 70 + " a\r\n"),
}  # fmt: skip
