"""Replays a failed test: makes its workspace on a running mock server, and sends the same requests in the same order.

    python replay.py [http://127.0.0.1:8003] [--token TOKEN] [--drop]

Control calls, such as moves of the clock, are made again as well. Answers that differ from those of the test are told.
It reads the files beside it, and needs Python and nothing else.

Exit status: 0 if all answers are those of the test, 1 if some differ, 2 if nothing can be replayed.
"""

from __future__ import annotations

import argparse
import json
import os
import ssl
import sys
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from http.client import HTTPException
from pathlib import Path
from typing import Any, NamedTuple, NoReturn
from urllib.error import HTTPError
from urllib.parse import parse_qsl, quote, urlencode, urlsplit
from urllib.request import HTTPRedirectHandler, HTTPSHandler, ProxyHandler, Request, build_opener

#: What stands in a journal in the place of a secret.
REDACTED = "***"
#: Headers that are not sent as they were: those of the connection, those that the body gives, and credentials.
_LEFT_OUT = frozenset(
    {"host", "connection", "content-length", "transfer-encoding", "accept-encoding", "expect", "keep-alive", "te",
     "upgrade", "api-key", "authorization"}
)  # fmt: skip
#: How long a request may take beyond what it has taken in the test, in seconds; chosen far above what an answer takes.
_SPARE_S = 10.0
#: How long to wait for an answer that the test has not got either, beyond the time that it has waited, in seconds.
_SILENT_S = 0.5
#: By how many seconds moments of a running clock may differ, beyond what lies between the two requests.
_DRIFT_S = 2.0
#: How many differences of an answer are told.
_SHOWN = 5
#: The codes of answers to a one-time code that is no number, or none of six digits, and what is sent to get each.
_MALFORMED: Mapping[str, Any] = {"out_of_range": 1, "invalid_parameter": REDACTED}


class Step(NamedTuple):
    """A request, or a control call, of the test."""

    #: When it came in real time, by which steps are in order; of a control call, when it was over.
    moment: str
    is_control: bool
    item: Mapping[str, Any]

    def __str__(self) -> str:
        query = f"?{urlencode(self.item['query'], doseq=True)}" if self.item["query"] else ""
        return f"{self.item['method']} {self.item['path']}{query}"


class Answer(NamedTuple):
    """What came back."""

    #: None: nothing did.
    status: int | None
    body: Any
    #: The header `Location`.
    location: str = ""


class Unreachable(Exception):
    """The server does not answer, or does not take the workspace."""


class Server:
    """A running mock server."""

    def __init__(self, root: str, token: str | None) -> None:
        self.root = root.rstrip("/").removesuffix("/v3")
        self._headers = {"Authorization": f"Bearer {token}"} if token else {}
        # As the commands do, trust the authorities of a file for a server that speaks TLS.
        trusting = ssl.create_default_context(cafile=os.environ.get("MOCKSERVER_CA") or None)
        self._opener = build_opener(ProxyHandler({}), HTTPSHandler(context=trusting), _NoRedirect())

    def control(self, method: str, path: str, body: Any = None, workspace: str | None = None) -> Answer:
        """The answer to a control call; a body that is a text is sent as YAML.

        Raises:
            Unreachable: there is no answer.
        """
        headers = dict(self._headers)
        if workspace is not None:
            headers["X-Mock-Workspace"] = workspace
        content = None
        if body is not None:
            content = (body if isinstance(body, str) else json.dumps(body)).encode()
            headers["Content-Type"] = "application/yaml" if isinstance(body, str) else "application/json"
        answer = self.send(method, f"/_mock{path}", headers, content, timeout=660)
        if answer.status is None:
            raise Unreachable(f"no mock server answers at {self.root}: {answer.body}")
        return answer

    def send(self, method: str, target: str, headers: Mapping[str, str], body: bytes | None, timeout: float) -> Answer:
        """The answer to a request, whatever its status; without an answer, its body is the reason."""
        request = Request(f"{self.root}{target}", body, dict(headers), method=method)  # noqa: S310  # see `main`
        try:
            with self._opener.open(request, timeout=timeout) as answer:
                return Answer(answer.status, _value(answer.read()), answer.headers.get("Location") or "")
        except HTTPError as error:
            try:
                with error:
                    return Answer(error.code, _value(error.read()), error.headers.get("Location") or "")
            except (OSError, HTTPException) as cut:
                return Answer(None, str(cut))
        except (OSError, HTTPException, ValueError) as error:
            return Answer(None, str(error) or type(error).__name__)


