"""What may go wrong with a request: each function changes one thing, by the draws of a seeded source."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from copy import deepcopy
from dataclasses import replace
from random import Random
from typing import Any

from fuzz.corpus import FORM, JSON, PARTS, QUERIES, YAML, Draft, Sent

#: Numbers at the edges of what machines hold, and what JSON has not.
_NUMBERS = (0, 1, -1, 2, 0.5, -0.0, 1.0, 1e308, 5e-324, 2**31, 2**53 + 1, 2**63 - 1, -(2**63), 2**63, 10**30)
_NO_NUMBERS = (None, True, False, float("nan"), float("inf"))
_TEXTS = (
    "", " ", "0", "-1", "1e3", "true", "null", "a", "a" * 300, "é", "ß", "\u0130", "\u202e", "\U0001f600", "\ud83d",
)  # fmt: skip
_CODE = (
    "\x00", "\x7f", "\r\nX-Evil: 1", "../../etc/passwd", "%00", "%2e%2e", "{{ 7*7 }}", "${jndi:x}", "<script>",
    "=1+1",
)  # fmt: skip
_NAMES = (
    "a@b", "a@acme.test", "A@ACME.TEST", "ü@münchen.test", "acme.test", "ACME.test.", "xn--mnchen-3ya.test",
    "1.2.3.4",
)  # fmt: skip
_ADDRESSES = (
    "[::1]", "localhost", "http://127.0.0.1:9/x", "http://[::1", "https://u:p@acme.test:99999/",
    "javascript:alert(1)",
)  # fmt: skip
_LENGTHS = ("PT1H", "P-1D", "-PT1S", "P99999999Y", "-P30000D")
_MOMENTS = (
    "2026-01-15", "2026-13-45", "0000-00-00", "9999-12-31T23:59:59Z", "1970-01-01T00:00:00Z",
    "2026-01-15T09:00:00+25:00",
)  # fmt: skip
_IDENTIFIERS = (
    "Europe/Paris", "Etc/../Paris", "eyJhbGciOiJub25lIn0.e30.", "xkeysib-acme",
    "6f1c9f1e-4b1a-4c2b-9d1e-1f2a3b4c5d6e", "<202601151000.1@smtp-relay.mailin.fr>", "650000000000000000000009",
)  # fmt: skip
_CONTAINERS = ([], {}, [[]], [None], [{}], {"": None}, {"$gt": ""}, {"__proto__": {}}, {"a": {"b": {"c": [1, 2, 3]}}})
_LISTS = ([0] * 50, ["x"] * 101, [{"key": "a", "value": "b"}])
#: Values that some code somewhere takes for something else.
ODD: tuple[Any, ...] = (
    *_NUMBERS, *_NO_NUMBERS, *_TEXTS, *_CODE, *_NAMES, *_ADDRESSES, *_LENGTHS, *_MOMENTS, *_IDENTIFIERS, *_CONTAINERS,
    *_LISTS,
)  # fmt: skip
METHODS = ("GET", "POST", "PUT", "DELETE", "PATCH", "HEAD", "OPTIONS", "TRACE", "PROPFIND")
HEADERS: dict[str, tuple[str, ...]] = {
    "api-key": ("xkeysib-acme", "xkeysib-acme-eu", "xkeysib-acme-admin", "any", "", "\xff", "x" * 5_000),
    "Authorization": (
        "Bearer x", "Bearer eyJhbGciOiJSUzI1NiJ9.e30.x", "Basic eDp5", "Basic \xff", "Bearer", "Digest x",
    ),
    "X-Mock-Workspace": ("default", "w1", "w2", "nothing", "", "../x"),
    "X-Mock-Fault": ("otp_expired", "server_error", "latency; ms=1", "error; code=unauthorized", "{}", '{"fault":1}'),
    "Content-Type": (
        JSON, YAML, FORM, "text/plain", "application/json; charset=utf-16", "multipart/form-data", "\xe9", "",
    ),
    "Accept": ("application/yaml", "text/html", "text/plain", "application/xml", "*/*;q=2", ""),
    "Host": ("localhost", "acme.test", "127.0.0.1:8003", "[::1]:1", "a b", ""),
    "X-Forwarded-For": ("203.0.113.9", "x, y", "::1"),
    "Cookie": ("mock_csrf=x", "=; ;", "a=" + "b" * 999),
    "Last-Event-ID": ("1", "-1", "x", "9" * 30),
    "Range": ("bytes=0-1", "bytes=9-1"),
    "If-None-Match": ("*", '"x"'),
}  # fmt: skip

_PART = re.compile(r"\{(\w+)\}")


def fill(draft: Draft, random: Random, seen: list[Any]) -> None:
    """Put something into the open parts of the path: mostly what may be there."""

    def part(found: re.Match[str]) -> str:
        known = PARTS.get(found[1], ("1",))
        numbers = [str(value) for value in seen if isinstance(value, (int, str)) and 0 < len(str(value)) < 100]
        return random.choice(numbers) if numbers and random.random() < 0.4 else random.choice(known)

    draft.path = _PART.sub(part, draft.path)


def mutate(draft: Draft, random: Random, others: tuple[Draft, ...], seen: list[Any]) -> None:
    """Change one thing of a request that is not yet written."""
    random.choices(
        (_body, _splice, _path, _query, _header, _method, _media, _reuse), (9, 2, 2, 2, 2, 0.4, 1, 3)
    )[0](draft, random, others, seen)  # fmt: skip


def _body(draft: Draft, random: Random, *_: Any) -> None:
    draft.body = changed(draft.body, random)


def _splice(draft: Draft, random: Random, others: tuple[Draft, ...], _: list[Any]) -> None:
    """Put a part of another request's body somewhere into this one."""
    other = random.choice(others).body
    piece = deepcopy(random.choice(list(_nodes(other)))) if other is not None else None
    draft.body = _put(draft.body, random, piece)


