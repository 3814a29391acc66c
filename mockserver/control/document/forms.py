"""How the kinds of values that the control API takes are told in a JSON schema: those of scenarios, and its own."""

from __future__ import annotations

from typing import Any

from mockserver.control.traffic.requests import Bounds
from mockserver.control.traffic.stream import STREAM_KINDS, Kinds
from mockserver.control.workspaces.workspaces import ScenarioField
from mockserver.scenario.json_schema import forms
from mockserver.web.schemas.json_schema import FieldSchema

_COUNT = {"type": "integer", "minimum": 0}


def _kinds(_: Kinds, known: dict[str, Any]) -> dict[str, Any]:
    known.pop("default")  # all of them
    kind = "|".join(STREAM_KINDS)
    return {"type": "string", "pattern": f"^({kind})(,({kind}))*$"}


FORMS: dict[type, FieldSchema] = {
    **forms.FORMS,
    ScenarioField: {"anyOf": [{"type": "string"}, {"$ref": "#/components/schemas/ScenarioItem"}]},
    Kinds: _kinds,
    Bounds: {"anyOf": [_COUNT, forms.closed({"at_least": _COUNT, "at_most": _COUNT}, minProperties=1)]},
}
