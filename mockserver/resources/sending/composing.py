"""The e-mails of a request, with the values of parameters in their texts (contract/sending#params)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from mockserver.core.contract.errors import BAD_REQUEST, ServiceError
from mockserver.core.traffic.mail import KINDS, MailContent, Recipient
from mockserver.resources.sending.request import Given, SendRequest, party

#: The most characters of a text that is filled in. Chosen: as many as the body of a request has.
_LONGEST = 10 * 1024 * 1024
_OPEN, _CLOSE = "{{", "}}"


class TooLongError(ValueError):
    """A text would be too long with the values of its parameters."""


def filled_in(text: str, params: Mapping[str, Any]) -> str:
    """A text with the values of parameters in their places; a parameter without a value leaves nothing.

    What else stands in braces is left as it is.

    Raises:
        TooLongError: the text would be too long.
    """
    if _OPEN not in text:
        return text  # and no copy of it: thousands of e-mails may share one
    found: list[str] = []
    length = 0
    for piece in _pieces(text, params):
        length += len(piece)
        if length > _LONGEST:
            raise TooLongError(f"with its params a text of the e-mail would be longer than {_LONGEST:,} characters")
        found.append(piece)
    return "".join(found)


def _pieces(text: str, params: Mapping[str, Any]) -> Iterator[str]:
    position = 0
    while (start := text.find(_OPEN, position)) >= 0:
        end = text.find(_CLOSE, start)
        if end < 0:
            break
        name = text[start + len(_OPEN) : end].strip()
        after = end + len(_CLOSE)
        root, dot, path = name.partition(".")
        yield text[position:start]
        yield _value(path, params) if (root, dot) == ("params", ".") else text[start:after]
        position = after
    yield text[position:]


def _value(path: str, params: Mapping[str, Any]) -> str:
    """The value at a path of names with dots between them, as a text; empty if there is none."""
    found: Any = params
    for name in path.split("."):
        found = found.get(name) if isinstance(found, Mapping) else None
    if found is None or isinstance(found, Mapping | list):
        return ""
    return str(found).lower() if isinstance(found, bool) else str(found)


#: The most bytes that the e-mails of a request take. Chosen: six of which each has a file as large as a body can hold.
LARGEST = 64 * 1024 * 1024


def compose(request: SendRequest) -> list[MailContent]:
    """Return the e-mails of a request, without message ids.

    Raises:
        ServiceError: 413; they would take too many bytes.
    """
    found, size = [], 0
    for message in request.messages:
        try:
            content = _content(request, message)
        except TooLongError as error:
            raise _too_large(str(error)) from None
        size += content.size
        if size > LARGEST:
            raise _too_large(f"the e-mails would take more than {LARGEST:,} bytes")
        found.append(content)
    return found


def _too_large(reason: str) -> ServiceError:
    refused = BAD_REQUEST("The request body is larger than what can be processed", status=413)
    return refused.because(f"{reason}; nothing was sent")


def _content(request: SendRequest, message: Given) -> MailContent:
    body, template = request.body, request.template
    params = message.get("params", body.get("params")) or {}
    default_subject = (template.subject or template.name) if template else ""
    text = None if template else message.get("textContent", body.get("textContent"))
    html = (template.html or "") if template else message.get("htmlContent", body.get("htmlContent"))
    reply_to = message.get("replyTo", body.get("replyTo"))
    return MailContent(
        sender=request.sender,
        recipients=tuple(Recipient(kind, party(row)) for kind in KINDS for row in request.of(message, kind)),
        subject=filled_in(message.get("subject") or body.get("subject") or default_subject, params),
        text=None if text is None else filled_in(text, params),
        html=None if html is None else filled_in(html, params),
        reply_to=None if reply_to is None else party(reply_to),
        headers=request.headers,
        tags=tuple(request.tags),
        attachments=request.files,
        template_id=None if template is None else template.id,
        params=params,
    )
