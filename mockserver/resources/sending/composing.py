"""The e-mails of a request, with the values of parameters in their texts (contract/sending#params)."""

from __future__ import annotations

from mockserver.core.contract.errors import BAD_REQUEST, ServiceError
from mockserver.core.traffic.mail import KINDS, MailContent, Recipient
from mockserver.resources.sending.parameters import TooLongError, filled_in
from mockserver.resources.sending.request import Given, SendRequest, party

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
