"""Mutations of a request: each function changes one thing, by the draws of a seeded source."""

from __future__ import annotations

import json
import re
from copy import deepcopy
from dataclasses import replace

from fuzz.corpus import FORM, JSON, PARTS, QUERIES, YAML

#: Values that some code somewhere takes for something else: numbers, texts, names, addresses, moments, containers.
ODD = (
    0, 1, -1, 2, 0.5, -0.0, 1.0, 1e308, 5e-324, 2**31, 2**53 + 1, 2**63 - 1, -(2**63), 2**63, 10**30, None, True, False,
    float("nan"), float("inf"), "", " ", "0", "-1", "1e3", "true", "null", "a", "a" * 300, "é", "ß", "\u0130", "\u202e",
    "\U0001f600", "\ud83d", "\x00", "\x7f", "\r\nX-Evil: 1", "../../etc/passwd", "%00", "%2e%2e", "{{ 7*7 }}",
    "${jndi:x}", "<script>", "=1+1", "a@b", "a@acme.test", "A@ACME.TEST", "ü@münchen.test", "acme.test", "ACME.test.",
    "xn--mnchen-3ya.test", "1.2.3.4", "[::1]", "localhost", "http://127.0.0.1:9/x", "http://[::1",
    "https://u:p@acme.test:99999/", "javascript:alert(1)", "PT1H", "P-1D", "-PT1S", "P99999999Y", "-P30000D",
    "2026-01-15", "2026-13-45", "0000-00-00", "9999-12-31T23:59:59Z", "1970-01-01T00:00:00Z",
    "2026-01-15T09:00:00+25:00", "Europe/Paris", "Etc/../Paris", "eyJhbGciOiJub25lIn0.e30.", "xkeysib-acme",
    "6f1c9f1e-4b1a-4c2b-9d1e-1f2a3b4c5d6e", "<202601151000.1@smtp-relay.mailin.fr>", "650000000000000000000009",
    [], {}, [[]], [None], [{}], {"": None}, {"$gt": ""}, {"__proto__": {}}, {"a": {"b": {"c": [1, 2, 3]}}}, [0] * 50,
    ["x"] * 101, [{"key": "a", "value": "b"}],
)  # fmt: skip
METHODS = ("GET", "POST", "PUT", "DELETE", "PATCH", "HEAD", "OPTIONS", "TRACE", "PROPFIND")
HEADERS = {
    "api-key": ("xkeysib-acme", "xkeysib-acme-eu", "xkeysib-acme-admin", "any", "", "\xff", "x" * 5_000),
    "Authorization": (
        "Bearer x", "Bearer eyJhbGciOiJSUzI1NiJ9.e30.x", "Basic eDp5", "Basic \xff", "Bearer", "Digest x"),
    "X-Mock-Workspace": ("default", "w1", "w2", "nothing", "", "../x"),
    "X-Mock-Fault": ("otp_expired", "server_error", "latency; ms=1", "error; code=unauthorized", "{}", '{"fault":1}'),
    "Content-Type": (
        JSON, YAML, FORM, "text/plain", "application/json; charset=utf-16", "multipart/form-data", "\xe9", ""),
    "Accept": ("application/yaml", "text/html", "text/plain", "application/xml", "*/*;q=2", ""),
    "Host": ("localhost", "acme.test", "127.0.0.1:8003", "[::1]:1", "a b", ""),
    "X-Forwarded-For": ("203.0.113.9", "x, y", "::1"), "Cookie": ("mock_csrf=x", "=; ;", "a=" + "b" * 999),
    "Last-Event-ID": ("1", "-1", "x", "9" * 30), "Range": ("bytes=0-1", "bytes=9-1"), "If-None-Match": ("*", '"x"'),
}  # fmt: skip
_PARAMETERS = [*(name for name, _ in QUERIES), "x", "ip", "type", "sort", "startDate", "endDate", "email"]


def fill(draft, random, seen):
    """Fill the parameters of the path, mostly with values that may exist."""

    def part(found):
        numbers = [str(value) for value in seen if isinstance(value, (int, str)) and 0 < len(str(value)) < 100]
        return random.choice(numbers if numbers and random.random() < 0.4 else PARTS.get(found[1], ("1",)))

    draft.path = re.sub(r"\{(\w+)\}", part, draft.path)


def mutate(draft, random, others, seen):
    """Change one thing of a request that is not yet written."""
    match random.choices(range(8), (9, 2, 2, 2, 2, 0.4, 1, 3))[0]:
        case 0:
            draft.body = changed(draft.body, random)
        case 1:  # a part of the body of another request
            other = random.choice(others).body
            piece = None if other is None else deepcopy(random.choice([value for _, value in _places(other)]))
            draft.body = _put(draft.body, random, piece)
        case 2:
            _change_path(draft, random, others)
        case 3:
            _change_query(draft, random)
        case 4:
            name = random.choice(list(HEADERS))
            draft.headers[name] = random.choice(HEADERS[name])
        case 5:
            draft.method = random.choice(METHODS)
        case 6:
            draft.media = random.choice((JSON, YAML, FORM))
        case _ if seen:
            _reuse(draft, random, random.choice(seen))


def _reuse(draft, random, value):
    """Put a value of an earlier answer into the body, the path or the query."""
    if draft.body is not None and random.random() < 0.6:
        draft.body = _put(draft.body, random, value)
    elif random.random() < 0.6:
        _replace_segment(draft, random, str(value))
    else:
        draft.query.append((random.choice(QUERIES)[0], str(value)))