class _NoRedirect(HTTPRedirectHandler):
    def redirect_request(self, *_: Any) -> None:
        """Answer with the redirect itself, as the journal has it."""


def _value(content: bytes) -> Any:
    try:
        return json.loads(content) if content else None
    except (ValueError, RecursionError):
        return content.decode(errors="replace")


# ---------------------------------------------------------------------- what was kept of the test


def steps(folder: Path) -> list[Step]:
    """The requests and control calls of the test, in their order; the call that has made the workspace is none."""
    requests = [Step(item["real_at"], False, item) for item in _items(folder / "journal.json")]
    calls = [
        Step(item["real_at"], True, item)
        for item in _items(folder / "calls.json")
        if (item["method"], item["path"]) != ("POST", "/_mock/workspaces")
    ]
    return sorted([*requests, *calls], key=lambda step: step.moment)


def _items(path: Path) -> Sequence[Mapping[str, Any]]:
    found = _read(path)
    if found["evicted"]:
        print(f"{path.name}: the {found['evicted']:,} oldest are missing, as the workspace had removed them")
    items: Sequence[Mapping[str, Any]] = found["items"]
    return items


def _read(path: Path) -> Any:
    return json.loads(path.read_text(encoding="utf-8"))


# ---------------------------------------------------------------------- sending it again


