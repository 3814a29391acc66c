"""The calls of the control API, out of its OpenAPI document."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from mockserver import create_app
from reference.member_types import typed
from reference.tables import code, head, row


def control_calls() -> Iterator[str]:
    """Every call of the control API with what it takes and what it answers."""
    answer = create_app().test_client().get("/_mock/control.json").json
    assert answer is not None
    for path, methods in sorted(answer["paths"].items()):
        for method, call in methods.items():
            yield f"### {method.upper()} {path}"
            yield ""
            yield call["summary"]
            yield ""
            yield from _Call(answer, call).lines()


class _Call:
    """A call of the control API in its OpenAPI document."""

    def __init__(self, document: Mapping[str, Any], call: Mapping[str, Any]) -> None:
        self._schemas: Mapping[str, Any] = document["components"]["schemas"]
        self._call = call

    def lines(self) -> Iterator[str]:
        """What the call takes, as a table, and what it answers."""
        rows = [*self._taken(), *self._body()]
        if rows:
            yield from head("where", "name", "type", "meaning")
            yield from (row(*cells) for cells in rows)
            yield ""
        yield from self._answers()
        yield ""

    def _taken(self) -> Iterator[tuple[str, str, str, str]]:
        for parameter in self._call.get("parameters", ()):
            if "name" in parameter:
                about = parameter.get("description") or parameter["schema"].get("description", "")
                yield parameter["in"], code(parameter["name"]), self._type(parameter["schema"]), about

    def _body(self) -> Iterator[tuple[str, str, str, str]]:
        contents = self._call.get("requestBody", {}).get("content", {})
        schema = next((inner["schema"] for inner in contents.values()), {})
        if schema.get("$ref", "").endswith(("/ScenarioItem", "/SeedItem")):
            yield "body", "", "a [scenario](scenarios.md), as JSON or YAML", ""
            return
        for one in [self._resolved(inner) for inner in schema.get("anyOf", [schema])]:
            for member, value in one.get("properties", {}).items():
                needed = ", needed" if member in one.get("required", ()) else ""
                yield "body", code(member), f"{self._type(value)}{needed}", value.get("description", "")

    def _answers(self) -> Iterator[str]:
        responses = self._call["responses"]
        good = [status for status in sorted(responses) if status < "400"]
        bad = [status for status in sorted(responses) if status >= "400"]
        for status in good:
            contents = responses[status].get("content", {})
            schema = contents.get("application/json", {}).get("schema", {})
            members = ", ".join(map(code, self._resolved(schema).get("properties", {})))
            media = ", ".join(code(media) for media in contents if media != "application/json")
            what = f"{status} with {members}" if members else status
            yield f"Answers {what}{f', or as {media}' if media and members else f' as {media}' if media else ''}."
        if bad:
            yield f"Refuses with {', '.join(bad)}."

    def _resolved(self, schema: Mapping[str, Any]) -> Mapping[str, Any]:
        while "$ref" in schema:
            schema = self._schemas[schema["$ref"].rpartition("/")[2]]
        return schema

    def _type(self, schema: Mapping[str, Any]) -> str:
        """What a member takes; of an object, its members."""
        return re.sub(r"\[(\w+)\]\([^)]*\)", lambda found: self._named(found[1]), typed(schema))

    def _named(self, name: str) -> str:
        if name == "ScenarioItem":
            return "a [scenario](scenarios.md)"
        if name in ("FaultItem", "StubItem"):
            return {"FaultItem": "a [fault](faults.md#fault)", "StubItem": "a [stub](stubs.md#stub)"}[name]
        members = self._schemas.get(name, {}).get("properties", {})
        return code("{" + ", ".join(members) + "}") if members else name
