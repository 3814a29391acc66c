"""The members and values that a path of an expectation can name, as JSON Schema."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import Any

from mockserver.beyond.catalogue import catalogue
from mockserver.core.text.messages import nearest
from mockserver.core.traffic.causes import KINDS
from mockserver.core.traffic.mail import FAILED, SENT, WAITING
from mockserver.resources.registry import ALL_OPERATIONS, LIFECYCLES
from mockserver.scenario.expect import Step
from mockserver.scenario.json_schema import closed, document
from mockserver.scenario.match import METHODS
from mockserver.web.service.beyond import Answered

_Form = Mapping[str, Any]
_NUMBER_OR_FLAG = re.compile(r"-?[0-9.]+(e[+-]?[0-9]+)?|true|false")
_TEXT, _NUMBER, _FLAG, _MAPPING = ({"type": name} for name in ("string", "number", "boolean", "object"))


def _row(names: str, **forms: _Form) -> _Form:
    """Return the form of a row; `names` are its texts."""
    return closed({**dict.fromkeys(names.split(), _TEXT), **forms})


def _rows(names: str, **forms: _Form) -> _Form:
    return {"type": "array", "items": _row(names, **forms)}


_TEXTS = {"type": "array", "items": _TEXT}
_MACHINE = {"enum": list(LIFECYCLES)}
_CAUSES = {name: _rows("id", kind={"enum": KINDS}) for name in ("caused", "caused_by")}
_MESSAGE = _row("", headers=_MAPPING, body={})
#: A request and an e-mail, as the control API shows both; a test compares the names.
REQUEST = _row(
    "id at real_at path account fault stub reason", method={"enum": METHODS}, query=_MAPPING, request=_MESSAGE,
    operation={"enum": [*ALL_OPERATIONS, *catalogue()]}, status=_NUMBER, answer=_MESSAGE, held=_FLAG, ms=_NUMBER,
    beyond={"enum": list(map(str, Answered))}, warnings=_TEXTS, **_CAUSES,
    transitions=_rows("at real_at event", machine=_MACHINE, key={}, **{"from": _TEXT, "to": _TEXT}, **_CAUSES),
)  # fmt: skip
MAIL = _row(
    "id at to from reply_to subject text html message_id account request", cc=_TEXTS, bcc=_TEXTS, headers=_MAPPING,
    recipients=_rows("email name", kind={"enum": ["to", "cc", "bcc"]}), tags=_TEXTS, template_id=_NUMBER,
    params=_MAPPING, attachments=_rows("name url", size=_NUMBER), otp=_NUMBER, machine=_MACHINE, key={}, **_CAUSES,
    smtp=_row("error", state={"enum": [WAITING, SENT, FAILED]}, tries=_NUMBER),
)  # fmt: skip


@cache
def _root(name: str) -> _Form:
    if name != "state":
        return {"journal": REQUEST, "mailbox": MAIL}[name]
    whole, account = document(), document()["$defs"]["Account"]
    found = {**account["properties"], **whole["properties"]}
    return closed({name: form for name, form in found.items() if name not in ("generate", "extends", "expect")})


def mistake_in(root: str, steps: Sequence[Step], wanted: Any) -> str | None:
    """Return which member or value of a path nothing can ever have, or None.

    Args:
        root: state, journal or mailbox.
        steps: The steps from there.
        wanted: The value that is expected at the end, or None.
    """
    place, forms = root, [_root(root)]
    for name, value in ((step.name or step.member, step.value if step.member else None) for step in steps):
        if name is None:
            continue
        known = {other for form in forms for other in form.get("properties", ())}
        found = [inner for form in forms for inner in _member(form, name)]
        if not found:
            return f"unknown member {name!r} of {place}; {nearest(name, known) if known else 'it has no members'}"
        if value is None:
            place, forms = name, found
        elif mistake := _impossible(name, found, value):
            return mistake
    return _impossible(place, forms, wanted) if isinstance(wanted, str) else None


def _member(form: _Form, name: str) -> Iterator[_Form]:
    """Yield the forms of a member: nothing if there is no such member, an empty one if anything is allowed."""
    more = form.get("additionalProperties", "enum" not in form and "object" in form.get("type", "object"))
    if name in form.get("properties", ()):
        yield from _forms(form["properties"][name])
    elif more is not False:
        yield from _forms(more if isinstance(more, dict) else {})


def _forms(form: _Form) -> Iterator[_Form]:
    """Yield the forms that a value can have, with the items of a list in its place."""
    if "$ref" in form:
        yield from _forms(document()["$defs"][form["$ref"].rpartition("/")[2]])
    elif "anyOf" in form and "properties" not in form and "type" not in form:
        yield from (found for inner in form["anyOf"] for found in _forms(inner))
    elif form.get("type") == "array":
        yield from _forms(form.get("items", {}))
    else:
        yield form


def _impossible(name: str, forms: Sequence[_Form], text: str) -> str | None:
    """Return a message if no form has a value that is written as a text."""
    if text == "null" or any(_is_possible(form, text) for form in forms):
        return None
    known = [value for form in forms for value in form.get("enum", ()) if isinstance(value, str)]
    types = " or ".join(sorted({str(form.get("type")) for form in forms}))
    return f"{name} cannot be {text!r}; {nearest(text, known) if known else f'its type is {types}'}"


def _is_possible(form: _Form, text: str) -> bool:
    if "enum" in form:
        return text in form["enum"]
    type_ = form.get("type", "string")
    return "string" in type_ or ("object" not in type_ and _NUMBER_OR_FLAG.fullmatch(text) is not None)
