"""What keeps other sites from sending our forms: a token that only our pages know, and where a form comes from."""

from __future__ import annotations

import hmac
import re
from collections.abc import Mapping
from urllib.parse import urlsplit

from flask import Request

from mockserver.core.contract.errors import PERMISSION_DENIED, ServiceError
from mockserver.core.traffic.exchange import Header
from mockserver.core.workspaces.caller import AnonymousCaller

#: The member of every form.
FIELD = "csrf"
COOKIE = "mockserver_csrf"
_FORM = re.compile(r"[0-9A-Za-z]{32}")


def token(caller: AnonymousCaller, request: Request) -> str:
    """The browser's token: that of an earlier page, which may be open still, or else a new one."""
    sent = request.cookies.get(COOKIE, "")
    return sent if _FORM.fullmatch(sent) else caller.workspace.state.random.secret("csrf", 32)


def cookie(caller: AnonymousCaller, value: str) -> Header:
    """Lets the browser bring its token along with forms that come from us."""
    path = urlsplit(caller.visit.root).path or "/"
    return "Set-Cookie", f"{COOKIE}={value}; Path={path}; HttpOnly; SameSite=Lax"


def check(request: Request, form: Mapping[str, str]) -> None:
    """Refuse a form that is not one of ours, sent by one of our pages.

    The browser says where it comes from (Fetch Metadata; where it does not, Origin). That holds even against somebody
    who knows the workspace's seed, and so its tokens.

    Raises:
        ServiceError: 403 `permission_denied`.
    """
    site = request.headers.get("Sec-Fetch-Site")
    if site not in (None, "same-origin", "none"):
        raise _refused(f"it was sent by another site: Sec-Fetch-Site is {site}")
    origin = request.headers.get("Origin")
    if site is None and origin is not None and origin.partition("://")[2] != request.host:
        raise _refused(f"it was sent by another site: its Origin is {origin}, and the mock is at {request.host}")
    sent, known = form.get(FIELD, ""), request.cookies.get(COOKIE, "")
    if not (sent and known and hmac.compare_digest(sent.encode(), known.encode())):
        raise _refused(f"its member {FIELD} is not the value of the cookie {COOKIE}")


def _refused(reason: str) -> ServiceError:
    message = "This form was not sent by the page that you see here. Go back, load the page anew, and try again."
    return PERMISSION_DENIED(message).because(f"the form is refused: {reason}")