class Replay:
    """Sends the requests of a test to a workspace that is like that of the test."""

    def __init__(self, server: Server, was: Mapping[str, Any], made: Mapping[str, Any]) -> None:
        self._server = server
        #: The workspace of the test, and the one that was made here.
        self._was, self._made = was, made
        self._name = str(made["name"])
        #: The last value of each secret that an answer has given here, by the name of the member.
        self._secrets: dict[str, Any] = {}

    def step(self, step: Step) -> Iterator[str]:
        """Do a step again; sentences about what is different from the test."""
        if step.is_control:
            yield from self._call(step.item)
        else:
            yield from self._request(step.item)

    def _call(self, item: Mapping[str, Any]) -> Iterator[str]:
        if item.get("left_out"):
            yield f"it was not made, as its body of {item['left_out']:,} bytes was not kept"
            return
        path = _path(item).removeprefix("/_mock")
        answer = self._server.control(item["method"], path, self._here(item["body"]), self._name)
        if answer.status != item["status"]:
            detail = answer.body.get("detail") if isinstance(answer.body, dict) else None
            yield f"{answer.status} and not {item['status']}{f': {detail}' if detail else ''}"

    def _request(self, item: Mapping[str, Any]) -> Iterator[str]:
        waited = item["ms"] / 1000
        timeout = waited + (_SILENT_S if item["status"] is None else _SPARE_S)
        answer = self._server.send(
            item["method"], f"{self._prefix}{_path(item)}", self._headers(item), self._body(item), timeout
        )
        self._learn(answer)
        here = self._control("GET", "/requests?limit=1").body["items"]
        if item["status"] != answer.status:
            yield f"{_status(answer.status)} and not {_status(item['status'])}{_error(answer.body)}"
        elif item["answer"] and here and here[0]["answer"]:
            drift = abs(_seconds(here[0]["at"]) - _seconds(item["at"])) + _DRIFT_S
            yield from self._differences(item["answer"]["body"], here[0]["answer"]["body"], drift)

    def _differences(self, was: Any, here: Any, drift: float) -> Iterator[str]:
        found = list(differences(self._here(was), here, drift))
        yield from found[:_SHOWN]
        if len(found) > _SHOWN:
            yield f"and {len(found) - _SHOWN:,} more"

    @property
    def _prefix(self) -> str:
        """What comes before `/v3` in addresses of the workspace."""
        return urlsplit(str(self._made["url"])).path.removesuffix("/v3")

    def _control(self, method: str, path: str) -> Answer:
        return self._server.control(method, path, workspace=self._name)

    def _here(self, value: Any) -> Any:
        """A value of the test with the addresses of this server, and the name of this workspace."""
        if isinstance(value, dict):
            return {name: self._here(inner) for name, inner in value.items()}
        if isinstance(value, list):
            return [self._here(inner) for inner in value]
        if isinstance(value, str):
            root = str(self._made["url"]).removesuffix("/v3")
            return value.replace(str(self._was["url"]).removesuffix("/v3"), root)
        return value

    # ------------------------------------------------------------------ secrets, which a journal does not have

    def _headers(self, item: Mapping[str, Any]) -> dict[str, str]:
        sent = {name.lower(): value for name, value in item["request"]["headers"].items()}
        found = {name: value for name, value in sent.items() if name not in _LEFT_OUT and value != REDACTED}
        if "api-key" in sent:
            found["api-key"] = self._key(item)
        if "authorization" in sent:
            found["authorization"] = f"Bearer {self._secrets.get('access_token', REDACTED)}"
        return found

    def _key(self, item: Mapping[str, Any]) -> str:
        """A key of the account that the key of the test has opened; one that opens none, or that is nobody's, else."""
        is_nobodys = any("is nobody's" in warning for warning in item["warnings"])
        if item["account"] is None or is_nobodys:
            return "nobodys-key"
        accounts = self._server.control("GET", f"/workspaces/{self._name}").body["accounts"]
        keys = [row["api_key"] for row in accounts if row["name"] == item["account"] and row["api_key"]]
        return str(keys[0]) if keys else "nobodys-key"

    def _body(self, item: Mapping[str, Any]) -> bytes | None:
        body = self._here(item["request"]["body"])
        if body is None:
            return None
        if isinstance(body, str):
            return self._form(body).encode()
        return json.dumps(self._filled(body, item)).encode()

    def _form(self, text: str) -> str:
        """The text of a body, with the secrets of a form that are known here."""
        if f"={REDACTED}" not in text:
            return text
        pairs = parse_qsl(text, keep_blank_values=True)
        return urlencode(
            [(name, self._secrets.get(name, value) if value == REDACTED else value) for name, value in pairs]
        )

    def _filled(self, value: Any, item: Mapping[str, Any]) -> Any:
        """A value with secrets that are known here in the place of those that the journal does not have."""
        if isinstance(value, list):
            return [self._filled(inner, item) for inner in value]
        if not isinstance(value, dict):
            return value
        return {
            name: self._secret(name, item) if inner == REDACTED else self._filled(inner, item)
            for name, inner in value.items()
        }

    def _secret(self, name: str, item: Mapping[str, Any]) -> Any:
        if name == "otp" and item["operation"] == "validateSenderByOtp":
            return self._code(item)
        return self._secrets.get(name, REDACTED)

    def _code(self, item: Mapping[str, Any]) -> Any:
        """The one-time code that is right, or another one, as the answer of the test says."""
        body = item["answer"]["body"] if item["answer"] else None
        code = str(body.get("code", "")) if isinstance(body, dict) else ""
        if code in _MALFORMED:
            return _MALFORMED[code]
        sender = item["path"].rsplit("/", 2)[-2]
        found = self._control("GET", f"/machines/sender/{quote(sender, safe='')}").body
        right = found.get("otp") if isinstance(found, dict) else None
        is_right = item["fault"] or (item["status"] or 0) < 400 or "expired" in code
        if is_right and right:
            return right
        return 100_000 if right != 100_000 else 100_001

    def _learn(self, answer: Answer) -> None:
        """Keep what an answer gives, because a later request may send it as a secret."""
        if isinstance(answer.body, dict):
            self._secrets |= {name: value for name, value in answer.body.items() if isinstance(value, str)}
        self._secrets |= dict(parse_qsl(urlsplit(answer.location).query))


def _path(item: Mapping[str, Any]) -> str:
    query = f"?{urlencode(item['query'], doseq=True)}" if item["query"] else ""
    return quote(item["path"], safe="/%:@!$&'()*+,;=~") + query


def _status(status: int | None) -> str:
    return "no answer" if status is None else str(status)


