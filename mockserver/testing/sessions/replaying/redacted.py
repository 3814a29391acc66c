"""Secrets, which a journal does not have: what is sent in their place."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from urllib.parse import parse_qsl, quote, urlencode, urlsplit

from .server import Answer, Server

#: What stands in a journal in the place of a secret.
REDACTED = "***"
#: A key that no account has.
_NOBODYS = "nobodys-key"
#: The codes of answers to a one-time code that is no number, or none of six digits, and what is sent to get each.
_MALFORMED: Mapping[str, Any] = {"out_of_range": 1, "invalid_parameter": REDACTED}


class Secrets:
    """The secrets of a workspace, as its answers have given them and as it tells them by control calls."""

    def __init__(self, server: Server, workspace: str) -> None:
        self._server, self._workspace = server, workspace
        #: The last value of each that an answer has given here, by the name of the member.
        self._known: dict[str, Any] = {}

    def learn(self, answer: Answer) -> None:
        """Keep what an answer gives, because a later request may send it as a secret."""
        if isinstance(answer.body, dict):
            self._known |= {name: value for name, value in answer.body.items() if isinstance(value, str)}
        self._known |= dict(parse_qsl(urlsplit(answer.location).query))

    def token(self) -> str:
        """The access token that was given last."""
        return str(self._known.get("access_token", REDACTED))

    def key(self, item: Mapping[str, Any]) -> str:
        """A key of the account that the key of the test has opened; one that opens none, or that is nobody's, else."""
        is_nobodys = any("is nobody's" in warning for warning in item["warnings"])
        if item["account"] is None or is_nobodys:
            return _NOBODYS
        accounts = self._server.control("GET", f"/workspaces/{self._workspace}").body["accounts"]
        keys = [row["api_key"] for row in accounts if row["name"] == item["account"] and row["api_key"]]
        return str(keys[0]) if keys else _NOBODYS

    def form(self, text: str) -> str:
        """The text of a body, with the secrets of a form that are known here."""
        if f"={REDACTED}" not in text:
            return text
        pairs = parse_qsl(text, keep_blank_values=True)
        return urlencode(
            [(name, self._known.get(name, value) if value == REDACTED else value) for name, value in pairs]
        )

    def filled(self, value: Any, item: Mapping[str, Any]) -> Any:
        """A value with secrets that are known here in the place of those that the journal does not have."""
        if isinstance(value, list):
            return [self.filled(inner, item) for inner in value]
        if not isinstance(value, dict):
            return value
        return {
            name: self._secret(name, item) if inner == REDACTED else self.filled(inner, item)
            for name, inner in value.items()
        }

    def _secret(self, name: str, item: Mapping[str, Any]) -> Any:
        if name == "otp" and item["operation"] == "validateSenderByOtp":
            return self._code(item)
        return self._known.get(name, REDACTED)

    def _code(self, item: Mapping[str, Any]) -> Any:
        """The one-time code that is right, or another one, as the answer of the test says."""
        body = item["answer"]["body"] if item["answer"] else None
        code = str(body.get("code", "")) if isinstance(body, dict) else ""
        if code in _MALFORMED:
            return _MALFORMED[code]
        sender = item["path"].rsplit("/", 2)[-2]
        path = f"/machines/sender/{quote(sender, safe='')}"
        found = self._server.control("GET", path, workspace=self._workspace).body
        right = found.get("otp") if isinstance(found, dict) else None
        is_right = item["fault"] or (item["status"] or 0) < 400 or "expired" in code
        if is_right and right:
            return right
        return 100_000 if right != 100_000 else 100_001