def _change_path(draft, random, others):
    match random.randrange(5):
        case 0:
            _replace_segment(draft, random, str(random.choice(ODD)))
        case 1:
            draft.path = f"/w/{random.choice(('w1', 'w2', 'default', 'nothing', ''))}{draft.path}"
        case 2:
            draft.path += random.choice(("/", "/x", "//", "%2F", "/..", ".yaml", ".eml", ".html", "?"))
        case 3:
            draft.path = random.choice(others).path
        case _:
            draft.path = draft.path.upper() if random.random() < 0.5 else draft.path.replace("/", "//", 1)


def _replace_segment(draft, random, text):
    parts = draft.path.split("/")
    parts[random.randrange(len(parts))] = text.encode(errors="replace").decode().replace("/", "%2F")
    draft.path = "/".join(parts) or "/"


def _change_query(draft, random):
    match random.randrange(3):
        case 0 if draft.query:
            draft.query.pop(random.randrange(len(draft.query)))
        case 1 if draft.query:
            draft.query *= random.choice((2, 20))
        case _:
            draft.query.append((random.choice(_PARAMETERS), str(random.choice(ODD))))


# ---------------------------------------------------------------------- values


def changed(value, random):
    """Return the value with one place of it changed, or removed."""
    path, _ = random.choice(list(_places(value)))
    if random.random() < 0.1:
        return _without(value, path)
    change = random.choices((_odd, _varied, _wrapped, _repeated, _deep, _extended), (4, 2, 1, 1, 1, 2))[0]
    return _at(value, path, lambda old: change(old, random))


def _places(value, path=()):
    """Yield the path of each place in a value, and what stands there."""
    yield path, value
    for key, inner in value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ():
        yield from _places(inner, (*path, key))


def _put(value, random, piece):
    return _at(value, random.choice(list(_places(value)))[0], lambda _: piece)


def _at(value, path, change):
    if not path:
        return change(value)
    value[path[0]] = _at(value[path[0]], path[1:], change)
    return value


def _without(value, path):
    if not path:
        return None
    if len(path) == 1:
        del value[path[0]]
    else:
        value[path[0]] = _without(value[path[0]], path[1:])
    return value


def _odd(_, random):
    return deepcopy(random.choice(ODD))


def _wrapped(value, random):
    return {random.choice(("x", "name", "id", "")): value}


def _repeated(value, random):
    return [value] * random.choice((1, 2, 30))


def _deep(value, random):
    for level in range(random.choice((5, 99, 101, 300))):
        value = [value] if level % 2 else {"a": value}
    return value


def _varied(value, random):
    """Return a value near the given one."""
    if isinstance(value, bool) or value is None:
        return str(value).lower()
    if isinstance(value, (int, float)):
        return random.choice((value + 1, value - 1, -value, value * 1_000_003, value / 3, str(value)))
    if isinstance(value, str):
        at = random.randint(0, len(value))
        odd = value[:at] + chr(random.randrange(0x250)) + value[at:]
        cases = (value.upper(), value.swapcase(), f" {value} ", value * 50)
        return random.choice((value[:at], value[at:], value + value, odd, *cases))
    return value[::-1] + value if isinstance(value, list) else {name.upper(): inner for name, inner in value.items()}


def _extended(value, random):
    if isinstance(value, dict):
        names = ("x", "id", "name", "unknown", "a" * 200, "é", "__class__", "_schema", "0", "")
        value[random.choice(names)] = deepcopy(random.choice(ODD))
    elif isinstance(value, list):
        value.append(deepcopy(random.choice(ODD)))
    return value


# ---------------------------------------------------------------------- bytes

_BODIES = (b"{", b"\x00", b"null", b"[]", b"- a", b"&a [*a]", b"{}" * 50, b"\xff\xfe")
_INSERTED = (
    b",", b"}", b"\xed\xa0\x80", b"\x00", b"\\ud800", b"1e999", b"\t", b"? ", b"<<: ", b"!!binary ",
    b"\nx: &a [1, 2]\ny: [*a, *a]\n", b"\n<<: {seed: 3}\n", b"\n? [a]\n: 1\n", b"\nz: !!set {a, b}\n",
    b"\nw: 2026-99-99\n", b"\nv: !!python/name:os.system\n", b"\nu: 0x10\n", b"\nt: 1_000\n", b"\ns: .nan\n",
    b"\nr: 123456789012345678901234\n",
)  # fmt: skip
_HEADS = (b"\xef\xbb\xbf", b"%YAML 1.1\n---\n", b"--- &a\n", b" " * 1_000)


def spoil(sent, random):
    """Change the bytes of a body."""
    body = sent.body
    if not body:
        return replace(sent, body=random.choice(_BODIES))
    at = random.randrange(len(body))
    spoilt = (
        lambda: body[:at] + bytes([random.randrange(256)]) + body[at + 1 :],
        lambda: body[:at] + body[at + random.randrange(1, 20) :],
        lambda: body[:at],
        lambda: _doubled(body, random),
        lambda: random.choice(_HEADS) + body,
        lambda: body[:at] + random.choice(_INSERTED) + body[at:],
        lambda: body[:at] + random.choice(_INSERTED) + body[at:],
    )
    return replace(sent, body=random.choice(spoilt)())


def _doubled(body, random):
    """Return a JSON object with a duplicate member."""
    try:
        value = json.loads(body)
    except ValueError:
        value = None
    if not isinstance(value, dict) or not value:
        return body + body
    return body.rstrip().removesuffix(b"}") + b"," + json.dumps(random.choice(list(value))).encode() + b":1}"
