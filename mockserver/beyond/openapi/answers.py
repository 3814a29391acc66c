"""The answer of an operation: the documented status of success, with an example or the smallest value of its schema."""

from __future__ import annotations

from itertools import islice
from typing import Any

from mockserver.beyond.openapi.document import Document, LeftOutError
from mockserver.beyond.openapi.schemas import Sampler

#: Statuses of answers without a body.
_WITHOUT_BODY = (204, 205, 304)


def success(document: Document, operation: Any) -> dict[str, Any]:
    """Return the `answer` of a stub for an operation: its body, and the headers that are required.

    Raises:
        LeftOutError: no success is documented, or none of which an answer can be made.
    """
    status, response = _chosen(document.get(operation, "responses", dict))
    found: dict[str, Any] = {"status": status}
    headers = {
        name: _text(_value(document, header))
        for name, header in document.get(response, "headers", dict).items()
        if document.get(header, "required") is True and name.lower() != "content-type"
    }
    content = {} if status in _WITHOUT_BODY else document.get(response, "content", dict)
    json_type = next(filter(_is_json, content), None)
    if json_type is not None:
        found["json"] = _value(document, content[json_type])
    elif content:
        name, media = next(iter(content.items()))
        found["text"] = "".join(map(_text, _examples(document, media)))
        headers |= {} if "*" in name else {"Content-Type": name}
    return {**found, "headers": headers} if headers else found


def _chosen(responses: dict[str, Any]) -> tuple[int, Any]:
    """Return the lowest documented status below 400 with its response; `2XX` and `default` are 200."""
    known = {name.upper().replace("XX", "00"): response for name, response in responses.items()}
    for status in range(200, 400):
        if str(status) in known:
            return status, known[str(status)]
    if "default" in responses:
        return 200, responses["default"]
    raise LeftOutError("no success is documented")


def _is_json(media_type: str) -> bool:
    name = media_type.partition(";")[0].strip().lower()
    return name in ("application/json", "text/json", "application/*", "*/*") or name.endswith("+json")


def _value(document: Document, owner: Any) -> Any:
    """Return the value of a body or a header."""
    found = document.resolved(owner)
    schema = found.get("schema", True) if isinstance(found, dict) else True
    return Sampler(document).value(schema, _examples(document, owner))


def _examples(document: Document, owner: Any) -> list[Any]:
    """Return the first example of a body or a header, in a list that is empty if there is none."""
    found = document.resolved(owner)
    if isinstance(found, dict) and "example" in found:
        return [document.plain(found["example"])]
    rows = map(document.resolved, document.get(owner, "examples", dict).values())
    values = (row["value"] for row in rows if isinstance(row, dict) and "value" in row)
    return [document.plain(value) for value in islice(values, 1)]


def _text(value: Any) -> str:
    """Return a value as a text; a list has commas."""
    if isinstance(value, list):
        return ",".join(map(_text, value))
    return "" if value is None else str(value).lower() if isinstance(value, bool) else str(value)
