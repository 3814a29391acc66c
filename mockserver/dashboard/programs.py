"""Requests as programs in JavaScript, with `fetch`."""

from __future__ import annotations

import base64
import json
from typing import Any

from mockserver.dashboard.curl import NOBODY, Sent, is_plain, json_of

#: The longest JSON body to write in lines, in bytes.
_LONGEST_VALUE = 16 * 1024
#: The largest integer that JavaScript keeps exact.
_LARGEST_EXACT = 2**53 - 1


def fetch_of(sent: Sent, root: str, key: str | None, *, follows: bool = True) -> str:
    """Write a JavaScript module that sends a request and prints the answer."""
    notes = ["// Save it as request.mjs, and run it with: node request.mjs"]
    if root.startswith("https:"):
        notes.append("// NODE_EXTRA_CA_CERTS names the file that `mockserver ca` prints")
    options = [f"method: {json.dumps(sent.method)},"]
    if headers := _headers(sent, key):
        rows = (f"  {json.dumps(name)}: {json.dumps(value)}," for name, value in headers)
        options += ["headers: {", *rows, "},"]
    if sent.body and sent.method in ("GET", "HEAD"):
        notes.append(f"// fetch sends no body with {sent.method}: the body is left out")
    elif sent.body:
        options.append(f"body: {_javascript_body(sent)},")
    if not follows:
        options.append('redirect: "manual",')
    written = "\n".join(options).replace("\n", "\n  ")
    call = f"const answer = await fetch({json.dumps(f'{root}{sent.target}')}, {{\n  {written}\n}});"
    return "\n".join([*notes, call, "console.log(answer.status, await answer.text());", ""])


def _headers(sent: Sent, key: str | None) -> list[tuple[str, str]]:
    return [*([("api-key", key or NOBODY)] if sent.has_key else []), *sent.headers.items()]


def _javascript_body(sent: Sent) -> str:
    value = _short_json(sent)
    if value is not None and _is_exact(value):
        return f"JSON.stringify({_json(value)})"
    if not is_plain(sent.body):
        text = base64.b64encode(sent.body).decode()
        return f'Uint8Array.from(atob("{text}"), (sign) => sign.charCodeAt(0))'
    literal = json.dumps(sent.body.decode())
    # Without a media type `fetch` would send a text as text/plain.
    return literal if "content-type" in sent.headers else f"new TextEncoder().encode({literal})"


def _short_json(sent: Sent) -> Any:
    """Return the value of a JSON body that is short enough to write in lines, or None."""
    value = json_of(sent) if len(sent.body) <= _LONGEST_VALUE else None
    return value if isinstance(value, (dict, list)) else None


def _json(value: Any) -> str:
    text = json.dumps(value, indent=2, ensure_ascii=False)
    return text if all(line.isprintable() for line in text.split("\n")) else json.dumps(value, indent=2)


def _is_exact(value: Any) -> bool:
    """Return whether a JSON value is the same value as an expression of JavaScript."""
    if isinstance(value, dict):
        # `__proto__` in an object literal sets the prototype.
        return "__proto__" not in value and all(map(_is_exact, value.values()))
    if isinstance(value, list):
        return all(map(_is_exact, value))
    # JavaScript writes larger numbers as integers, of which the last digits may be others.
    return not isinstance(value, (int, float)) or abs(value) <= _LARGEST_EXACT
