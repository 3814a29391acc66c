"""The control token: with it set, the control API asks for it."""

from __future__ import annotations

import hmac
from collections.abc import Iterable

from flask import Response, request

from mockserver.control.noun import Noun
from mockserver.control.problem import Problem
from mockserver.web.application import CONTROL_PREFIX


class Guard:
    """Refuses calls without the token, but for those that are open to all."""

    def __init__(self, token: str, nouns: Iterable[Noun]) -> None:
        self._token = token.encode()
        calls = (call for noun in nouns for call in noun.calls if call.is_open)
        self._open = {call.path.replace("{", "<").replace("}", ">") for call in calls}

    def __call__(self) -> Response | None:
        """A refusal, or nothing."""
        if not request.path.startswith(CONTROL_PREFIX) or (request.url_rule and request.url_rule.rule in self._open):
            return None
        scheme, _, given = request.headers.get("Authorization", "").partition(" ")
        # A header comes as Latin-1, whatever its bytes mean.
        if scheme.lower() == "bearer" and hmac.compare_digest(given.strip().encode("latin-1"), self._token):
            return None
        refused = Problem(401, "the control API of this server needs its token: Authorization: Bearer ...").response()
        refused.headers["WWW-Authenticate"] = "Bearer"
        return refused
