"""The answer of an operation: the documented status of success, with an example or the smallest value of its schema."""

from __future__ import annotations

import json
from typing import Any

from mockserver.beyond.openapi.document import Document, LeftOutError
from mockserver.beyond.openapi.schemas import Sampler


def success(document: Document, operation: Any) -> dict[str, Any]:
    """Return the `answer` of a stub for an operation, or raise LeftOutError with the reason why there is none."""
    status, response = _chosen(document.get(operation, "responses", dict))
    content = {} if status in (204, 205, 304) else document.get(response, "content", dict)
    name = next(filter(_is_json, content), next(iter(content), None))
    if name is None:
        return {"status": status}
    examples = _examples(document, content[name])
    if _is_json(name):
        body = Sampler(document).value(document.raw(content[name], "schema", True), examples)
        return {"status": status, "json": literal(body)}
    text = literal(str(examples[0]) if examples else "")
    return {"status": status, "text": text, **({} if "*" in name else {"headers": {"Content-Type": name}})}


def _chosen(responses: dict[str, Any]) -> tuple[int, Any]:
    """Return the lowest documented status below 400 with its response; `2XX` and `default` are 200."""
    known = {name.upper().replace("XX", "00"): response for name, response in responses.items()}
    status = next((status for status in range(200, 400) if str(status) in known), 200)
    if str(status) in known or "default" in responses:
        return status, known.get(str(status), responses.get("default"))
    raise LeftOutError("no success is documented")


def _is_json(media_type: str) -> bool:
    name = media_type.partition(";")[0].strip().lower()
    return name in ("application/json", "text/json", "application/*", "*/*") or name.endswith("+json")


def _examples(document: Document, media: Any) -> list[Any]:
    """Return the first example of a body, in a list that is empty if there is none."""
    rows = document.get(media, "examples", dict).values()
    values = [document.raw(media, "example"), *(document.raw(row, "value") for row in rows)]
    return [document.plain(value) for value in values if value is not None][:1]


def literal(value: Any) -> Any:
    """Return what a stub answers with a value: a text that looks like a template becomes a quoted one in a template."""
    if isinstance(value, dict):
        return {name: literal(inner) for name, inner in value.items()}
    if isinstance(value, list):
        return [literal(inner) for inner in value]
    if isinstance(value, str) and any(opening in value for opening in ("{{", "{%", "{#")):
        quoted = json.dumps(value, ensure_ascii=False).replace("{", "\\u007b").replace("}", "\\u007d")
        return f"{{{{ {quoted} }}}}"
    return value
