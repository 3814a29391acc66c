"""Exchanges as HAR 1.2 (http://www.softwareishard.com/blog/har-12-spec/), with their secrets redacted."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from http import HTTPStatus
from typing import Any
from urllib.parse import quote, urlencode

from mockserver.settings import version
from mockserver.views.record import sent
from mockserver.views.traffic_records import Exchange, Message

#: The journal does not keep the version; the server speaks no other.
_HTTP = "HTTP/1.1"
#: The sizes of headers and bodies as they were sent are unknown: secrets are redacted in what is shown.
_UNKNOWN = -1
_PHRASES = {status.value: status.phrase for status in HTTPStatus}


def show_har(exchanges: Iterable[Exchange], root: str) -> dict[str, Any]:
    """Return exchanges as a HAR document.

    Args:
        exchanges: Oldest first.
        root: The address before the path of each request, without a slash at its end.
    """
    creator = {"name": "brevo-mockserver", "version": version()}
    return {"log": {"version": "1.2", "creator": creator, "entries": [_entry(row, root) for row in exchanges]}}


def _entry(row: Exchange, root: str) -> dict[str, Any]:
    notes = [row.reason, *row.warnings]
    return {
        "startedDateTime": sent(row.real_at),
        "time": row.ms,
        "request": _request(row, root),
        "response": _response(row),
        "cache": {},
        "timings": {"send": 0, "wait": row.ms, "receive": 0},
        "comment": "\n".join(note for note in notes if note),
        # Members that begin with an underscore are those of the program that writes the file.
        "_id": row.id,
        "_operation": row.operation,
        "_fault": row.fault,
    }


def _request(row: Exchange, root: str) -> dict[str, Any]:
    query = f"?{urlencode(row.query, doseq=True, safe='*')}" if row.query else ""
    content = {} if row.request.body is None else {"postData": _content(row.request)}
    return {
        "method": row.method,
        "url": f"{root}{quote(row.path, safe='/%:@!$&()*+,;=~')}{query}",
        "httpVersion": _HTTP,
        "cookies": [],
        "headers": _pairs(row.request.headers),
        "queryString": _pairs(row.query),
        "headersSize": _UNKNOWN,
        "bodySize": _UNKNOWN,
        **content,
    }


def _response(row: Exchange) -> dict[str, Any]:
    """Return the answer; its status is 0 if the client got none, as browsers write it."""
    answer, status = row.answer or Message({}, None), row.status or 0
    content = _content(answer)
    return {
        "status": status,
        "statusText": _PHRASES.get(status, ""),
        "httpVersion": _HTTP,
        "cookies": [],
        "headers": _pairs(answer.headers),
        "content": {"size": len(content["text"].encode(errors="replace")), **content},
        "redirectURL": _header(answer, "location"),
        "headersSize": _UNKNOWN,
        "bodySize": _UNKNOWN,
    }


def _content(message: Message) -> dict[str, str]:
    body = message.body
    text = "" if body is None else body if isinstance(body, str) else json.dumps(body, ensure_ascii=False)
    return {"mimeType": _header(message, "content-type"), "text": text}


def _header(message: Message, name: str) -> str:
    return next((value for known, value in message.headers.items() if known.lower() == name), "")


def _pairs(values: Mapping[str, Any]) -> list[dict[str, str]]:
    """Return headers or parameters with their values, a repeated parameter once for each value."""
    return [
        {"name": name, "value": value}
        for name, found in values.items()
        for value in (found if isinstance(found, list) else [found])
    ]