def _reuse(draft: Draft, random: Random, _: Any, seen: list[Any]) -> None:
    """Put something that an answer has told into the body, the path or the query."""
    if not seen:
        return
    value = random.choice(seen)
    if draft.body is not None and random.random() < 0.6:
        draft.body = _put(draft.body, random, value)
    elif random.random() < 0.6:
        _replace_segment(draft, random, str(value))
    else:
        draft.query.append((random.choice(QUERIES)[0], str(value)))


def _path(draft: Draft, random: Random, others: tuple[Draft, ...], _: list[Any]) -> None:
    match random.randrange(5):
        case 0:
            _replace_segment(draft, random, str(random.choice(ODD)))
        case 1:
            draft.path = f"/w/{random.choice(('w1', 'w2', 'default', 'nothing', ''))}{draft.path}"
        case 2:
            draft.path += random.choice(("/", "/x", "//", "%2F", "/..", ".yaml", ".eml", ".html", "?"))
        case 3:
            draft.path = random.choice(others).path
        case 4:
            draft.path = draft.path.upper() if random.random() < 0.5 else draft.path.replace("/", "//", 1)


def _replace_segment(draft: Draft, random: Random, text: str) -> None:
    parts = draft.path.split("/")
    parts[random.randrange(len(parts))] = text.encode(errors="replace").decode().replace("/", "%2F")
    draft.path = "/".join(parts) or "/"


def _query(draft: Draft, random: Random, *_: Any) -> None:
    names = [name for name, _ in (*draft.query, *QUERIES)] + [
        "x", "ip", "type", "sort", "startDate", "endDate", "email",
    ]  # fmt: skip
    match random.randrange(3):
        case 0 if draft.query:
            draft.query.pop(random.randrange(len(draft.query)))
        case 1 if draft.query:
            draft.query *= random.choice((2, 20))
        case _:
            draft.query.append((random.choice(names), str(random.choice(ODD))))


def _header(draft: Draft, random: Random, *_: Any) -> None:
    name = random.choice(list(HEADERS))
    draft.headers[name] = random.choice(HEADERS[name])


def _method(draft: Draft, random: Random, *_: Any) -> None:
    draft.method = random.choice(METHODS)


def _media(draft: Draft, random: Random, *_: Any) -> None:
    draft.media = random.choice((JSON, YAML, FORM))


# ---------------------------------------------------------------------- values


def changed(value: Any, random: Random) -> Any:
    """The value with one place of it changed, or taken away."""
    path = random.choice(list(_places(value, ())))
    if random.random() < 0.1:
        return _without(value, path)
    change = random.choices(_CHANGES, _WEIGHTS)[0]
    return _at(value, path, lambda old: change(old, random))


def _odd(_: Any, random: Random) -> Any:
    return deepcopy(random.choice(ODD))


def _wrapped(value: Any, random: Random) -> Any:
    return {random.choice(("x", "name", "id", "")): value}


def _repeated(value: Any, random: Random) -> Any:
    return [value] * random.choice((1, 2, 30))


