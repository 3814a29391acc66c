"""The files of an e-mail, as a body names them (contract/sending#attachments)."""

from __future__ import annotations

from base64 import b64decode
from binascii import Error as Base64Error
from typing import Any

from mockserver.core.text.addresses import is_url
from mockserver.core.traffic.mail import Attachment
from mockserver.core.workspaces.caller import Caller
from mockserver.resources.sending.request import Given, compact, missing, wrong

#: The extensions of files that may be sent (brevo-python 5.1.0, `send_transac_email`).
EXTENSIONS = frozenset({
    "xlsx", "xls", "ods", "docx", "docm", "doc", "csv", "pdf", "txt", "gif", "jpg", "jpeg", "png", "tif",
    "tiff", "rtf", "bmp", "cgm", "css", "shtml", "html", "htm", "zip", "xml", "ppt", "pptx", "tar", "ez", "ics",
    "mobi", "msg", "pub", "eps", "odt", "mp3", "m4a", "m4v", "wma", "ogg", "flac", "wav", "aif", "aifc", "aiff",
    "mp4", "mov", "avi", "mkv", "mpeg", "mpg", "wmv", "pkpass", "xlsm",
})  # fmt: skip
#: The most files, and the most characters of a name; proposed, far above what honest clients send.
_MOST, _LONGEST_NAME = 1_000, 1_000
_MEMBER = "attachment"


def read_files(given: Any, caller: Caller) -> tuple[Attachment, ...]:
    """Read the member `attachment`; the content comes before the address where a file has both.

    Raises:
        ServiceError: 400; it is no list of files that can be sent.
    """
    if not given:
        return ()
    if not isinstance(given, list) or len(given) > _MOST or not all(isinstance(row, dict) for row in given):
        raise wrong(_MEMBER, why=f"expected a list of at most {_MOST:,} objects")
    files = [compact(row) for row in given]
    if any("content" not in file and "url" not in file for file in files):
        raise missing("content", _MEMBER)
    if any("content" in file and "name" not in file for file in files):
        raise missing("name", _MEMBER)
    contents = [_content(file) for file in files]
    for file in files:
        _check_name(file)
    found = tuple(map(_attachment, files, contents))
    for row in found:
        if row.content is None and not _may_be_sent(row.name):
            caller.warn(f"the service sends no attachment of the format of {row.name}, which is at an address")
    return found


def _content(file: Given) -> bytes | None:
    """Return the content of a file, or None if it is at an address."""
    if "content" not in file:
        if not isinstance(file["url"], str) or not is_url(file["url"]):
            raise wrong("url", _MEMBER, "expected an http or https address")
        return None
    try:
        return b64decode(file["content"] if isinstance(file["content"], str) else "!", validate=True)
    except (Base64Error, ValueError):
        raise wrong("content", _MEMBER, "expected a string in Base64") from None


def _check_name(file: Given) -> None:
    name = file.get("name")
    if name is None:
        return
    if not isinstance(name, str) or len(name) > _LONGEST_NAME:
        raise wrong("name", _MEMBER, f"expected a string of at most {_LONGEST_NAME:,} characters")
    if not _may_be_sent(name):
        raise wrong("name", _MEMBER, f"the service sends files with the extensions {', '.join(sorted(EXTENSIONS))}")


def _may_be_sent(name: str) -> bool:
    return name.rpartition(".")[2].lower() in EXTENSIONS


def _attachment(file: Given, content: bytes | None) -> Attachment:
    url = None if content is not None else file["url"]
    name = file.get("name") or (url or "").partition("?")[0].rpartition("/")[2] or "attachment"
    return Attachment(name, content, None if content is None else len(content), url)
