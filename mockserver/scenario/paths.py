"""The members and values that a path of an expectation can name, as JSON Schema."""

from __future__ import annotations

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


def _row(names: str, **forms: _Form) -> _Form:
    """Return the form of a row; `names` are its members without members."""
    return closed({**{name: {"type": "string"} for name in names.split()}, **forms})


_MACHINE = {"enum": list(LIFECYCLES)}
_CAUSES = dict.fromkeys(("caused", "caused_by"), _row("id", kind={"enum": KINDS}))
_MESSAGE = _row("", headers={}, body={})
#: A request and an e-mail, as the control API shows both; a test compares the names.
REQUEST = _row(
    "id at real_at path account fault stub reason status held ms warnings", method={"enum": METHODS}, query={},
    operation={"enum": [*ALL_OPERATIONS, *catalogue()]}, request=_MESSAGE, answer=_MESSAGE,
    beyond={"enum": list(map(str, Answered))}, **_CAUSES,
    transitions=_row("at real_at event from to", machine=_MACHINE, key={}, **_CAUSES),
)  # fmt: skip
MAIL = _row(
    "id at to from reply_to subject text html message_id account request cc bcc tags template_id otp", headers={},
    recipients=_row("email name", kind={"enum": ["to", "cc", "bcc"]}), params={}, machine=_MACHINE, key={},
    attachments=_row("name url size"), smtp=_row("error tries", state={"enum": [WAITING, SENT, FAILED]}), **_CAUSES,
)  # fmt: skip


@cache
def _root(name: str) -> _Form:
    if name != "state":
        return {"journal": REQUEST, "mailbox": MAIL}[name]
    whole, account = document(), document()["$defs"]["Account"]
    found = {**account["properties"], **whole["properties"]}
    return closed({name: form for name, form in found.items() if name not in ("generate", "extends", "expect")})


def mistake_in(root: str, steps: Sequence[Step], wanted: Any) -> str | None:
    """Return which member or value of a path nothing can ever have, or None; `wanted` is the expected value."""
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
    """Yield the forms of a member: none for an unknown member, an empty form for a member of any type."""
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
    """Return a message if a text is in none of the closed lists that the forms of a value have."""
    known = [value for form in forms for value in form.get("enum", ())]
    is_open = any("enum" not in form and form.get("type") != "null" for form in forms)
    if is_open or text in known or text == "null":
        return None
    return f"{name} cannot be {text!r}; {nearest(text, known)}"
