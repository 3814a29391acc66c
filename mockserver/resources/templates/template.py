"""Rows of e-mail templates, which sending, campaigns and shared addresses use (contract/templates)."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import ClassVar

from mockserver.core.traffic.mail import Party
from mockserver.core.traffic.ring import weight

EMAIL_TEMPLATE = "email_template"
#: The extensions of files at an address that templates may have (documented).
EXTENSIONS = frozenset({
    "xlsx", "xls", "ods", "docx", "docm", "doc", "csv", "pdf", "txt", "gif", "jpg", "jpeg", "png", "tif", "tiff",
    "rtf", "bmp", "cgm", "css", "shtml", "html", "htm", "zip", "xml", "ppt", "pptx", "tar", "ez", "ics", "mobi", "msg",
    "pub", "eps",
})  # fmt: skip
#: The tag of templates for double opt-in (proposed).
_OPTIN = "optin"


@dataclass(slots=True, eq=False)
class Template:
    """An e-mail template, made by the API or loaded from a scenario; its id is unique among campaigns too."""

    id: int
    name: str
    #: Content; None: a scenario gives none, and the shared page has instructions.
    html: str | None = None
    #: Subject of e-mails sent by the template; None: the name.
    subject: str | None = None
    #: Last segment of the shared address; None before the first request.
    share: str | None = None
    #: The moments; None: from a scenario without them, where the start of the clock counts.
    created_at: datetime | None = None
    modified_at: datetime | None = None
    #: The sender; None: from a scenario without one, where the account's default sender counts.
    sender: Party | None = None
    reply_to: str = ""
    to_field: str = ""
    tag: str = ""
    attachment_url: str = ""
    is_active: bool = True
    #: Whether a test was sent.
    is_tested: bool = False
    kind: ClassVar[str] = EMAIL_TEMPLATE

    @property
    def is_optin(self) -> bool:
        """Whether the template asks contacts to confirm their subscription (double opt-in)."""
        return self.tag == _OPTIN

    @property
    def size(self) -> int:
        """The memory of its texts in bytes."""
        return weight([self.name, self.html, self.subject, self.reply_to, self.to_field, self.tag, self.attachment_url])