def _put(value: Any, random: Random, piece: Any) -> Any:
    return _at(value, random.choice(list(_places(value, ()))), lambda _: piece)


def _nodes(value: Any) -> Iterator[Any]:
    yield value
    for inner in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from _nodes(inner)


def _places(value: Any, path: tuple[Any, ...]) -> Iterator[tuple[Any, ...]]:
    yield path
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in items:
        yield from _places(inner, (*path, key))


def _at(value: Any, path: tuple[Any, ...], change: Callable[[Any], Any]) -> Any:
    if not path:
        return change(value)
    value[path[0]] = _at(value[path[0]], path[1:], change)
    return value


def _without(value: Any, path: tuple[Any, ...]) -> Any:
    if not path:
        return None
    if len(path) == 1:
        del value[path[0]]
        return value
    value[path[0]] = _without(value[path[0]], path[1:])
    return value


def _varied(value: Any, random: Random) -> Any:
    """Something near a value."""
    if isinstance(value, bool) or value is None:
        return str(value).lower()
    if isinstance(value, (int, float)):
        return random.choice((value + 1, value - 1, -value, value * 1_000_003, value / 3, str(value)))
    if isinstance(value, str):
        return _varied_text(value, random)
    if isinstance(value, list):
        return value[::-1] + value
    return {name.upper(): inner for name, inner in value.items()}


def _varied_text(value: str, random: Random) -> str:
    at = random.randint(0, len(value))
    odd = value[:at] + chr(random.randrange(0x250)) + value[at:]
    cases = (value.upper(), value.swapcase(), f" {value} ", value * 50)
    return random.choice((value[:at], value[at:], value + value, odd, *cases))


def _deep(value: Any, random: Random) -> Any:
    for level in range(random.choice((5, 99, 101, 300))):
        value = [value] if level % 2 else {"a": value}
    return value


def _with_member(value: Any, random: Random) -> Any:
    if isinstance(value, dict):
        value[random.choice(("x", "id", "name", "unknown", "a" * 200, "é", "__class__", "_schema", "0", ""))] = (
            random.choice(ODD)
        )
    elif isinstance(value, list):
        value.append(deepcopy(random.choice(ODD)))
    return value


#: How a place is changed, and how often in proportion.
_CHANGES = (_odd, _varied, _wrapped, _repeated, _deep, _with_member)
_WEIGHTS = (4, 2, 1, 1, 1, 2)


# ---------------------------------------------------------------------- bytes


def spoil(sent: Sent, random: Random) -> Sent:
    """Change the bytes of a body, or what is said of them."""
    body = bytearray(sent.body)
    if not body:
        return replace(
            sent, body=random.choice((b"{", b"\x00", b"null", b"[]", b"- a", b"&a [*a]", b"{}" * 50, b"\xff\xfe"))
        )
    at = random.randrange(len(body))
    match random.randrange(7):
        case 0:
            body[at] = random.randrange(256)
        case 1:
            del body[at : at + random.randrange(1, 20)]
        case 2:
            body[at:at] = random.choice(
                (b",", b"}", b"\xed\xa0\x80", b"\x00", b"\\ud800", b"1e999", b"\t", b"? ", b"<<: ", b"!!binary ")
            )
        case 3:
            body = body[:at]
        case 4:
            body = _doubled(bytes(body), random)
        case 5:
            body = bytearray(random.choice((b"\xef\xbb\xbf", b"%YAML 1.1\n---\n", b"--- &a\n", b" " * 1_000)) + body)
        case _:
            body[at:at] = random.choice(_YAML_PARTS)
    return replace(sent, body=bytes(body))


_YAML_PARTS = (
    b"\nx: &a [1, 2]\ny: [*a, *a]\n", b"\n<<: {seed: 3}\n", b"\n? [a]\n: 1\n", b"\nz: !!set {a, b}\n",
    b"\nw: 2026-99-99\n", b"\nv: !!python/name:os.system\n", b"\nu: 0x10\n", b"\nt: 1_000\n", b"\ns: .nan\n",
    b"\nr: 123456789012345678901234\n",
)  # fmt: skip


def _doubled(body: bytes, random: Random) -> bytearray:
    """A JSON object with a member that comes twice."""
    try:
        value = json.loads(body)
    except ValueError:
        return bytearray(body + body)
    if not isinstance(value, dict) or not value:
        return bytearray(body + body)
    name = random.choice(list(value))
    return bytearray(body.rstrip().removesuffix(b"}") + b"," + json.dumps(name).encode() + b":1}")
