"""The calls of the control API, out of its OpenAPI document."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from mockserver import create_app
from reference.member_types import typed
from reference.members import said_once, scenario_choices
from reference.tables import code, slug

#: Definitions that have a page of their own.
_ELSEWHERE = {
    "ScenarioItem": "[scenario](scenarios.md)", "SeedItem": "[scenario](scenarios.md)",
    "FaultItem": "[fault](faults.md#fault)", "StubItem": "[stub](stubs.md#stub)",
}  # fmt: skip
#: Statuses that nearly every call refuses with, which the page explains once.
_USUAL = {"400", "401", "403", "404", "413", "421", "429"}
#: A parameter or member that so many calls take alike is explained once. Chosen: below it a list saves no words.
_OFTEN = 4
#: So many members of an answer are listed once, at the first call that answers with them.
_MANY = 4


class Input(NamedTuple):
    """A parameter of a call, or a member of its body."""

    where: str
    name: str
    type: str
    about: str

    def __str__(self) -> str:
        return f"{code(self.name)}{f' ({self.type})' if self.type else ''}{f': {self.about}' if self.about else ''}"


def control_inputs() -> Iterator[str]:
    """The parameters and members that many calls take alike."""
    document = _document()
    for taken in _usual(document):
        yield f"- {taken}"


def control_calls() -> Iterator[str]:
    """Every call of the control API with what it takes and what it answers; calls that are alike are one section."""
    yield from said_once(_sections(), scenario_choices())


def _sections() -> Iterator[str]:
    document = _document()
    usual = _usual(document)
    said: dict[object, str] = {}
    for path, methods in sorted(document["paths"].items()):
        sections: dict[str, list[str]] = {}
        for method, call in methods.items():
            heading = f"{method.upper()} {path}"
            text = "\n".join(_Call(document, call).lines(heading, usual, said))
            sections.setdefault(text, []).append(method.upper())
        for text, names in sections.items():
            yield f"### {', '.join(names)} {path}"
            yield ""
            yield text
            yield ""


def _document() -> Mapping[str, Any]:
    answer = create_app().test_client().get("/_mock/control.json").json
    assert answer is not None
    return answer


def _usual(document: Mapping[str, Any]) -> list[Input]:
    """The inputs that many calls take alike, in the order in which calls name them."""
    calls = [_Call(document, call) for methods in document["paths"].values() for call in methods.values()]
    found = Counter(taken for call in calls for taken in call.inputs() if taken.about)
    return [taken for taken, number in found.items() if number >= _OFTEN]


class _Call:
    """A call of the control API in its OpenAPI document."""

    def __init__(self, document: Mapping[str, Any], call: Mapping[str, Any]) -> None:
        self._schemas: Mapping[str, Any] = document["components"]["schemas"]
        self._call = call

    def lines(self, heading: str, usual: list[Input], said: dict[object, str]) -> Iterator[str]:
        """What the call does, takes and answers; what an earlier call has in common with it is named only.

        Args:
            heading: The heading of the call, to which later calls can point.
            usual: The inputs that are explained once for all calls.
            said: The inputs and answers of earlier calls, by the headings of these calls.
        """
        yield self._call["summary"]
        yield ""
        for where in ("path", "query", "body"):
            yield from self._inputs(where, heading, usual, said)
        yield from self._answers(heading, said)

    def inputs(self) -> Iterator[Input]:
        """The parameters and the members of the body, without parameters of the path that say no more than it."""
        for parameter in self._call.get("parameters", ()):
            if "name" in parameter:
                about = parameter.get("description") or parameter["schema"].get("description", "")
                found = Input(parameter["in"], parameter["name"], self._type(parameter["schema"]), about)
                if found.where != "path" or found.type or found.about:
                    yield found
        for one in self._body():
            for member, value in one.get("properties", {}).items():
                facts = [self._type(value), "needed" if member in one.get("required", ()) else ""]
                yield Input("body", member, "; ".join(filter(None, facts)), value.get("description", ""))

    def _inputs(self, where: str, heading: str, usual: list[Input], said: dict[object, str]) -> Iterator[str]:
        found = [taken for taken in self.inputs() if taken.where == where]
        earlier = {said[taken] for taken in found if taken in said and taken not in usual}
        short = [taken for taken in found if not taken.about or taken in usual or taken in said]
        if where == "body" and (name := self._named_document()):
            yield f"Body: a {name}, as JSON or YAML.\n"
        elif short:
            names = ", ".join(code(row.name) if row in said or row in usual else str(row) for row in short)
            alike = f" (as for {', '.join(f'[{name}](#{slug(name)})' for name in earlier)})" if earlier else ""
            yield f"{where.capitalize()}: {names}{alike}.\n"
        longer = [taken for taken in found if taken not in short]
        if longer:
            yield f"{'Also' if short else where.capitalize()}:\n"
            yield from (f"- {taken}" for taken in longer)
            yield ""
        said.update(dict.fromkeys(longer, heading))

    def _content(self) -> Mapping[str, Any]:
        contents = self._call.get("requestBody", {}).get("content", {})
        return next((inner["schema"] for inner in contents.values()), {})

    def _named_document(self) -> str:
        """The kind of document that the body is, with its page; empty: the body has members of its own."""
        return _ELSEWHERE.get(self._content().get("$ref", "").rpartition("/")[2], "")

    def _body(self) -> Iterator[Mapping[str, Any]]:
        if not self._named_document():
            schema = self._content()
            yield from (self._resolved(inner) for inner in schema.get("anyOf", [schema]))

    def _answers(self, heading: str, said: dict[object, str]) -> Iterator[str]:
        responses = self._call["responses"]
        texts = []
        for status in sorted(status for status in responses if status < "400"):
            contents = responses[status].get("content", {})
            schema = contents.get("application/json", {}).get("schema", {})
            members = tuple(self._resolved(schema).get("properties", {}))
            first = said.setdefault(members, heading) if len(members) > _MANY else heading
            named = f"as [{first}](#{slug(first)})" if first != heading else ", ".join(map(code, members))
            media = ", ".join(code(media) for media in contents if media != "application/json")
            shown = ", or ".join(filter(None, (named, media)))
            texts.append(shown if shown and status == "200" else f"{status} {shown}".strip())
        bad = ", ".join(status for status in sorted(responses) if status >= "400" and status not in _USUAL)
        yield f"Answers {'; '.join(texts)}.{f' Refuses with {bad}, too.' if bad else ''}"

    def _resolved(self, schema: Mapping[str, Any]) -> Mapping[str, Any]:
        while "$ref" in schema:
            schema = self._schemas[schema["$ref"].rpartition("/")[2]]
        return schema

    def _type(self, schema: Mapping[str, Any]) -> str:
        """What a member takes; of an object, its members; nothing for a text."""
        found = typed(schema)
        return "" if found == "text" else re.sub(r"\[(\w+)\]\([^)]*\)", lambda link: self._named(link[1]), found)

    def _named(self, name: str) -> str:
        members = self._schemas.get(name, {}).get("properties", {})
        return _ELSEWHERE.get(name) or (code("{" + ", ".join(members) + "}") if members else name)
