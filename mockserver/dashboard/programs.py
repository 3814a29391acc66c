"""Requests as programs: JavaScript with `fetch`, and Java with the `HttpClient` of the JDK."""

from __future__ import annotations

import base64
import json
from typing import Any

from mockserver.dashboard.curl import NOBODY, Sent, is_plain, json_of

#: The longest JSON body to write in lines, in bytes.
_LONGEST_VALUE = 16 * 1024
#: The largest integer that JavaScript keeps exact.
_LARGEST_EXACT = 2**53 - 1
#: The longest literal, in characters. Chosen: a Java literal takes 65,535 bytes, and a character at most three.
_LONGEST_LITERAL = 20_000


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


def java_of(sent: Sent, root: str, key: str | None) -> str:
    """Write a Java program that sends a request and prints the answer. Its `HttpClient` follows no redirects."""
    headers = _headers(sent, key)
    notes = ["// Save it as Request.java, and run it with a JDK from 15 on: java Request.java"]
    if root.startswith("https:"):
        notes.append("// -Djavax.net.ssl.trustStore names a store with the certificate that `mockserver ca` prints")
    if not all(value.isascii() for _, value in headers):
        notes.append("// HttpClient sends headers in ASCII: other characters arrive as question marks")
    body = f"HttpRequest.BodyPublishers.{_java_body(sent) if sent.body else 'noBody()'}"
    return "\n".join(
        [
            *notes,
            "import java.net.URI;",
            "import java.net.http.HttpClient;",
            "import java.net.http.HttpRequest;",
            "import java.net.http.HttpResponse;",
            "",
            "class Request {",
            "    public static void main(String[] arguments) throws Exception {",
            f"        var request = HttpRequest.newBuilder(URI.create({_java(f'{root}{sent.target}')}))",
            *(f"            .header({_java(name)}, {_java(value)})" for name, value in headers),
            f"            .method({_java(sent.method)}, {body})",
            "            .build();",
            "        var answer = HttpClient.newHttpClient().send(request, HttpResponse.BodyHandlers.ofString());",
            '        System.out.println(answer.statusCode() + " " + answer.body());',
            "    }",
            "}",
            "",
        ]
    )


def _java_body(sent: Sent) -> str:
    value = _short_json(sent)
    if value is not None:
        # In ASCII, as compilers before JDK 18 read a file in the encoding of the machine.
        text = json.dumps(value, indent=2).replace("\\", "\\\\")
        return f'ofString("""\n{text}""")'.replace("\n", f"\n{' ' * 16}")
    if is_plain(sent.body):
        return f"ofString({_java(sent.body.decode())})"
    return f"ofByteArray(java.util.Base64.getDecoder().decode({_java(base64.b64encode(sent.body).decode())}))"


def _java(text: str) -> str:
    """Write a text as an expression of Java."""
    pieces = [text[at : at + _LONGEST_LITERAL] for at in range(0, len(text), _LONGEST_LITERAL)] or [""]
    literals = ", ".join(f'"{"".join(map(_java_sign, piece))}"' for piece in pieces)
    return literals if len(pieces) == 1 else f'String.join("", {literals})'


def _java_sign(sign: str) -> str:
    if sign in '"\\':
        return f"\\{sign}"
    if " " <= sign <= "~":
        return sign
    if sign < "\x80":
        return f"\\{ord(sign):03o}"  # a Unicode escape of a line feed would end the line
    raw = sign.encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{raw[at : at + 2].hex()}" for at in range(0, len(raw), 2))
