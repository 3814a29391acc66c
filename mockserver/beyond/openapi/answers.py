"""The answer of an operation's success: its status, and the smallest body that the document allows."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mockserver.beyond.openapi.document import Document, LeftOutError, Node
from mockserver.beyond.openapi.samples import Sampler

#: Statuses of answers that have no body.
_WITHOUT_BODY = (204, 205, 304)


def success(document: Document, operation: Node) -> dict[str, Any]:
    """The `answer` of a stub for an operation.

    Raises:
        DocumentError: the document is not as it should be.
        LeftOutError: the operation tells no success, or one of which no example can be made.
    """
    responses = operation.get("responses")
    status, chosen = _chosen(dict(responses.members()) if responses else {})
    response = document.resolved(chosen)
    sampler = Sampler(document)
    found: dict[str, Any] = {"status": status, **_headers(document, response, sampler)}
    content = response.get("content")
    media = dict(content.members()) if content and status not in _WITHOUT_BODY else {}
    if media:
        _add_body(found, media, document, sampler)
    return found


def _chosen(responses: Mapping[str, Node]) -> tuple[int, Node]:
    """The least status of success, and its answer; where none is told, the one that stands for all others."""
    told = {status: node for name, node in responses.items() if (status := _status(name)) is not None}
    for low, high in ((200, 300), (300, 400)):
        status = min((status for status in told if low <= status < high), default=None)
        if status is not None:
            return status, told[status]
    if "default" in responses:
        return 200, responses["default"]
    raise LeftOutError("it tells no success")


def _status(name: str) -> int | None:
    """The status for which an answer is told, the least of a range such as `2XX`; None: it is told for all others."""
    digits = name.upper().replace("XX", "00")
    return int(digits) if len(digits) == 3 and digits.isascii() and digits.isdecimal() else None


def _headers(document: Document, response: Node, sampler: Sampler) -> dict[str, Any]:
    """The headers that an answer has to have, as a member of the stub's answer."""
    found = {}
    headers = response.get("headers")
    for name, node in headers.members() if headers else ():
        header = document.resolved(node)
        # RFC 9110 and OpenAPI: its type is told by `content`.
        if header.mapping().get("required") is True and name.lower() != "content-type":
            found[name] = _text(_value(header, document, sampler))
    return {"headers": found} if found else {}


def _add_body(found: dict[str, Any], media: Mapping[str, Node], document: Document, sampler: Sampler) -> None:
    """Add the body of an answer: as JSON where it can be, else as a text of the first type."""
    name = next(filter(_is_json, media), None)
    if name is not None:
        found["json"] = _value(media[name], document, sampler)
        return
    name, node = next(iter(media.items()))
    found["text"] = _text(_example(node, document)) if _example(node, document) is not None else ""
    if "*" not in name:
        found["headers"] = {**found.get("headers", {}), "Content-Type": name}


def _is_json(media_type: str) -> bool:
    name = media_type.partition(";")[0].strip().lower()
    return name in ("application/json", "text/json", "application/*", "*/*") or name.endswith("+json")


def _value(owner: Node, document: Document, sampler: Sampler) -> Any:
    """The example of a body or a header if it has one that fits, else the smallest value of its schema."""
    example, schema = _example(owner, document), owner.get("schema")
    nodes = () if schema is None else (schema,)
    if example is not None and sampler.fits(example, nodes):
        return example
    return sampler.sample(nodes)


def _example(owner: Node, document: Document) -> Any:
    """The first example of a body or a header, or None."""
    if "example" in owner.mapping():
        return owner.value["example"]
    examples = owner.get("examples")
    for _, node in examples.members() if examples else ():
        found = document.resolved(node).mapping()
        if "value" in found:
            return found["value"]
    return None


def _text(value: Any) -> str:
    """A value as a text: in a header `true` is small, and a list has commas."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, list):
        return ",".join(map(_text, value))
    return "" if value is None else str(value)