def _error(body: Any) -> str:
    """The error of an answer, as the end of a sentence; empty if it is none."""
    return f": {body['code']}: {body.get('message')}" if isinstance(body, dict) and "code" in body else ""


def _seconds(moment: str) -> float:
    return datetime.fromisoformat(moment).timestamp()


def differences(was: Any, here: Any, drift: float, path: str = "") -> Iterator[str]:
    """In what two answers differ, apart from moments that are no more than `drift` seconds from each other."""
    if isinstance(was, dict) and isinstance(here, dict):
        for name in {**was, **here}:
            yield from differences(was.get(name), here.get(name), drift, f"{path}/{name}")
    elif isinstance(was, list) and isinstance(here, list) and len(was) == len(here):
        for number, (old, new) in enumerate(zip(was, here, strict=True)):
            yield from differences(old, new, drift, f"{path}/{number}")
    elif was != here and not _are_near(was, here, drift):
        yield f"{path or 'the body'} is {json.dumps(here)} and not {json.dumps(was)}"


def _are_near(was: Any, here: Any, drift: float) -> bool:
    try:
        return abs(_seconds(was) - _seconds(here)) <= drift
    except (TypeError, ValueError):
        return False


# ---------------------------------------------------------------------- the program


def main(arguments: Sequence[str] | None = None) -> int:
    """Replay the test whose files are beside this one; the exit status."""
    options = _options(arguments)
    folder = Path(__file__).parent
    try:
        server = Server(options.url, options.token)
        was, todo = _read(folder / "test.json")["workspace"], steps(folder)
        made = _workspace(server, folder)
        replay = Replay(server, was, made)
        differing = [_told(step, list(replay.step(step))) for step in todo].count(False)
    except (OSError, KeyError, TypeError, ValueError) as error:
        _give_up(f"the files beside this one, or that of MOCKSERVER_CA, cannot be read: {error!r}")
    except Unreachable as error:
        _give_up(str(error))
    print(f"{len(todo) - differing} of {len(todo)} answers are those of the test")
    if options.drop:
        server.control("DELETE", f"/workspaces/{made['name']}")
    else:
        print(f"workspace {made['name']}: {str(made['url']).removesuffix('/v3')}/_mock/ui/")
    return 1 if differing else 0


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    lines = (__doc__ or "").splitlines()
    parser = argparse.ArgumentParser(description=lines[0])
    parser.add_argument("url", nargs="?", default=os.environ.get("MOCKSERVER_URL", "http://127.0.0.1:8003"))
    parser.add_argument("--token", default=os.environ.get("MOCKSERVER_TOKEN"), help="the server's control token")
    parser.add_argument("--drop", action="store_true", help="drop the workspace at the end")
    options = parser.parse_args(arguments)
    if not options.url.startswith(("http://", "https://")):
        parser.error(f"{options.url!r} is no address of a server: it begins with http:// or https://")
    return options


def _workspace(server: Server, folder: Path) -> Mapping[str, Any]:
    """A workspace in the state in which that of the test began.

    Raises:
        Unreachable: the server does not answer, or refuses to make it.
    """
    answer = server.control("POST", "/workspaces", {"scenario": _read(folder / "state-before.json")})
    if answer.status != 201:
        detail = answer.body.get("detail") if isinstance(answer.body, dict) else answer.body
        raise Unreachable(f"{server.root} makes no workspace: {answer.status}: {detail}")
    made: Mapping[str, Any] = answer.body
    return made


def _told(step: Step, found: Sequence[str]) -> bool:
    """Print what came of a step; whether it was as in the test."""
    print(_plain(f"{'differs' if found else 'same   '}  {step} {_status(step.item['status'])}"))
    for sentence in found:
        print(_plain(f"         {sentence}"))
    return not found


def _plain(text: str) -> str:
    """A text without signs that could control a terminal."""
    return "".join(sign if sign.isprintable() else repr(sign)[1:-1] for sign in text)


def _give_up(sentence: str) -> NoReturn:
    print(f"Error: {_plain(sentence)}", file=sys.stderr)
    sys.exit(2)


if __name__ == "__main__":
    sys.exit(main())
