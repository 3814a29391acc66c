"""Protection from cross-site request forgery: tokens, and checks of a form's origin."""

from __future__ import annotations

import hmac
import re
from collections.abc import Mapping
from urllib.parse import urlsplit

from werkzeug.wrappers import Request

from mockserver.core.contract.errors import PERMISSION_DENIED, ServiceError
from mockserver.core.text.host_names import host_url
from mockserver.core.traffic.exchange import Header
from mockserver.core.workspaces.caller import AnonymousCaller

#: The member of a form that holds the token.
FIELD = "csrf"
COOKIE = "mockserver_csrf"
#: How many letters and digits a token has: 190 bits, which nobody guesses.
_LENGTH = 32
_TOKEN = re.compile(r"[0-9A-Za-z]{32}")


def token(caller: AnonymousCaller, request: Request) -> str:
    """Return the browser's token from earlier pages, or a new token."""
    sent = request.cookies.get(COOKIE, "")
    return sent if _TOKEN.fullmatch(sent) else caller.workspace.state.random.secret("csrf", _LENGTH)


def cookie(caller: AnonymousCaller, value: str) -> Header:
    """Return the cookie header with a token for our own pages' forms."""
    path = urlsplit(caller.visit.root).path or "/"
    return "Set-Cookie", f"{COOKIE}={value}; Path={path}; HttpOnly; SameSite=Lax"


def check(caller: AnonymousCaller, request: Request, form: Mapping[str, str]) -> None:
    """Refuse a form from a foreign page.

    Browsers tell a form's origin by Fetch Metadata or `Origin`. That protects even from attackers who know the
    workspace's seed, and so its tokens.
    """
    site = request.headers.get("Sec-Fetch-Site")
    if site not in (None, "same-origin", "none"):
        raise _refused(f"another site sent it (Sec-Fetch-Site is {site})")
    origin = request.headers.get("Origin")
    own = {urlsplit(root).netloc for root in (caller.visit.root, host_url(request.environ))}
    if site is None and origin is not None and origin.partition("://")[2] not in own:
        raise _refused(f"another site sent it (Origin is {origin}, expected {' or '.join(sorted(own))})")
    sent, known = form.get(FIELD, ""), request.cookies.get(COOKIE, "")
    if not (sent and known and hmac.compare_digest(sent.encode(), known.encode())):
        raise _refused(f"its field {FIELD} does not match the cookie {COOKIE}")


def _refused(reason: str) -> ServiceError:
    message = "This form was not sent by the page that you see here. Go back, load the page anew, and try again."
    return PERMISSION_DENIED(message).because(f"form refused: {reason}")
